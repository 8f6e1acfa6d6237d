"""Text rules that the memory files share with the JavaScript programs writing them."""

from __future__ import annotations

import re

# The ECMAScript white space and line terminator set. `str.strip()` would add U+001C to U+001F and
# U+0085 and miss U+FEFF, so the set is written out.
SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
#: One of them, as a regular expression. A class of them all takes six times as long to compile,
#: which a hook would pay on every prompt.
SPACE_PATTERN = r"(?:(?![\x1c-\x1f\x85])\s|\ufeff)"
_SIGN = "\u2426"
_BIDI_AND_ZERO_WIDTH = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_tables: dict[str, dict[int, str]] = {}


def trim(text: str) -> str:
    """Drop white space, as JavaScript counts it, from both ends."""
    return text.strip(SPACE)


def one_line(text: str) -> str:
    """Turn each run of white space into one space and drop it at both ends."""
    return trim(re.sub(f"{SPACE_PATTERN}+", " ", text))


def cut_utf16(text: str, units: int) -> str:
    """Keep at most `units` UTF-16 code units, cutting before a character, never inside it."""
    if len(text) <= units // 2:
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) <= 2 * units:
        return text
    return encoded[: 2 * units].decode("utf-16-le", "ignore")


def quote(text: str) -> str:
    """Quote a text as a JSON string, which is also a YAML double-quoted scalar."""
    import json  # reading a list of topics needs none

    return json.dumps(text, ensure_ascii=False)


def encode(text: str) -> bytes:
    """Encode a text as UTF-8; a lone surrogate becomes U+FFFD, as in the programs we share with."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _signs(**kept: str) -> dict[int, str]:
    """What is drawn for each character that a terminal must not get."""
    signs = {code: chr(0x2400 + code) for code in range(0x20)}
    signs[0x7F] = "\u2421"
    signs.update(dict.fromkeys(range(0x80, 0xA0), _SIGN))
    for first, last in _BIDI_AND_ZERO_WIDTH:
        signs.update(dict.fromkeys(range(first, last + 1), _SIGN))
    signs.update(dict.fromkeys(range(0xD800, 0xE000), "\ufffd"))
    signs.update({0x09: kept["tab"], 0x0A: kept["line"]})
    return signs


def _drawn(text: str, **kept: str) -> str:
    if text.isprintable() and text.isascii():
        return text
    # 6,000 characters have a sign; the table is made when the first unusual text comes.
    signs = _tables.setdefault(kept["line"], {})
    if not signs:
        signs.update(_signs(**kept))
    return text.replace("\r\n", "\n").translate(signs)


def visible(text: str) -> str:
    """Draw control, bidi and zero-width characters as signs; tabs and line ends stay."""
    return _drawn(text, tab="\t", line="\n")


def visible_cell(text: str) -> str:
    """The same for one line of a table: tabs and line ends become spaces."""
    return _drawn(text, tab=" ", line=" ")


def plural(count: int, noun: str) -> str:
    """Say a count with its noun, such as `1 topic` or `12 topics`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{count:,} {noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}s"
