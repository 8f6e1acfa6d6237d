"""The instants that the stamps of an index mean.

Plain arithmetic: `datetime` refuses what JavaScript reads, and loading it costs every prompt.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_DAY_S = 86_400


def instant(text: str) -> int | None:
    """The instant that a stamp means, in seconds of the epoch, or None when it means none.

    A date alone is midnight UTC. As in JavaScript, a day up to 31 rolls over into the next month
    and 24:00:00 is the next midnight.

    Args:
        text: A date, or a date and time with offset, as the index grammar finds them.
    """
    if not text.isascii():
        return None
    try:
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return None
        seconds = (_days(year, month) + day - 1) * _DAY_S
        if len(text) == len("2026-11-15"):
            return seconds
        hour, minute, second = int(text[11:13]), int(text[14:16]), int(text[17:19])
        offset_hours, offset_minutes = int(text[20:22]), int(text[23:25])
    except ValueError:
        return None
    if hour > 24 or minute > 59 or second > 59 or (hour == 24 and (minute or second)):
        return None
    if offset_hours > 23 or offset_minutes > 59:
        return None
    offset = offset_hours * 3600 + offset_minutes * 60
    seconds += hour * 3600 + minute * 60 + second
    return seconds - offset if text[19] == "+" else seconds + offset


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
