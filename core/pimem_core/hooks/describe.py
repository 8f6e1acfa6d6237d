"""The describe document: what a host registers."""

from __future__ import annotations

from _thread import allocate_lock
from functools import partial
from time import monotonic

from .. import __version__
from ..settings.config import load_settings
from ..settings.switch import why_off
from ..systems import registry
from .apart import Job, Outcome, ask_each
from .protocol import PROTOCOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..paths import Places
    from ..settings.config import Settings
    from ..systems.hosting import Offer
    from ..systems.system import System
    from .apart import Settle

#: How long a system may take to say what it offers, in seconds.
_OFFER_S = 1.5


class Offers:
    """What the active systems offer.

    `unused` has what systems offer that take no part yet and are not switched off. `missing` are
    those that failed or did not answer in time.
    """

    def __init__(
        self,
        by_system: Mapping[str, Offer],
        missing: Sequence[str],
        unused: Mapping[str, Offer] | None = None,
    ) -> None:
        self.by_system = by_system
        self.missing = missing
        self.unused = unused or {}

    @property
    def commands(self) -> Mapping[str, Offer]:
        """Whose commands a person can type."""
        return {**self.by_system, **self.unused}

    def document(self) -> Mapping[str, Any]:
        """Tools, commands and events of all of them."""
        tools: list[Mapping[str, Any]] = []
        commands: dict[str, Mapping[str, Any]] = {}
        events: dict[str, dict[str, Any]] = {}
        for name, offer in self.commands.items():
            tools += [{**row, "system": name} for row in offer.tools]
            for row in offer.commands:
                commands.setdefault(row["name"], {**row, "system": name})
            for row in offer.events:
                _join(events, row)
        return {
            "protocol": PROTOCOL,
            "version": __version__,
            "systems": list(self.by_system),
            "tools": tools,
            "commands": list(commands.values()),
            "events": list(events.values()),
        }


def offers(places: Places, config: Settings, busy: dict[str, LockType] | None = None) -> Offers:
    """What each active system offers, asked apart.

    Args:
        places: With the folder that they are asked about.
        config: What config.toml says.
        busy: Kept between calls, so that a system that hangs in one is not waited for again.
    """
    busy = {} if busy is None else busy
    deadline = monotonic() + _OFFER_S

    def ask(system: System, settle: Settle) -> None:
        lock = busy.setdefault(system.name, allocate_lock())
        if not lock.acquire(False):
            settle(Outcome(skipped=True))
            return
        try:
            if system.is_active(places, config):
                outcome = Outcome((True, system.hooks.offer(places)))
            elif config.systems.get(system.name) != "off":
                outcome = Outcome((False, system.hooks.offer_unused(places)))
            else:
                outcome = Outcome()
        except Exception as error:
            outcome = Outcome(error=error)
        finally:
            lock.release()
        settle(outcome)

    asked = ask_each(
        [Job(system.name, partial(ask, system), deadline) for system in registry.SYSTEMS]
    )
    missing = asked.late()
    found: dict[str, Offer] = {}
    unused: dict[str, Offer] = {}
    for system in registry.SYSTEMS:  # their order, whoever was first
        outcome = asked.outcomes.get(system.name)
        if outcome is None:
            continue
        if outcome.error is not None:
            from ..log import write_log

            write_log(places, outcome.error)
        if outcome.error is not None or outcome.skipped:
            missing.append(system.name)
        elif outcome.value is not None:
            is_active, offer = outcome.value
            (found if is_active else unused)[system.name] = offer
    return Offers(found, missing, unused)


def describe(places: Places) -> Mapping[str, Any]:
    """What a host registers: tools, commands and events of the active systems."""
    config = load_settings(places)[0]
    return (Offers({}, ()) if why_off(places, config) else offers(places, config)).document()


def _join(events: dict[str, dict[str, Any]], row: Mapping[str, Any]) -> None:
    """Several systems may want one event: all fields, and the longest deadline."""
    known = events.setdefault(row["name"], {**row, "fields": []})
    known["fields"] += [field for field in row["fields"] if field not in known["fields"]]
    known["deadline_ms"] = max(known["deadline_ms"], row["deadline_ms"])
    known["awaited"] = known["awaited"] or row["awaited"]
