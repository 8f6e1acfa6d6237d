"""The time as pimem writes it: RFC 3339 in the host's zone, without fraction."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """This moment in the host's time zone."""
    return datetime.now(UTC).astimezone()


def stamp(moment: datetime) -> str:
    """Write a moment: `2026-11-15T10:20:30+00:00`."""
    return moment.isoformat(timespec="seconds")
