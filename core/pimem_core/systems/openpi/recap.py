"""Retiring the session recap that older versions kept as a topic."""

from __future__ import annotations

import os

from ...errors import PimemError
from ...files.read import read_text
from .folder import TopicFolder
from .index import INDEX_NAME, entries
from .location import LOCAL, SHARED, local_folder, shared_folder
from .topic import RECAP_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...paths import Places


def retire(places: Places) -> list[str]:
    """Drop unpinned recap lines from the local, then the shared index; their files stay.

    Returns:
        What stood in the way, a sentence each; the next session tries again.
    """
    failures = []
    for name, folder in ((LOCAL, local_folder(places)), (SHARED, shared_folder(places))):
        try:
            text = read_text(os.path.join(folder, INDEX_NAME), {})
            if text is None or not any(
                entry.file == RECAP_FILE and not entry.pinned for entry in entries(text)
            ):
                continue
            from .changes import locked_only

            with locked_only(TopicFolder(name, folder, places)) as session:
                session.retire()
        except PimemError as error:
            failures.append(f"The old session recap is not retired yet: {error}")
    return failures
