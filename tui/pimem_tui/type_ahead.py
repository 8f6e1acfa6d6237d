"""Keys that come faster than they are handled, one after the other."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App

from .news import News

if TYPE_CHECKING:
    from pimem_core.paths import Places

#: Seconds after which a key counts as handled though nothing came back from what had the focus.
_LOST_S = 0.5


class KeyHandled(News):
    """Follows a key through the same queues; when it comes back, the key was handled."""

    number: int


class TypeAhead(App[None]):
    """Hands a key on once what the key before it did is done, screens that open included.

    Textual hands each key to what has the focus when it comes. Of `/deploy`, sent over a slow line
    in one piece, the list would get all letters but the first, and some of them change a topic.
    """

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.places = places
        self._waiting: deque[events.Key] = deque()
        self._key_number = 0
        self._in_hand = False
        self._held = False

    @property
    def is_handling_keys(self) -> bool:
        """Whether a key is not handled yet."""
        return self._in_hand

    def hold_keys(self) -> None:
        """Have keys wait for a screen that is being prepared, until `let_keys_go`."""
        self._held = True

    def let_keys_go(self) -> None:
        """Hand on what waited, to the screen that was opened if there is one."""
        self._held = False
        self._wait_for_screen(self._key_number)

    def drop_keys(self) -> None:
        """Forget keys that wait: another program has the terminal now."""
        self._waiting.clear()

    async def on_event(self, event: events.Event) -> None:
        """Take a key, or anything else that happens."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._in_hand:
            if not self._waiting:
                self.set_timer(_LOST_S, partial(self._give_up, self._key_number))
            self._waiting.append(event)
        else:
            await self._hand_on(event)

    async def _hand_on(self, event: events.Key) -> None:
        self._in_hand = True
        self._key_number += 1
        target = self.focused or self.screen
        await super().on_event(event)
        if not target.post_message(KeyHandled(self._key_number)):
            self._wait_for_screen(self._key_number)

    @on(KeyHandled)
    def _key_was_handled(self, message: KeyHandled) -> None:
        self._wait_for_screen(message.number)

    def _wait_for_screen(self, number: int) -> None:
        """Go on behind what waits for the screen: a new one is made first and takes the focus."""
        if not self.screen.call_later(self.call_later, self._next_key, number):
            self.call_later(self._next_key, number)

    async def _next_key(self, number: int) -> None:
        if number != self._key_number or not self._in_hand or self._held:
            return
        self._in_hand = False
        if self._waiting:
            await self._hand_on(self._waiting.popleft())

    async def _give_up(self, number: int) -> None:
        # What had the key may be gone, with what was to come back.
        if self._held and number == self._key_number:
            self.set_timer(_LOST_S, partial(self._give_up, number))
        else:
            await self._next_key(number)
