"""What layered memory does inside pi: the section, and the /memory: commands."""

from __future__ import annotations

from ...errors import PimemError
from .. import actions
from ..hosting import HookContext, Hooks, Offer, Part
from ..providers import keep_out
from ..trust_question import TrustQuestion
from .folder import find_layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...paths import Places
    from ..actions import Action
    from .folder import Layers
    from .injection import Block
    from .loading import Loaded
    from .scan import Cache

# A person without layered memory pays for none of it: what a prompt needs loads with the first.
_SECTION = "pi_memory"
_TEXT = "layered.section"
_QUESTION = TrustQuestion(
    "layered:trust:",
    "Use this project's memory?",
    yes="This project's memory is used from the next prompt on.",
    no="This project's memory stays out of prompts; /memory:init workspace allows it.",
    unanswered="The memory in {root} is not trusted yet, so it is not used. "
    "`pimem init workspace` there trusts it.",
)
_EVENTS: Sequence[Mapping[str, Any]] = (
    {
        "name": "session_start",
        "fields": ["reason", "@commands"],
        "deadline_ms": 250,
        "awaited": True,
    },
    {
        "name": "before_agent_start",
        "fields": ["messageType"],
        "deadline_ms": 250,
        "awaited": True,
    },
)


class LayeredHooks(Hooks):
    """Layered memory's part in a session."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands
        self._cache: Cache | None = None
        self._caching_for: object = None

    def offer(self, places: Places) -> Offer:
        """Seven commands and two events."""
        del places
        return Offer(
            commands=[{"name": name, "description": text} for name, text in self._commands.items()],
            events=_EVENTS,
        )

    def offer_unused(self, places: Places) -> Offer:
        """The same commands: `/memory:init` is how layered memory begins."""
        return Offer(commands=self.offer(places).commands)

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Answer one of the two events."""
        if name == "session_start":
            return self._session_start(payload, context)
        if context.state.get("passive"):
            return []
        if name == "before_agent_start":
            return self._before_agent_start(payload, context)
        return []

    def _session_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        context.state.clear()
        return keep_out(payload, context, who="pimem's layered memory", commands=self._commands)

    # Injection

    def _before_agent_start(self, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        if payload.get("messageType", "user") != "user":
            # A run that an extension started: the prompt's prefix stays as it is.
            return self._same_again(context)
        from . import injection

        try:
            found = self._load(context)
        except PimemError as error:
            return [*self._same_again(context), actions.notify(str(error), "warning")]
        block = injection.build(found, context.settings)
        context.texts[_TEXT] = block.text
        done = [actions.section(_SECTION, block.text)] if block.parts else []
        done += self._ask(context, found.layers)
        new = [said for said in found.problems if said not in context.state.get("told", ())]
        if new:
            context.state["told"] = list(found.problems)
            said = "\n".join(["Some memory files cannot be used:", *new])
            done.append(actions.notify(said, "warning"))
        return done

    def _same_again(self, context: HookContext) -> list[Action]:
        text = context.texts.get(_TEXT)
        return [actions.section(_SECTION, text)] if text else []

    def _load(self, context: HookContext) -> Loaded:
        from . import pending
        from .loading import load
        from .scan import Cache

        settings = context.settings
        layers = find_layers(context.places, settings)
        key = (layers, settings.layered_max_file_chars)
        if self._cache is None or self._caching_for != key:
            self._cache, self._caching_for = Cache(settings.layered_max_file_chars), key
        return load(
            self._cache,
            layers,
            settings,
            pending.as_before(context.places),
            with_workspace=self._may_use_workspace(context, layers.root),
        )

    def _may_use_workspace(self, context: HookContext, root: str) -> bool:
        """Whether pi trusts the project, as far as it knows, and the person agreed."""
        from ...settings import trust

        return context.session.trusted is not False and trust.answer(context.places, root) is True

    def _ask(self, context: HookContext, layers: Layers) -> list[Action]:
        """Ask once whether the project's memory may be used, where there is one and somebody.

        Not at the session's start: what is said there is often too late to ask anything. When the
        answer of a prompt is too late, the runner takes `asked` back.
        """
        from . import pending
        from .loading import load
        from .scan import Cache

        if context.session.trusted is False or not layers.has_workspace:
            return []
        if not _QUESTION.is_open(context, layers.root):
            return []
        cache = Cache(context.settings.layered_max_file_chars)
        shown = pending.as_before(context.places)
        there = load(cache, layers, context.settings, shown, with_workspace=True)
        files = [file.file for file in there.workspace if file.counts]
        if not files:
            return []
        more = f" and {len(files) - 5} more" if files[5:] else ""
        text = (
            f"{layers.workspace_dir} would be given to the model with every prompt: "
            f"{', '.join(files[:5])}{more}. Say yes if you know who wrote it."
        )
        return _QUESTION.ask(context, layers.root, text)

    def answer(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Keep what the person said about the project's memory."""
        return _QUESTION.answered(key, value, context)

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        """The parts of every prompt."""
        del turn
        return self.block(context).parts

    def block(self, context: HookContext) -> Block:
        """What a prompt is given now."""
        from . import injection

        return injection.build(self._load(context), context.settings)

    # Commands

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        """Run one of the commands."""
        from . import command

        return command.run(name.removeprefix("memory:"), args, context)

    def complete(self, name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
        """Complete a command's arguments."""
        from . import command

        return command.complete(name.removeprefix("memory:"), prefix, context)
