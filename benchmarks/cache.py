"""What a provider's prefix cache misses in a conversation, from the requests that pi really sent.

Twenty prompts, an index of 50 entries, 300 tokens a turn, no writes, tool schemas not counted. What
is cached of a request is its longest common prefix with the request before, in tokens.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tokens import counter, entry_lines

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from pi.harness import _text
from pi.model import FakeModel
from pi.real import Real

if TYPE_CHECKING:
    from collections.abc import Callable

PROMPTS = 20
ENTRIES = 50
TURN_TOKENS = 300
VERSION = "1.6.0"
MODES = {
    "sticky": "",
    "scheduled": '[inject]\nmode = "scheduled"\nstamps = "full"\n',
}


def rows(root: Path) -> list[tuple[str, str, str]]:
    """Uncached tokens after the first request, sticky beside the seeds' way."""
    count = counter()
    uncached = {}
    found = []
    for mode, config in MODES.items():
        requests = converse(root / mode, config, count)
        uncached[mode] = sum(
            missed(before, after, count) for before, after in pairwise(map(as_text, requests))
        )
        asked = sum(count(as_text(request)) for request in requests[1:])
        what = f"prompt tokens after the first request, {mode}: uncached of all"
        found.append((what, f"{uncached[mode]:,} of {asked:,}", "-"))
    ratio = uncached["sticky"] / uncached["scheduled"]
    return [*found, ("uncached prompt tokens, sticky to scheduled", f"{ratio:.3f}", "0.25")]


def converse(box: Path, config: str, count: Callable[[str], int]) -> list[dict[str, Any]]:
    """The requests of one conversation."""
    box.parent.mkdir(parents=True, exist_ok=True)
    temp = box.parent / "temp"
    temp.mkdir(exist_ok=True)
    os.environ.pop("PIMEM_COMMAND", None)
    with FakeModel() as model:
        pi = Real(VERSION, box, temp, model, "served")
        if config:
            pi.config(config)
        folder = pi.agent / "memory"
        folder.mkdir()
        lines = entry_lines(ENTRIES)
        (folder / "MEMORY.md").write_text("\n".join(["# Memory Index", "", *lines]))
        with pi.rpc() as rpc:
            for number in range(PROMPTS):
                model.replies = [{"text": words(f"answer {number}", TURN_TOKENS // 2, count)}]
                rpc.prompt(words(f"prompt {number}", TURN_TOKENS // 2, count))
        assert len(model.requests) == PROMPTS
        return model.requests


def words(start: str, tokens: int, count: Callable[[str], int]) -> str:
    """A text of so many tokens."""
    text = start
    while count(text) < tokens:
        text += " word"
    return text


def as_text(request: dict[str, Any]) -> str:
    """What the model reads, without the tools."""
    return "\n".join(
        json.dumps(message["role"]) + _text(message["content"]) for message in request["messages"]
    )


def missed(before: str, after: str, count: Callable[[str], int]) -> int:
    """Tokens of a request behind its longest common prefix with the one before."""
    shorter = min(len(before), len(after))
    common = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    return count(after[common:])
