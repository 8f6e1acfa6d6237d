"""What a system does inside a host such as pi: what it offers, and what its hooks get."""

from __future__ import annotations

from ..progress import never
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..errors import PimemError
    from ..paths import Places
    from ..progress import Cancelled
    from ..settings.config import Settings
    from .actions import Action


class SessionInfo(Value):
    """A session of the host, as its request tells.

    `trusted` is None where the host has no such notion. `mode` is `tui`, `rpc`, `json` or `print`.
    `is_subagent` says that another agent of the host started it. `features` are those of
    docs/hook-protocol.md.
    """

    id: str
    cwd: str
    file: str | None = None
    trusted: bool | None = None
    mode: str = "print"
    pi: str | None = None
    is_subagent: bool = False
    features: frozenset[str] = frozenset()


class HookContext:
    """What a hook knows besides its payload.

    `state` is this system's part of the session's state: what the hook leaves in it is there at
    the next call, also in another process, unless the answer came too late. `texts` is the same
    for long texts, which a late answer does not take back. `places` has the session's folder.
    A system that leaves `passive` in its state is asked for no tool and no command any more.
    `troubles` takes what could not be read and is therefore missing in what is given.
    `deadline` is when the host stops waiting, by the monotonic clock, None when it waits. What is
    put into `keep` the host gives back by its name in computed fields. `missed` has the ids of
    requests whose answers came without this system, for one that waits for others (`Hooks.slow`).
    """

    def __init__(
        self,
        places: Places,
        session: SessionInfo,
        settings: Settings,
        state: dict[str, Any],
        texts: dict[str, str],
        cancelled: Cancelled = never,
        *,
        deadline: float | None = None,
        missed: Sequence[Any] = (),
    ) -> None:
        self.places = places
        self.session = session
        self.settings = settings
        self.state = state
        self.texts = texts
        self.cancelled = cancelled
        self.deadline = deadline
        self.missed = missed
        self.keep: dict[str, Any] = {}
        self.troubles: list[PimemError] = []


class Offer(Value):
    """What a system offers a host: tools, slash commands and the events it wants.

    Each is a row of the describe document; docs/hook-protocol.md gives their keys.
    """

    tools: Sequence[Mapping[str, Any]] = ()
    commands: Sequence[Mapping[str, Any]] = ()
    events: Sequence[Mapping[str, Any]] = ()


class Part(Value):
    """A part of what a model is given. `dropped` names what a limit kept out."""

    name: str
    text: str
    dropped: Sequence[str] = ()


class Hooks:
    """What a system does inside a host such as pi.

    What a system leaves as it is here, it does not take part in. Events of one session come one
    at a time, tools and commands beside them, and several sessions at once. `slow` names the
    events at which a system may wait for others, such as a server: it then has a lane of its own
    in each session and a state of its own, and the others do not wait for it beyond its deadline.
    """

    slow: frozenset[str] = frozenset()

    def offer(self, places: Places) -> Offer:
        """Tools, commands and events, for the describe document."""
        del places
        return Offer()

    def offer_unused(self, places: Places) -> Offer:
        """The commands with which a person can begin to use a system that takes no part yet."""
        del places
        return Offer()

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        """What the host should do at one of the events that were asked for."""
        del name, payload, context
        return []

    def start(self, context: HookContext) -> list[Action]:
        """The slow part of a session's start, after `session_start` was answered."""
        del context
        return []

    def tool(self, name: str, params: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Run a tool; a refusal is a result that tells the model what to do instead."""
        del name, params, context
        return []

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        """Run a slash command; None when these words are not this system's."""
        del name, args, context
        return None

    def complete(self, name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
        """Completions of a command's argument: value, label and description."""
        del name, prefix, context
        return []

    def answer(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Go on after the person answered a `confirm`; None when the key is not this system's."""
        del key, value, context
        return None

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        """The parts that a session's n-th prompt is given, without changing anything."""
        del context, turn
        return ()
