"""How old a stamp is, in the few cells a list has for it."""

from __future__ import annotations

from datetime import UTC, datetime

from pimem_core.formats.text import plural

_MINUTE, _HOUR, _DAY, _MONTH = 60, 3_600, 86_400, 30.4375 * 86_400
#: Upper bound in seconds, seconds per unit, short sign and noun of each step.
_STEPS = (
    (_HOUR, _MINUTE, "m", "minute"),
    (_DAY, _HOUR, "h", "hour"),
    (14 * _DAY, _DAY, "d", "day"),
    (_MONTH, 7 * _DAY, "w", "week"),
    (24 * _MONTH, _MONTH, "mo", "month"),
    (float("inf"), 12 * _MONTH, "y", "year"),
)


def short_age(stamp: str | None, now: float) -> str:
    """The age for a column: `5h`, `2d`, `3w`, `5mo`, `2y`; empty when there is no stamp.

    Args:
        stamp: RFC 3339 or a date only, as the store has it.
        now: Unix time in seconds.
    """
    age = _age_s(stamp, now)
    if age is None or stamp is None:
        return ""
    if len(stamp) == len("2026-01-02") and age < _DAY:
        return "<1d"
    if age < _MINUTE:
        return "now"
    for bound, unit, sign, _noun in _STEPS:
        if age < bound:
            return f"{int(age // unit)}{sign}"
    return ""


def long_age(stamp: str | None, now: float) -> str:
    """The age in words, such as `2 days ago`; empty when there is no stamp."""
    age = _age_s(stamp, now)
    if age is None or stamp is None:
        return ""
    if len(stamp) == len("2026-01-02") and age < _DAY:
        return "today"
    if age < _MINUTE:
        return "just now"
    for bound, unit, _sign, noun in _STEPS:
        if age < bound:
            return f"{plural(int(age // unit), noun)} ago"
    return ""


def exact(stamp: str | None) -> str:
    """The stamp for reading: `2026-01-02 14:05:00 +01:00`."""
    if not stamp:
        return ""
    day, time, rest = stamp[:10], stamp[11:19], stamp[19:]
    return " ".join(part for part in (day, time, rest) if part)


def _age_s(stamp: str | None, now: float) -> float | None:
    if not stamp:
        return None
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # A clock that runs ahead elsewhere must not show as a negative age.
    return max(0.0, now - moment.timestamp())
