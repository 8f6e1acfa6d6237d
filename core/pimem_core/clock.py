"""The time as pimem writes it: RFC 3339 in the host's zone, without fraction."""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH = datetime.fromtimestamp(0, UTC)


def now() -> datetime:
    """This moment in the host's time zone, in UTC where that is none (`TZ=UTC+25`)."""
    return _here(datetime.now(UTC))


def at(seconds: float) -> datetime:
    """A Unix time in the host's time zone; one beyond the calendar is its nearest day."""
    try:
        return _here(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return datetime.max.replace(tzinfo=UTC) if seconds > 0 else _EPOCH


def _here(moment: datetime) -> datetime:
    try:
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        return moment


def stamp(moment: datetime) -> str:
    """Write a moment: `2026-11-15T10:20:30+00:00`."""
    return moment.isoformat(timespec="seconds")
