"""A store of facts as a reader sees it: the index and the files, looked at once."""

from __future__ import annotations

import unicodedata

from .index import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .facts import Fact
    from .index import Entry


class View:
    """A store as a reader sees it: the index and the facts.

    A change that a kill left unfinished shows as not made: `shown` has the contents that count
    instead of the disk's.
    """

    def __init__(
        self,
        text: str | None,
        found: Mapping[str, Fact],
        shown: Mapping[str, bytes | None],
    ) -> None:
        self.text = text
        self.facts = found
        self.shown = shown
        self.entries = entries(text or "")
        self._same: dict[str, str] | None = None

    def link_to(self, file: str) -> str:
        """How the index names a fact's file: an accent may be written in another way."""
        for entry in self.entries:
            fact = self.fact_of(entry)
            if fact is not None and fact.file == file:
                return entry.file
        return file

    def fact_of(self, entry: Entry) -> Fact | None:
        """The fact that a link of the index means."""
        fact = self.facts.get(entry.file)
        if fact is not None:
            return fact
        if self._same is None:
            # One system writes an accent as a character of its own, another does not.
            self._same = {unicodedata.normalize("NFC", file): file for file in self.facts}
        return self.facts.get(self._same.get(unicodedata.normalize("NFC", entry.file), ""))


def entry_of(text: str, file: str) -> Entry | None:
    """What an index says of a fact's file; an accent may be written in another way there."""
    plain = unicodedata.normalize("NFC", file)
    return next(
        (entry for entry in entries(text) if unicodedata.normalize("NFC", entry.file) == plain),
        None,
    )
