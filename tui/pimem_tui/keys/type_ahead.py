"""Keys that come faster than they are handled, one after the other."""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..workers.field_message import FieldMessage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual import events
    from textual.app import App

#: Seconds after which a key counts as handled though nothing came back from what had the focus.
_LOST_S = 0.5
#: Seconds between two looks at what a key waits for.
_LOOK_S = 0.01
#: Most seconds that a key waits for what a screen is about: a notice says why by then.
PATIENCE_S = 2.0


class KeyHandled(FieldMessage):
    """Follows a key through the same queues; when it comes back, the key was handled."""

    number: int


@runtime_checkable
class Patient(Protocol):
    """A screen that has keys wait for what they are about."""

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Whether a key is about something that is still to come, and that is worth the wait."""


@runtime_checkable
class Question(Protocol):
    """A screen that takes no key from before it was seen."""

    seen_at: float | None
    """When it was first on the screen, by the monotonic clock; None before that."""


class TypeAhead:
    """Hands a key on once what the key before it did is done, screens that open included.

    Textual hands each key to what has the focus when it comes. Of `/deploy`, sent over a slow line
    in one piece, the list would get all letters but the first, and some of them change a topic.
    """

    def __init__(self, app: App[None], hand_on: Callable[[events.Key], Awaitable[object]]) -> None:
        """Queue keys.

        Args:
            app: The app whose keys they are. It passes each `KeyHandled` to `handled`.
            hand_on: Hands a key to what has the focus.
        """
        self._app = app
        self._hand_key_on = hand_on
        #: Keys that wait, each with when it came.
        self._waiting: deque[tuple[events.Key, float]] = deque()
        self._number = 0
        self._in_hand = False
        self._looks = False
        self._watches = False
        #: What keys are held for, and until when; None is as long as it takes.
        self._holds: dict[object, float | None] = {}

    @property
    def is_busy(self) -> bool:
        """Whether a key is not handled yet."""
        return self._in_hand or bool(self._waiting)

    def hold(self, what: object, *, patient: bool) -> None:
        """Have keys wait for something, until `let_go`.

        Args:
            what: Names it.
            patient: Wait as long as it takes, since the keys are meant for what comes of it.
        """
        self._holds[what] = None if patient else time.monotonic() + PATIENCE_S

    def let_go(self, what: object) -> None:
        """Hand on what waited, to the screen that was opened if there is one."""
        self._holds.pop(what, None)
        if not self._in_hand:
            self._in_hand = True
            self._number += 1
        self._wait_for_screen(self._number)

    def drop(self) -> None:
        """Forget keys that wait: another program has the terminal now."""
        self._waiting.clear()

    async def take(self, event: events.Key) -> None:
        """Take a key that was pressed."""
        self._waiting.append((event, time.monotonic()))
        await self._go_on()

    def handled(self, number: int) -> None:
        """A key has been through the queues of what it went to."""
        self._wait_for_screen(number)

    async def _go_on(self) -> None:
        """Hand on the next key, unless what it is about is still to come."""
        if self._in_hand or not self._waiting:
            return
        screen = self._app.screen
        if isinstance(screen, Question) and screen.seen_at is not None:
            while self._waiting and self._waiting[0][1] < screen.seen_at:
                self._waiting.popleft()
            if not self._waiting:
                return
        event, came = self._waiting[0]
        if not self._must_wait(event, came):
            self._waiting.popleft()
            await self._hand_on(event)
        elif not self._looks:
            self._looks = True
            self._app.set_timer(_LOOK_S, self._look)

    async def _look(self) -> None:
        self._looks = False
        await self._go_on()

    def _must_wait(self, event: events.Key, came: float) -> bool:
        now = time.monotonic()
        if any(until is None or now < until for until in self._holds.values()):
            return True
        screen = self._app.screen
        if isinstance(screen, Question) and screen.seen_at is None:
            return True
        return isinstance(screen, Patient) and screen.keeps_waiting(event.key, now - came)

    async def _hand_on(self, event: events.Key) -> None:
        self._in_hand = True
        self._number += 1
        self._watch_over()
        target = self._app.focused or self._app.screen
        await self._hand_key_on(event)
        if not target.post_message(KeyHandled(self._number)):
            self._wait_for_screen(self._number)

    def _watch_over(self) -> None:
        """Go on after the key in hand though nothing comes back: what had it may be gone."""
        if not self._watches:
            self._watches = True
            self._app.set_timer(_LOST_S, partial(self._give_up, self._number))

    async def _give_up(self, number: int) -> None:
        self._watches = False
        if number == self._number:
            await self._next_key(number)
        elif self._in_hand:
            self._watch_over()

    def _wait_for_screen(self, number: int) -> None:
        """Go on behind what waits for the screen: a new one is made first and takes the focus."""
        app = self._app
        if not app.screen.call_later(app.call_later, self._next_key, number):
            app.call_later(self._next_key, number)

    async def _next_key(self, number: int) -> None:
        if number == self._number and self._in_hand:
            self._in_hand = False
            await self._go_on()
