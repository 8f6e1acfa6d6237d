"""What happens around a compaction: the handoff is written before it, work goes on after it."""

from __future__ import annotations

import os

from ...clock import now, stamp
from ...errors import PimemError
from ...files.holder import own_lock_path
from ...files.publish import explained, make_folder, publish
from .. import actions
from . import config, handoff, handoff_injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...paths import Places
    from ..actions import Action
    from ..hosting import HookContext

#: How long another process may hold the handoff, in seconds; the host waits 250 ms in all.
_WAIT_S = 0.15
_CONTINUE = "Continue."
_SHARED_PROMPT = """Save what is worth keeping with write_memory, one call for each item, with a \
fitting topic, content, summary and mode.
- Keep only what the Memory Rules allow.{rules}
- Skip what the index already has, what will not last, and long code.
- Put closely related facts together.
- Write no recap of the session and no topic "Last Session Recap": the handoff does that."""


def before(payload: Mapping[str, Any], context: HookContext) -> list[Action]:
    """Keep what the assistant last said as a handoff, and have the next prompt injected again."""
    _start_over(context)
    settings, _error = config.load(context.places)
    if settings.handoff_keep <= 0:
        return []
    preparation = payload.get("preparation")
    messages = preparation.get("messagesToSummarize") if isinstance(preparation, dict) else None
    rows = messages if isinstance(messages, list) else ()
    lines = handoff.bullets([row for row in rows if isinstance(row, dict)])
    if not lines or not isinstance(preparation, dict):
        return []
    new = handoff.entry(stamp(now()), _reason(payload, preparation), "\n".join(lines))
    keep = settings.handoff_keep
    try:
        _rewrite(context.places, lambda text: handoff.with_entry(text, new, keep))
    except PimemError as error:
        return [actions.notify(f"The handoff was not kept: {error}", "warning")]
    return []


def _reason(payload: Mapping[str, Any], preparation: Mapping[str, Any]) -> str:
    """Why the host compacts; an older one does not say, but it does so by itself when it must."""
    if payload.get("reason"):
        return str(payload["reason"])
    settings = preparation.get("settings")
    reserve = settings.get("reserveTokens") if isinstance(settings, dict) else None
    window, tokens = payload.get("@context_window"), preparation.get("tokensBefore")
    numbers = [n for n in (window, tokens, reserve) if isinstance(n, int | float)]
    if len(numbers) < len((window, tokens, reserve)):
        return "manual"
    window, tokens, reserve = numbers
    return "threshold" if tokens > window - reserve else "manual"


def after(payload: Mapping[str, Any], context: HookContext) -> list[Action]:
    """Consolidate or continue after a compaction that the context limit forced."""
    _start_over(context)  # the event before may have been lost with a runner
    entry = payload.get("compactionEntry")
    summary = entry.get("summary") if isinstance(entry, dict) else None
    if payload.get("reason") != "threshold" or payload.get("willRetry"):
        return []
    settings, _error = config.load(context.places)
    newest = handoff.newest(context.places) if settings.handoff_keep > 0 else ""
    decision = handoff.decide(settings, newest)
    if decision == "consolidate":
        return _consolidate(str(summary or ""), settings, context)
    if decision == "none":
        return []
    # Newer versions of pi go on without a before_agent_start, so the handoff goes along.
    return [*handoff_injection.as_message(context, settings), actions.send_user_message(_CONTINUE)]


def _start_over(context: HookContext) -> None:
    """Have the next prompt injected as the first one, handoff included."""
    context.state.update(injected=False, turn=0, handed="", told=False)


def _consolidate(summary: str, settings: config.Config, context: HookContext) -> list[Action]:
    said = []
    if summary and settings.handoff_keep > 0:
        body = handoff.consolidation_body(summary)
        new = handoff.entry(stamp(now()), "threshold", body).replace(
            " (threshold)", " Consolidation (threshold)", 1
        )
        keep = settings.handoff_keep
        try:
            _rewrite(context.places, lambda text: handoff.with_newest_replaced(text, new, keep))
            # This session has the summary in front of it; only a new one needs the handoff.
            context.state["handed"] = new.split("\n", 1)[0]
        except PimemError as error:
            said.append(actions.notify(f"The handoff was not replaced: {error}", "warning"))
    return [*said, actions.send_user_message(consolidation_prompt(settings, summary))]


def consolidation_prompt(settings: config.Config, summary: str = "") -> str:
    """What the model is asked; with a summary it works from that, else from the conversation."""
    rules = config.render_rules(settings)
    shared = _SHARED_PROMPT.format(rules=f" They are:\n\n{rules}\n" if rules else "")
    if not summary:
        return f"Go through this conversation. {shared}"
    quoted = "\n".join(f"> {line}" for line in summary.split("\n"))
    return (
        f"The conversation was compacted into this summary:\n\n{quoted}\n\nGo through it. {shared}"
    )


def adopt_legacy(places: Places) -> str:
    """Copy the handoff from its older place inside the store; what stood in the way, if anything.

    The old file stays.
    """
    legacy = os.path.join(places.agent_dir, "memory", handoff.HANDOFF_NAME)
    if os.path.lexists(handoff.handoff_path(places)) or not os.path.lexists(legacy):
        return ""
    try:
        _rewrite(places, lambda text: text)
    except PimemError as error:
        return f"The older handoff was not copied: {error}"
    return ""


def _rewrite(places: Places, change: Callable[[str], str]) -> None:
    """Read, change and publish the handoff under a lock of ours."""
    from ...files.lock import locked_among_ours

    path = handoff.handoff_path(places)
    lock = own_lock_path(places.state_dir, path)
    busy = f"{path} cannot be written: another process is writing it."
    with locked_among_ours(lock, busy, wait_s=_WAIT_S), explained(path):
        make_folder(places.agent_dir)
        publish(path, change(handoff.read_text(places)).encode())
