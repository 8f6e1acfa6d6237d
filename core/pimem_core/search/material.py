"""What a store hands over to be searched."""

from __future__ import annotations

from itertools import count

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..model import Topic

#: Every topic that is searched has a row of its own in this process, whatever store it is of.
new_rows = count(1)


class Material(Value):
    """The topics of a store, in the order of its list, and where their files are.

    `subjects` have name, file, summary, stamp and pinned; `topic_of` makes the topic of one.
    `shown` has the bytes of files that show other ones than they have.
    """

    subjects: Sequence[Any]
    paths: Sequence[str]
    shown: Mapping[str, bytes | None]
    topic_of: Callable[[Any], Topic]
