"""The instants that the stamps of an index mean."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_FULL = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})([+-])(\d{2}):(\d{2}))?", re.ASCII
)


def instant(text: str) -> datetime | None:
    """The instant that a stamp means, or None when it means none.

    A date alone is midnight UTC. As in JavaScript, a day up to 31 rolls over into the next month
    and 24:00:00 is the next midnight.
    """
    match = _FULL.fullmatch(text)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if not (1 <= month <= 12 and 1 <= day <= 31 and year >= 1):
        return None
    try:
        moment = datetime(year, month, 1, tzinfo=UTC) + timedelta(days=day - 1)
        if match[4] is None:
            return moment
        hour, minute, second = int(match[4]), int(match[5]), int(match[6])
        if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second)):
            return None
        offset_hours, offset_minutes = int(match[8]), int(match[9])
        if offset_hours > 23 or offset_minutes > 59:
            return None
        offset = timedelta(hours=offset_hours, minutes=offset_minutes)
        moment += timedelta(hours=hour, minutes=minute, seconds=second)
        return moment - offset if match[7] == "+" else moment + offset
    except OverflowError:
        return None


def age_days(text: str, moment: datetime) -> int | None:
    """Whole days from a stamp to a moment, or None when the stamp means no instant."""
    then = instant(text)
    return None if then is None else (moment - then) // timedelta(days=1)
