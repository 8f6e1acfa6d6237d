"""Keys that come faster than they are handled, one after the other."""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App

from ..workers.news import News

if TYPE_CHECKING:
    from pimem_core.paths import Places

#: Seconds after which a key counts as handled though nothing came back from what had the focus.
_LOST_S = 0.5
#: Seconds between two looks at what a key waits for.
_LOOK_S = 0.01
#: Most seconds that a key waits for what a screen is about: the person is told by then.
PATIENCE_S = 2.0


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
        #: Keys that wait, each with when it came.
        self._waiting: deque[tuple[events.Key, float]] = deque()
        self._key_number = 0
        self._in_hand = False
        self._looks = False
        self._watches = False
        #: What keys are held for, and until when; None is as long as it takes.
        self._holds: dict[object, float | None] = {}

    @property
    def is_handling_keys(self) -> bool:
        """Whether a key is not handled yet."""
        return self._in_hand or bool(self._waiting)

    def hold_keys(self, what: object, *, patient: bool) -> None:
        """Have keys wait for something, until `let_keys_go`.

        Args:
            what: Names it.
            patient: Wait as long as it takes, since the keys are meant for what comes of it.
        """
        self._holds[what] = None if patient else time.monotonic() + PATIENCE_S

    def let_keys_go(self, what: object) -> None:
        """Hand on what waited, to the screen that was opened if there is one."""
        self._holds.pop(what, None)
        if not self._in_hand:
            self._in_hand = True
            self._key_number += 1
        self._wait_for_screen(self._key_number)

    def drop_keys(self) -> None:
        """Forget keys that wait: another program has the terminal now."""
        self._waiting.clear()

    async def on_event(self, event: events.Event) -> None:
        """Take a key, or anything else that happens."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        self._waiting.append((event, time.monotonic()))
        await self._go_on()

    async def _go_on(self) -> None:
        """Hand on the next key, unless what it is about is still to come."""
        if self._in_hand or not self._waiting:
            return
        event, came = self._waiting[0]
        if not self._must_wait(event, came):
            self._waiting.popleft()
            await self._hand_on(event)
        elif not self._looks:
            self._looks = True
            self.set_timer(_LOOK_S, self._look)

    async def _look(self) -> None:
        self._looks = False
        await self._go_on()

    def _must_wait(self, event: events.Key, came: float) -> bool:
        now = time.monotonic()
        if any(until is None or now < until for until in self._holds.values()):
            return True
        keeps_waiting = getattr(self.screen, "keeps_waiting", None)
        return bool(keeps_waiting and keeps_waiting(event.key, now - came))

    async def _hand_on(self, event: events.Key) -> None:
        self._in_hand = True
        self._key_number += 1
        self._watch_over()
        target = self.focused or self.screen
        await super().on_event(event)
        if not target.post_message(KeyHandled(self._key_number)):
            self._wait_for_screen(self._key_number)

    def _watch_over(self) -> None:
        """Go on after the key in hand though nothing comes back: what had it may be gone."""
        if not self._watches:
            self._watches = True
            self.set_timer(_LOST_S, partial(self._give_up, self._key_number))

    async def _give_up(self, number: int) -> None:
        self._watches = False
        if number == self._key_number:
            await self._next_key(number)
        elif self._in_hand:
            self._watch_over()

    @on(KeyHandled)
    def _key_was_handled(self, message: KeyHandled) -> None:
        self._wait_for_screen(message.number)

    def _wait_for_screen(self, number: int) -> None:
        """Go on behind what waits for the screen: a new one is made first and takes the focus."""
        if not self.screen.call_later(self.call_later, self._next_key, number):
            self.call_later(self._next_key, number)

    async def _next_key(self, number: int) -> None:
        if number == self._key_number and self._in_hand:
            self._in_hand = False
            await self._go_on()
