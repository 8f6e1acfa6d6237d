"""What openpi does inside pi: injection, tools, /memory, handoff."""

from __future__ import annotations

import os
import time

from ...errors import PimemError, ReadOnlyFormatError
from .. import actions
from ..hosting import HookContext, Hooks, Offer, Part
from . import config, handoff_injection, injection
from .folder import active
from .location import active_folder, local_folder, shared_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from ...errors import ConfigError
    from ...paths import Places
    from ..actions import Action
    from .store import OpenpiStore

_TEXT = "openpi.section"
_TICK_NS = 2_000_000_000
_EVENTS: Sequence[Mapping[str, Any]] = (
    {
        "name": "session_start",
        "fields": ["reason", "@tools", "@commands", handoff_injection.IN_TAIL],
        "deadline_ms": 250,
        "awaited": True,
    },
    {
        "name": "before_agent_start",
        "fields": ["messageType", handoff_injection.IN_TAIL],
        "deadline_ms": 250,
        "awaited": True,
    },
    {
        "name": "session_before_compact",
        "fields": [
            *("reason", "preparation.messagesToSummarize", "preparation.tokensBefore"),
            *("preparation.settings.reserveTokens", "@context_window"),
        ],
        "deadline_ms": 250,
        "awaited": True,
    },
    {
        "name": "session_compact",
        "fields": ["reason", "willRetry", "compactionEntry.summary"],
        # Behind a compaction, which took seconds: a late answer would leave the work lying.
        "deadline_ms": 2000,
        "awaited": True,
    },
    # What a command sends to the model waits while the model works.
    {"name": "command", "fields": ["@busy"], "deadline_ms": 2000, "awaited": False},
)


class OpenpiHooks(Hooks):
    """openpi's part in a session."""

    def __init__(self, tools: Collection[str], commands: Collection[str]) -> None:
        self._tools, self._commands = tools, commands
        self._rendered: tuple[object, list[Part]] | None = None
        self._read: tuple[object, config.Config, ConfigError | None] | None = None

    def offer(self, places: Places) -> Offer:
        """Three tools, /memory, and four events."""
        from . import tools

        return Offer(
            tools=tools.descriptions(active_folder(places)),
            commands=(
                {
                    "name": "memory",
                    "description": "Memory manager, or: <text to store>, pin, unpin, remove, "
                    "search, status, preview, consolidate",
                },
            ),
            events=_EVENTS,
        )

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Answer one of the four events."""
        if name == "session_start":
            return self._session_start(payload, context)
        if context.state.get("passive"):
            return []
        if name == "before_agent_start":
            return self._before_agent_start(payload, context)
        from . import compaction

        if name == "session_before_compact":
            return compaction.before(payload, context)
        if name == "session_compact":
            return compaction.after(payload, context)
        return []

    # Sessions

    def _session_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        said = self._begin(payload, context)
        # The person hears of it when pi starts, not again with each of its sessions.
        return said if payload.get("reason") in (None, "startup", "reload") else []

    def _begin(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        state, places = context.state, context.places
        handed = state.get("handed")
        state.clear()
        if handed and payload.get(handoff_injection.IN_TAIL) is True:
            # The session goes on, and the model still has the message in front of it.
            part = handoff_injection.newest(places)
            is_same = part is not None and handoff_injection.mark_of(part) == handed
            state.update(handed=handed if is_same else "", told=is_same)
        from .. import providers  # sessions begin less often than prompts

        others = providers.keep_out(
            payload, context, who="pimem", tools=self._tools, commands=self._commands
        )
        if others:
            return others
        said = []
        try:
            config.bootstrap(places)
        except PimemError as error:
            said.append(actions.notify(str(error), "warning"))
        trouble = config.load(places)[1]
        if trouble is None:
            config.keep_good(places)
        else:
            context.troubles.append(trouble)
        reason = self._why_not_injected(places)
        if isinstance(reason, ReadOnlyFormatError):
            state["foreign"] = True
            said.append(actions.notify(str(reason), "warning"))
        elif reason is not None:
            context.troubles.append(reason)
        return [*said, *_new_troubles(context)]

    def start(self, context: HookContext) -> list[Action]:
        """Carry over, copy an older handoff, retire the old recap; all wait for locks."""
        # Where the index cannot be read, nothing can be done to it.
        if any(context.state.get(key) for key in ("passive", "foreign", "reported")):
            return []
        from . import carry_over, compaction, recap

        places = context.places
        said: list[str | None] = [compaction.adopt_legacy(places)]
        if config.load(places)[0].shared_dir:
            said.append(carry_over.carry_over(places, local_folder(places), shared_folder(places)))
        said += recap.retire(places)
        return [actions.notify(text, "warning") for text in said if text]

    def _why_not_injected(self, places: Places) -> PimemError | None:
        """Why the index is not injected: its format is foreign, or it cannot be read."""
        from . import detection

        folder = active(places)
        try:
            detection.refuse_foreign(folder.path, folder.detect(folder.view().text))
        except PimemError as error:
            return error
        return None

    # Injection

    def _before_agent_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        state = context.state
        if state.get("foreign"):
            return []
        sticky = _is_sticky(context)
        if payload.get("messageType", "user") != "user":
            # A run that an extension started: nothing changes, the prompt's prefix stays.
            return self._same_again(context) if sticky else []
        settings, trouble = self._config(context.places)
        state["turn"] = state.get("turn", 0) + 1
        due = not state.get("injected") or state["turn"] % settings.inject_every_n_turns == 0
        if not sticky:
            said = self._scheduled(context, settings) if due else []
            return [*said, *_new_troubles(context, trouble)]
        changed = self._changed_by_us(context)
        has_text = state.get("section") and context.texts.get(_TEXT)
        if due or changed or state.get("stale") or not has_text:
            state["injected"] = True
            try:
                parts = self._parts(context, settings)
            except ReadOnlyFormatError as error:
                return _keep_out(context, error)
            if not has_text or not context.troubles:
                context.texts[_TEXT] = "\n\n".join(part.text for part in parts)
                state.update(section=True, stale=False)
        handoff_injection.follow_branch(payload, context)
        return [
            *self._same_again(context),
            *handoff_injection.as_message(context, settings),
            *_new_troubles(context, trouble),
        ]

    def _config(self, places: Places) -> tuple[config.Config, ConfigError | None]:
        """The configuration; read again when the file is another or has changed."""
        path = config.config_path(places)
        try:
            found = os.stat(path)
        except OSError:
            return config.load(places)
        key = (path, found.st_ino, found.st_mtime_ns, found.st_size)
        read = self._read
        if read is None or read[0] != key or time.time_ns() - key[2] < _TICK_NS:
            settings, trouble = config.load(places)
            if read is not None and read[1] != settings and trouble is None:
                config.keep_good(places)
            read = self._read = key, settings, trouble
        return read[1], read[2]

    def _same_again(self, context: HookContext) -> list[Action]:
        """The block in the prompt, byte for byte as it was last made."""
        text = context.texts.get(_TEXT) if context.state.get("section") else None
        return [actions.section(injection.SECTION, text)] if text else []

    def _scheduled(self, context: HookContext, settings: config.Config) -> list[Action]:
        context.state["injected"] = True
        try:
            parts = list(self._parts(context, settings))
        except ReadOnlyFormatError as error:
            return _keep_out(context, error)
        part = handoff_injection.take(context, settings)
        parts += [part] if part is not None else []
        said = _new_troubles(context)
        if not parts:
            return said
        body = "\n\n".join(part.text for part in parts)
        tag = injection.SECTION
        return [actions.append_prompt(f"<{tag}>\n{body}\n</{tag}>"), *said]

    def _parts(self, context: HookContext, settings: config.Config) -> list[Part]:
        """Index and rules; kept while index, configuration and settings stay as they are.

        An index that cannot be read is missing in them, and a trouble.
        """
        folder = active(context.places)
        full = context.settings.stamps == "full"
        key = (folder.path, full, settings, folder.stamp_of_index())
        if self._rendered is None or self._rendered[0] != key:
            rules = injection.rules_part(settings, path=config.config_path(context.places))
            found = [rules] if rules is not None else []
            try:
                text = folder.view().text
            except PimemError as error:
                context.troubles.append(error)
                return found
            if not _is_plainly_ours(text, folder.path):
                from . import detection

                detection.refuse_foreign(folder.path, folder.detect(text))
            index = injection.index_part(
                text, folder=folder.path, config=settings, full_stamps=full
            )
            self._rendered = (key, [index, *found])
        return self._rendered[1]

    def _changed_by_us(self, context: HookContext) -> bool:
        """Whether a change was made through pimem, by any front, since the last prompt."""
        # Thousands of changes may be kept; they are looked through when their folder changed.
        folder = os.path.join(context.places.state_dir, "undo")
        try:
            at = os.stat(folder).st_mtime_ns
        except OSError:
            at = 0
        state = context.state
        if at == state.get("undo_at") and state.get("seen") is not None:
            return False
        from ...history import changes

        newest, folders = changes.since(context.places.state_dir, state.get("seen"))
        state["seen"] = newest
        # A change within the same tick of the file system's clock would not show.
        state["undo_at"] = at if time.time_ns() - at > _TICK_NS else -1
        return active_folder(context.places) in folders

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        """What the n-th prompt of a new session is given."""
        settings, _error = config.load(context.places)
        reason = self._why_not_injected(context.places)
        if isinstance(reason, ReadOnlyFormatError):
            raise reason
        due = turn == 1 or turn % settings.inject_every_n_turns == 0
        if not due and not _is_sticky(context):
            return []
        try:
            parts = list(self._parts(context, settings))
        except ReadOnlyFormatError:
            return []
        if turn == 1 and settings.handoff_keep > 0:
            part = handoff_injection.newest(context.places)
            parts += [part] if part is not None else []
        return parts

    # Tools and commands

    def tool(self, name: str, params: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Run one of the three tools."""
        from . import tools

        return tools.run(name, params, _store(context))

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        """Run /memory."""
        from . import command

        def given() -> Sequence[Part]:
            return self.inject(context, turn=1)

        return command.run(args, _store(context), context, given)

    def complete(self, name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
        """Complete /memory's words and topics."""
        from . import command

        return command.complete(prefix, _store(context))

    def answer(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Go on with a removal that the person was asked about."""
        from . import command

        return command.answered(key, value, _store(context))


def _store(context: HookContext) -> OpenpiStore:
    from .store import OpenpiStore

    folder = active(context.places)
    return OpenpiStore(folder.name, folder.path, context.places)


def _is_plainly_ours(text: str | None, folder: str) -> bool:
    """Whether nothing hints at another format; a closer look takes time."""
    if text is None:
        return not os.path.lexists(folder)
    return text.startswith("# Memory Index\n") and "§" not in text and "<!--" not in text


def _keep_out(context: HookContext, error: ReadOnlyFormatError) -> list[Action]:
    """Give this session nothing: the index is in another extension's format by now."""
    context.state["foreign"] = True
    context.troubles.append(error)
    return _new_troubles(context)


def _new_troubles(context: HookContext, *more: PimemError | None) -> list[Action]:
    """A notice for each trouble that was not reported in this session yet."""
    reported: list[str] = context.state.setdefault("reported", [])
    troubles = [str(error) for error in (*context.troubles, *more) if error is not None]
    new = [said for said in troubles if said not in reported]
    reported += new
    return [actions.notify(said, "warning") for said in new]


def _is_sticky(context: HookContext) -> bool:
    """Whether the block stays in the prompt between injections."""
    mode = context.settings.inject_mode
    return mode == "sticky" or (mode == "auto" and "sections" in context.session.features)
