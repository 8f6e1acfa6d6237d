"""Text as a search compares it: no case, accents, width or punctuation, words apart by one space.

A folded text is UTF-8 with a space before, between and after its words. Scripts that are written
without spaces fold to one word per character, so that any part of them is found.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Stands between the parts of a folded document: a word that no text folds to.
SEAM = "\x1f"
_JOIN = f" {SEAM} "
_WIDE = re.compile(r"[^\x00-\x7f]+")
_WORD = re.compile(r"[^ ]+")
#: Small letters and digits stay, everything else of ASCII is a space.
_PLAIN = bytes(
    ord(chr(code).lower()) if code >= 0x80 or chr(code).isalnum() else 0x20 for code in range(0x80)
) + bytes(range(0x80, 0x100))
_PLAIN_ROWS = _PLAIN[:10] + b"\n" + _PLAIN[11:0x1F] + b"\x1f" + _PLAIN[0x20:]
#: Runs beyond ASCII come again and again (a dash, an accented letter); most texts have few.
_KEPT_RUNS = 20_000
_LONGEST_KEPT = 24
_folded_runs: dict[str, str] = {}
#: About how much text one step of `Spans` looks at, in characters.
_STEP = 2_000


def fold(text: str) -> bytes:
    """Fold a text: its words, with one space before, between and after."""
    words = _spaced(text).split()
    return b" %b " % b" ".join(words) if words else b" "


def fold_loosely(data: bytes) -> bytes:
    """Fold a file's bytes; in plain English the runs of spaces stay, which is much faster."""
    if data.isascii():
        return b" %b " % data.translate(_PLAIN)
    return tighten(_spaced(data.decode("utf-8", "replace")))


def tighten(loose: bytes) -> bytes:
    """Make a loosely folded text a folded one."""
    words = loose.split()
    return b" %b " % b" ".join(words) if words else b" "


def fold_rows(rows: Iterable[Sequence[str]]) -> list[bytes]:
    """Fold rows of short texts at once: each row one folded text, its parts apart by `SEAM`."""
    lines = [f" {_JOIN.join(row)} " for row in rows]
    if not lines:
        return []
    joined = "\n".join(lines)
    if joined.count("\n") != len(lines) - 1:
        joined = "\n".join([line.replace("\n", " ") for line in lines])
    folded = _without_wide(joined).encode("utf-8", "replace").translate(_PLAIN_ROWS)
    while b"  " in folded:
        folded = folded.replace(b"  ", b" ")
    return folded.split(b"\n")


def words_of(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return fold(text).decode().split()


def is_unspaced(word: str) -> bool:
    """Whether a word belongs to a script that is written without spaces."""
    if word.isascii():
        return False
    from .wide import UNSPACED_RUN

    return UNSPACED_RUN.match(word) is not None


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """The folded words of a text in order, each with its start and end in the text."""
    start = 0
    while start < len(text):
        end = _step_end(text, start)
        yield from _spans_of(text[start:end], start)
        start = end


def _spaced(text: str) -> bytes:
    return _without_wide(text).encode("utf-8", "replace").translate(_PLAIN)


def _without_wide(text: str) -> str:
    return text if text.isascii() else _WIDE.sub(_fold_match, text)


def _fold_match(found: re.Match[str]) -> str:
    run = found[0]
    folded = _folded_runs.get(run)
    if folded is None:
        from .wide import fold_wide  # its tables are large, and most texts are plain

        folded = fold_wide(run)
        if len(run) <= _LONGEST_KEPT and len(_folded_runs) < _KEPT_RUNS:
            _folded_runs[run] = folded
    return folded


def _step_end(text: str, start: int) -> int:
    """Where a step may end: at a space, so that no word is cut."""
    at = start + _STEP
    if at >= len(text):
        return len(text)
    for sign in ("\n", " "):
        found = text.find(sign, at, at + _STEP)
        # A mark after the sign would belong to it; cutting there would change nothing it folds to.
        if found >= 0:
            return found + 1
    return len(text)


def _spans_of(text: str, offset: int) -> Iterator[tuple[str, int, int]]:
    if text.isascii():
        folded = text.encode().translate(_PLAIN).decode()
        for found in _WORD.finditer(folded):
            yield found[0], offset + found.start(), offset + found.end()
        return
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    from .wide import CLUSTER

    for found in CLUSTER.finditer(text):
        cluster = found[0]
        piece = _spaced(cluster).decode()
        pieces.append(piece)
        if cluster.isascii():
            starts.extend(range(found.start(), found.end()))
            ends.extend(range(found.start() + 1, found.end() + 1))
        else:
            starts.extend([found.start()] * len(piece))
            ends.extend([found.end()] * len(piece))
    for found in _WORD.finditer("".join(pieces)):
        yield found[0], offset + starts[found.start()], offset + ends[found.end() - 1]
