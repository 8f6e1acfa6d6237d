"""What zcode does inside pi: the index as one hidden message, tools, its part of /memory."""

from __future__ import annotations

import os

from ...errors import PimemError
from .. import actions, providers
from ..hosting import HookContext, Hooks, Offer, Part
from ..trust_question import TrustQuestion
from . import config

# Every hook of every person asks whether this system takes part; all else loads when it does.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from ...paths import Places
    from ..actions import Action
    from .store import ZcodeStore

#: Type of the hidden message, and of the entry that says what it held.
MESSAGE = "zcode-memory"
MARKER = "zcode-memory/injected"
_QUESTION = TrustQuestion(
    "zcode:trust:",
    "Use the folder that this project names?",
    yes="The folder is used from the next prompt on.",
    no="The folder that this project names stays unused.",
    unanswered="The folder that {root} names is not used as its memory before you agree: pi asks "
    "where it can.",
)
_INJECTED = f"@entries:{MARKER}"
_IN_TAIL = f"@tail_has:{MESSAGE}"
_EVENTS: Sequence[Mapping[str, Any]] = (
    {
        "name": "session_start",
        "fields": ["reason", "@tools", _INJECTED, _IN_TAIL],
        "deadline_ms": 250,
        "awaited": True,
    },
    {
        "name": "before_agent_start",
        "fields": ["messageType", _INJECTED, _IN_TAIL],
        "deadline_ms": 250,
        "awaited": True,
    },
    # What a command sends to the model waits while the model works.
    {"name": "command", "fields": ["@busy"], "deadline_ms": 2000, "awaited": False},
)


class ZcodeHooks(Hooks):
    """zcode's part in a session."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        self._rendered: tuple[object, str, Part | None] | None = None
        self._offers: dict[str, Offer] = {}

    def offer(self, places: Places) -> Offer:
        """Three tools, a part of /memory, and two events."""
        from .store import project_store

        folder = project_store(places, config.load(places)[0]).path
        if folder in self._offers:
            return self._offers[folder]
        from . import tools

        self._offers[folder] = Offer(
            tools=tools.descriptions(folder),
            commands=(
                {
                    "name": "memory",
                    "description": "Memory manager, or: <text to store>, search, status, preview, "
                    "reload",
                },
            ),
            events=_EVENTS,
        )
        return self._offers[folder]

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Answer one of the two events."""
        if name == "session_start":
            return self._session_start(payload, context)
        if name == "before_agent_start" and not context.state.get("passive"):
            return self._before_agent_start(payload, context)
        return []

    def _session_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        said = self._begin(payload, context)
        # The person hears of it when pi starts, not again with each of its sessions.
        return said if payload.get("reason") in (None, "startup", "reload") else []

    def _begin(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        context.state.clear()
        others = providers.keep_out(payload, context, who="pimem's ZCode memory", tools=self._tools)
        if others:
            return others
        # What the session itself holds of us counts, not what this process remembers.
        self._remember(payload, context)
        said = []
        _config, trouble = config.load(context.places)
        if trouble is not None:
            said.append(actions.notify(str(trouble), "warning"))
        if context.session.trusted is False and os.path.exists(config.paths(context.places)[1]):
            said.append(
                actions.notify(
                    f"{config.paths(context.places)[1]} is ignored: the project is not trusted.",
                    "warning",
                )
            )
        location = self._store(context).folder.location
        if location is not None and location.warning:
            said.append(actions.notify(location.warning, "warning"))
        if location is not None and location.source in ("config", "sibling"):
            # A folder that was computed from the path cannot be somebody else's.
            said += [actions.notify(note) for note in location.notes]
        return said

    def _remember(self, payload: Mapping[str, Any], context: HookContext) -> None:
        """Take over the newest marker and whether its message is still there, where pi says so."""
        if _INJECTED in payload:
            marker = payload[_INJECTED]
            found = marker.get("indexHash") if isinstance(marker, dict) else None
            context.state["injected"] = found if isinstance(found, str) else None
        if payload.get(_IN_TAIL) is False:
            context.state["injected"] = None

    def start(self, context: HookContext) -> list[Action]:
        """Do nothing slow."""
        del context
        return []

    # Injection

    def _before_agent_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        if payload.get("messageType", "user") != "user":
            return []
        self._remember(payload, context)
        found = config.load(context.places, project=_counts(context))[0]
        asked = self._ask(found, context)
        if not found.inject_index:
            return asked
        return [*asked, *self._given(context)]

    def _given(self, context: HookContext) -> list[Action]:
        """The index as one message, where it is not in the session yet."""
        try:
            digest, part = self._index(context)
        except PimemError as error:
            if context.state.get("reported") == str(error):
                return []
            context.state["reported"] = str(error)
            return [actions.notify(str(error), "warning")]
        again = context.state.pop("reload", False)
        if part is None or (context.state.get("injected") == digest and not again):
            return []
        context.state["injected"] = digest
        return [
            actions.message(MESSAGE, part.text, details={"indexHash": digest}),
            actions.append_entry(MARKER, {"indexHash": digest}),
        ]

    def _ask(self, found: config.Config, context: HookContext) -> list[Action]:
        """Ask once whether the project may name its memory's folder, where somebody can answer."""
        root = config.root(context.places) if found.waiting_dir is not None else ""
        if not root or not _QUESTION.is_open(context, root):
            return []
        return _QUESTION.ask(
            context,
            root,
            f"Its zcode-memory.json names {found.waiting_dir}. Its index would be given to the "
            "model, and the model would write there. Say yes if you know who wrote it.",
        )

    def _index(self, context: HookContext) -> tuple[str, Part | None]:
        """The hash of the index and what is given of it, kept while the index stays as it is."""
        folder = self._store(context).folder
        key = (folder.path, folder.stamp_of_index())
        if self._rendered is None or self._rendered[0] != key or key[1] is None:
            from .facts import INDEX_NAME
            from .injection import index_part
            from .revision import digest_of

            text = folder.index_text()
            digest = digest_of((text or "").encode())
            part = index_part(text, folder.file(INDEX_NAME))
            self._rendered = (key, digest, part)
        return self._rendered[1:]

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        """What the n-th prompt of a new session is given: the index with the first."""
        wanted = config.load(context.places, project=_counts(context))[0].inject_index
        if turn != 1 or not wanted:
            return []
        part = self._index(context)[1]
        return [part] if part is not None else []

    # Tools and commands

    def tool(self, name: str, params: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Run one of the three tools."""
        from . import tools

        return tools.run(name, params, self._store(context))

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        """Run this system's part of /memory."""
        from . import command

        def given() -> Sequence[Part]:
            return self.inject(context, turn=1)

        return command.run(args, self._store(context), context, given)

    def complete(self, name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
        """Complete /memory's words."""
        from . import command

        return command.complete(prefix)

    def answer(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Keep what the person said about the folder that the project names."""
        return _QUESTION.answered(key, value, context)

    def _store(self, context: HookContext) -> ZcodeStore:
        from .store import project_store

        return project_store(
            context.places, config.load(context.places, project=_counts(context))[0]
        )


def _counts(context: HookContext) -> bool:
    """Whether the project's own configuration file has a say."""
    return context.session.trusted is not False
