"""Text as a search compares it: no case, accents, width or punctuation, words apart by one space.

A folded text is UTF-8 with a space before, between and after its words. Scripts that are written
without spaces fold to one word per character, so that any part of them is found.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Stands between the parts of a folded document: a word that no text folds to.
SEAM = "\uffff"
#: Han, kana, Hangul, Thai, Lao, Khmer, Burmese, Tibetan: written without spaces, or with few.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u302f\u3031-\u303a\u3040-\u312f\u3131-\u318e\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
#: Accents and points that readers leave out: combining, Hebrew, Arabic.
_ACCENTS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u200c\u200d\u00ad"
)
#: What joins the character before it when a text is composed.
_JOINING = (
    _ACCENTS + "\u3099\u309a\uff9e\uff9f\u1160-\u11ff\u314f-\u3163\uffc2-\uffdc"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\ud7b0-\ud7ff"
)
_WIDE = re.compile(r"[^\x00-\x7f]+")
_ACCENT = re.compile(f"[{_ACCENTS}]+")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_CLUSTER = re.compile(rf"[\x00-\x7f]+(?![{_JOINING}])|(?s:.)[{_JOINING}]*")
_WORD = re.compile(r"[^ ]+")
#: Small letters and digits stay, everything else of ASCII is a space.
_PLAIN = bytes(
    ord(chr(code).lower()) if code >= 0x80 or chr(code).isalnum() else 0x20 for code in range(0x80)
) + bytes(range(0x80, 0x100))
_PLAIN_LINES = _PLAIN[:10] + b"\n" + _PLAIN[11:]
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


def fold_each(texts: Sequence[str]) -> list[bytes]:
    """Fold many short texts at once."""
    if not texts:
        return []
    joined = "\n".join(text.replace("\n", " ") for text in texts)
    folded = _without_wide(joined).encode("utf-8", "replace").translate(_PLAIN_LINES)
    return [tighten(line) for line in folded.split(b"\n")]


def words_of(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return fold(text).decode().split()


def is_unspaced(word: str) -> bool:
    """Whether a word belongs to a script that is written without spaces."""
    return not word.isascii() and _UNSPACED_RUN.match(word) is not None


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
        folded = _fold_wide(run)
        if len(run) <= _LONGEST_KEPT and len(_folded_runs) < _KEPT_RUNS:
            _folded_runs[run] = folded
    return folded


def _fold_wide(run: str) -> str:
    """Fold a run of characters beyond ASCII; may give letters, spaces, and ASCII in any form."""
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", run))
    bare = unicodedata.normalize("NFC", bare).casefold()
    bare = _ACCENT.sub("", bare)
    if not bare.isalnum():
        bare = "".join(
            char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in bare
        )
    return _UNSPACED_RUN.sub(_apart, bare)


def _apart(found: re.Match[str]) -> str:
    return f" {' '.join(found[0])} "


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
    for found in _CLUSTER.finditer(text):
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
