"""Text rules that the memory files share with the JavaScript programs writing them."""

from __future__ import annotations

import json
import re

# The ECMAScript white space and line terminator set. `str.strip()` would add U+001C to U+001F and
# U+0085 and miss U+FEFF, so the set is written out.
SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_SPACES = re.compile(f"[{SPACE}]+")

_BIDI_AND_ZERO_WIDTH = (
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
    0x00AD,
    0x034F,
    0x061C,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180E,
    0x2028,
    0x2029,
    0x3164,
    0xFEFF,
    0xFFA0,
)
_SIGN = "\u2426"
_VISIBLE = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), _SIGN),
    **dict.fromkeys(_BIDI_AND_ZERO_WIDTH, _SIGN),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
_VISIBLE_LINES = {code: sign for code, sign in _VISIBLE.items() if chr(code) not in "\t\n"}
_VISIBLE_CELL = _VISIBLE | {0x09: " ", 0x0A: " "}


def trim(text: str) -> str:
    """Drop white space, as JavaScript counts it, from both ends."""
    return text.strip(SPACE)


def one_line(text: str) -> str:
    """Turn each run of white space into one space and drop it at both ends."""
    return trim(_SPACES.sub(" ", text))


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
    return json.dumps(text, ensure_ascii=False)


def encode(text: str) -> bytes:
    """Encode a text as UTF-8; a lone surrogate becomes U+FFFD, as in the programs we share with."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def visible(text: str) -> str:
    """Draw control, bidi and zero-width characters as signs; tabs and line ends stay."""
    return text.replace("\r\n", "\n").translate(_VISIBLE_LINES)


def visible_cell(text: str) -> str:
    """The same for one line of a table: tabs and line ends become spaces."""
    return text.replace("\r\n", "\n").translate(_VISIBLE_CELL)


def plural(count: int, noun: str) -> str:
    """Say a count with its noun, such as `1 topic` or `12 topics`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{count:,} {noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}s"
