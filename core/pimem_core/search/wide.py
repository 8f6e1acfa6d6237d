"""Folding beyond ASCII: accents, width, composition, scripts without spaces."""

from __future__ import annotations

import re
import unicodedata

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
_ACCENT = re.compile(f"[{_ACCENTS}]+")
UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
#: A character and what joins it, or plain characters that nothing joins.
CLUSTER = re.compile(rf"[\x00-\x7f]+(?![{_JOINING}])|(?s:.)[{_JOINING}]*")


def fold_wide(run: str) -> str:
    """Fold a run of characters beyond ASCII; may give letters, spaces, and ASCII in any form."""
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", run))
    bare = unicodedata.normalize("NFC", bare).casefold()
    bare = _ACCENT.sub("", bare)
    if not bare.isalnum():
        bare = "".join(
            char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in bare
        )
    return UNSPACED_RUN.sub(_apart, bare)


def _apart(found: re.Match[str]) -> str:
    return f" {' '.join(found[0])} "
