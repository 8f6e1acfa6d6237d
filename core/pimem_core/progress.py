"""What callers hand to work that may take long: whether to stop, and whom to report progress to."""

from __future__ import annotations

from _thread import _local

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


class CancelledError(Exception):
    """Whoever asked for a change gave up before anything of it was published."""


class _Asked(_local):
    """For whom this thread works; `cancelled` is None when nobody can give up."""

    cancelled: Cancelled | None = None


_asked = _Asked()


class Cancellable:
    """Has changes that this thread makes in the block end when they are cancelled.

    They look while they wait for a lock and right before they publish. What is published stays:
    from then on nothing in the block looks any more.
    """

    def __init__(self, cancelled: Cancelled) -> None:
        self._cancelled = cancelled

    def __enter__(self) -> None:
        _asked.cancelled = self._cancelled

    def __exit__(self, *_error: object) -> None:
        _asked.cancelled = None


def is_cancelled() -> bool:
    """Whether what this thread works at was cancelled."""
    return _asked.cancelled is not None and _asked.cancelled()


def refuse_cancelled() -> None:
    """End a change that nobody wants any more.

    Raises:
        CancelledError: It was cancelled.
    """
    if is_cancelled():
        raise CancelledError


def keep_published() -> None:
    """Say that this thread is about to publish: the change is made now, cancelled or not."""
    _asked.cancelled = None


def never() -> bool:
    """Never cancelled."""
    return False


def unwatched(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


def ignored(_error: PimemError) -> None:
    """Unreadable files that nobody asks about."""
