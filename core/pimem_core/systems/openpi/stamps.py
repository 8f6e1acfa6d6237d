"""The instants that the stamps of an index mean.

Plain arithmetic: `datetime` refuses some of what JavaScript reads.
"""

from __future__ import annotations

from .index import STAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_DAY_S = 86_400


def instant(text: str) -> float | None:
    """The instant that a stamp means, in seconds of the epoch, or None when it means none.

    A date alone is midnight UTC, a time without an offset is UTC. As in JavaScript, a day up to 31
    rolls over into the next month and 24:00:00 is the next midnight.

    Args:
        text: A date, or a date and time of ISO 8601, as the index grammar finds them.
    """
    found = STAMP.fullmatch(text)
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    seconds: float = (_days(year, month) + day - 1) * _DAY_S
    if found[4] is None:
        return seconds
    hour, minute, second = int(found[4]), int(found[5]), int(found[6] or 0)
    fraction = float(f"0.{found[7]}") if found[7] else 0
    if hour > 24 or minute > 59 or second > 59:
        return None
    if hour == 24 and (minute or second or fraction):
        return None
    seconds += hour * 3600 + minute * 60 + second + fraction
    if found[8] is None:
        return seconds
    offset_hours, offset_minutes = int(found[9]), int(found[10] or 0)
    if offset_hours > 23 or offset_minutes > 59:
        return None
    offset = offset_hours * 3600 + offset_minutes * 60
    return seconds - offset if found[8] == "+" else seconds + offset


def _days(year: int, month: int) -> int:
    """Days from the epoch to the first of a month, by the proleptic Gregorian calendar."""
    # The year is counted from March, so that the leap day comes last.
    year -= month <= 2
    from_march = (month + 9) % 12
    leap_days = year // 4 - year // 100 + year // 400
    return year * 365 + leap_days + (153 * from_march + 2) // 5 - 719_468


def age_days(text: str, moment: datetime) -> int | None:
    """Whole days from a stamp to a moment, or None when the stamp means no instant."""
    then = instant(text)
    return None if then is None else int((moment.timestamp() - then) // _DAY_S)
