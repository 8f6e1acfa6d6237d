"""What a store hands over to be searched."""

from __future__ import annotations

from itertools import count

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model import Topic

#: Every topic that is searched has a row of its own in this process, whatever store it is of.
new_rows = count(1)


class Material(Value):
    """The topics of a store, in the order of its list, and where their files are.

    `shown` has the bytes of files that show other ones than they have.
    """

    #: Makes the topic in a place: most searches ask for a few.
    topic_at: Callable[[int], Topic]
    paths: Sequence[str]
    #: What each topic is `described` with, which is known before the topic is.
    lines: Sequence[str]
    shown: Mapping[str, bytes | None]

    @classmethod
    def of(cls, topics: Sequence[Topic], shown: Mapping[str, bytes | None]) -> Material:
        """Topics that know where their files are."""
        return cls(
            topic_at=topics.__getitem__,
            paths=[topic.path for topic in topics],
            lines=[topic.described for topic in topics],
            shown=shown,
        )
