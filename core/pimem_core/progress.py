"""What callers hand to work that may take long: whether to stop, and whom to report progress to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .errors import PimemError

    #: Asked between steps; True ends the work without a result.
    Cancelled = Callable[[], bool]
    #: Called with how much is done, and of how much.
    Progress = Callable[[int, int], None]
    #: Called with each file that could not be read.
    Unread = Callable[[PimemError], None]


def never() -> bool:
    """Never cancelled."""
    return False


def unwatched(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


def ignored(_error: PimemError) -> None:
    """Unreadable files that nobody asks about."""
