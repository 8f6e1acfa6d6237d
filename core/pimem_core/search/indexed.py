"""Folded texts in an SQLite full-text index in memory, for searches again and again."""

from __future__ import annotations

import sqlite3
import threading
from itertools import islice

from .folding import SEAM
from .gathering import Gathered, Joined, Rows
from .nearby import pieces_of, similarity
from .term import INSIDE, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .query import Query
    from .term import Term

#: Words that one question to SQLite may have.
_AT_ONCE = 200
#: Topics that tell whether most have a word.
_SAMPLE = 64
#: Longer words that are looked up for one that is only inside of them.
_MOST_INSIDE = 2_000
_HIGHEST = "\U0010ffff"


class Index:
    """Which topic has which word, for topics that come and go.

    Rows are numbers that the owner chooses. Calls may come from any thread, one at a time gets in.

    Raises:
        sqlite3.OperationalError: Python's SQLite has no full-text search.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        # ascii: every character beyond ASCII belongs to a word, which is how texts are folded; so
        # does what stands between the parts of a head, which no phrase may reach over.
        self._base.execute(
            "create virtual table topics using fts5(head, body, content='', "
            f"tokenize=\"ascii tokenchars '{SEAM}'\")"
        )
        self._base.execute("create virtual table words using fts5vocab(topics, 'row')")
        self._texts: dict[int, tuple[bytes, bytes, int]] = {}
        self._size = 0
        #: The heads of all topics, and whose they are; None until they are looked through.
        self._heads: Joined | None = None
        self._head_rows: list[int] = []
        #: Every word there is on a line, and how long that was before some came twice.
        self._words: bytearray | None = None
        self._words_once = 0

    def __contains__(self, row: int) -> bool:
        return row in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def put(self, topics: Sequence[tuple[int, bytes, bytes, int]]) -> None:
        """Take in topics that are not there yet: row, folded head and body, size of the file."""
        if not topics:
            return
        values = [
            value
            for row, head, body, _size in topics
            for value in (row, head.decode(), body.decode())
        ]
        with self._lock:
            self._heads = None
            # One statement for all: between two the interpreter's lock would have to be waited for.
            places = ",".join(["(?,?,?)"] * len(topics))
            self._base.execute(f"insert into topics(rowid, head, body) values {places}", values)
            for row, head, body, size in topics:
                self._texts[row] = head, body, size
                self._size += size
                if self._words is not None:
                    self._words += b"\n".join([*head.split(), *body.split(), b""])

    def drop(self, row: int) -> None:
        """Forget a topic."""
        with self._lock:
            self._heads = None
            head, body, size = self._texts.pop(row)
            self._size -= size
            self._base.execute(
                "insert into topics(topics, rowid, head, body) values ('delete', ?, ?, ?)",
                (row, head.decode(), body.decode()),
            )

    def settle(self) -> None:
        """Make ready for words that are only inside of others; done once many topics are in."""
        with self._lock:
            self._all_words()

    def close(self) -> None:
        """Give the memory back."""
        with self._lock:
            self._base.close()

    def gather(self, query: Query) -> Gathered:
        """What a query finds in the topics that are there now."""
        with self._lock:
            alone = len(query.terms) == 1
            return Gathered(
                [self._rows_of(term, alone=alone) for term in query.terms],
                [self._phrase(phrase) for phrase in query.phrases],
                [
                    self._phrase(part) if isinstance(part, bytes) else self._whole(part)
                    for part in query.without
                ],
                self._phrase(query.literal) if query.literal else [],
                len(self._texts),
                self._size,
            )

    def _rows_of(self, term: Term, *, alone: bool) -> Rows:
        if term.row:
            whole = self._phrase(term.row)
            return Rows(whole, head=self._in_heads(term, whole))
        begun = self._begun(term.word) if term.opens else []
        whole = self._having(self._forms(term))
        if term.unfinished:
            whole = sorted({*whole, *begun}) if whole else begun
        head = self._in_heads(term, whole)
        if whole and not alone:
            return Rows(whole, head=head)
        known = set(whole)
        start = [row for row in begun if row not in known]
        if start and not alone:
            return Rows(whole, start, head=head)
        known.update(start)
        inside = self._inside(term, known) if len(known) < len(self._texts) else []
        found = Rows(whole, start, inside, head)
        if not found.any:
            found.like = self._like(term)
        return found

    def _in_heads(self, term: Term, rows: Iterable[int]) -> list[int]:
        """Those of the topics that have the whole word, or a form of it, in their heads."""
        if self._heads is None:
            self._heads = Joined([head for head, _body, _size in self._texts.values()])
            self._head_rows = list(self._texts)
        wanted, plain = set(rows), term.plain
        found = {self._head_rows[place] for place in self._heads.with_part(plain)}
        for probe in term.probes:
            for place in self._heads.with_part(probe):
                row = self._head_rows[place]
                if row not in found and is_whole(term.best_in(self._texts[row][0])):
                    found.add(row)
        return sorted(found & wanted)

    def _begun(self, word: str) -> list[int]:
        """The topics with a word that begins so."""
        part = f" {word}".encode()
        texts = self._texts.items()
        sample = [
            row
            for row, (head, body, _size) in islice(texts, _SAMPLE)
            if part in body or part in head
        ]
        if 2 * len(sample) < min(_SAMPLE, len(texts)):
            return self._match([f'"{word}" *'])
        # What is nearly everywhere is found early in each; SQLite would read all its places.
        return [row for row, (head, body, _size) in texts if part in body or part in head]

    def _whole(self, term: Term) -> list[int]:
        return self._phrase(term.row) if term.row else self._having(self._forms(term))

    def _forms(self, term: Term) -> list[str]:
        """The words there are that are the term or a form of it."""
        forms = []
        for start in term.starts:
            if term.unfinished and start.startswith(term.word):
                continue  # all that begins so is meant anyway
            known = self._base.execute(
                "select term from words where term >= ? and term < ?", (start, start + _HIGHEST)
            )
            forms += [word for (word,) in known if is_whole(term.fit(word.encode()))]
        return list(dict.fromkeys(forms))

    def _inside(self, term: Term, known: set[int]) -> list[int]:
        if term.fit(f"x{term.word}x".encode()) != INSIDE:
            return []
        words = [word for word in self._holding(term.word) if term.fit(word.encode()) == INSIDE]
        return [row for row in self._having(words[:_MOST_INSIDE]) if row not in known]

    def _holding(self, part: str) -> list[str]:
        """The words there are that hold a part."""
        return list(dict.fromkeys(_lines_with(self._all_words(), part.encode())))

    def _all_words(self) -> bytearray:
        """Every word there is on a line; later changes add theirs once more and take none away."""
        if self._words is None or len(self._words) > 2 * self._words_once:
            (words,) = self._base.execute(
                "select group_concat(term, char(10)) from words"
            ).fetchone()
            self._words = bytearray(f"\n{words or ''}\n".encode())
            self._words_once = len(self._words)
        return self._words

    def _like(self, term: Term) -> dict[str, list[int]]:
        words = {word for piece in pieces_of(term.word) for word in self._holding(piece)}
        alike = [word for word in words if similarity(term.word, word) > 0]
        found = {word: self._having([word]) for word in alike}
        return {word: rows for word, rows in found.items() if rows}  # some are of topics now gone

    def _having(self, words: Sequence[str]) -> list[int]:
        """The topics with any of some words."""
        quoted = [f'"{word}"' for word in words if word != SEAM]
        if len(quoted) <= _AT_ONCE:
            return self._match(quoted)
        rows: set[int] = set()
        for at in range(0, len(quoted), _AT_ONCE):
            rows.update(self._match(quoted[at : at + _AT_ONCE]))
        return sorted(rows)

    def _phrase(self, folded: bytes) -> list[int]:
        words = folded.decode().strip()
        ending = '"' if folded.endswith(b" ") else '" *'
        return self._match([f'"{words}{ending}']) if words else []

    def _match(self, choices: Sequence[str]) -> list[int]:
        if not choices:
            return []
        # One long text is made without the interpreter's lock, rows one by one would take it.
        (rows,) = self._base.execute(
            "select group_concat(rowid) from topics where topics match ?", (" OR ".join(choices),)
        ).fetchone()
        return list(map(int, rows.split(","))) if rows else []


def _lines_with(lines: bytearray, part: bytes) -> list[str]:
    found = []
    at = lines.find(part)
    while at >= 0:
        end = lines.find(b"\n", at)
        found.append(lines[lines.rfind(b"\n", 0, at) + 1 : end].decode())
        at = lines.find(part, end)
    return found
