"""Made-up stores of any size, in a home of their own."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from pimem_core.paths import Places, find_places

WORDS = Path(__file__).with_name("words.txt").read_text().split()


def make_store(root: Path, count: int, *, body_bytes: int = 4_000) -> Places:
    """A local openpi store with topics of a size, one index line each."""
    shutil.rmtree(root, ignore_errors=True)
    places = find_places({"HOME": str(root)}, cwd=str(root))
    folder = Path(places.agent_dir) / "memory"
    folder.mkdir(parents=True)
    chance = random.Random(count)
    lines = ["# Memory Index", ""]
    for number in range(count):
        name = f"{chance.choice(WORDS).title()} {chance.choice(WORDS).title()} {number}"
        file = f"{name.lower().replace(' ', '-')}.md"
        summary = " ".join(chance.choice(WORDS) for _ in range(12))[:60]
        lines.append(f"- [{name}]({file}) 2026-11-15T10:20:30+00:00 -- {summary}")
        (folder / file).write_text(_topic(chance, name, summary, body_bytes))
    (folder / "MEMORY.md").write_text("\n".join(lines))
    return places


def _topic(chance: random.Random, name: str, summary: str, size: int) -> str:
    body: list[str] = []
    length = 0
    while length < size:
        line = " ".join(chance.choice(WORDS) for _ in range(11))
        body.append(line)
        length += len(line) + 1
    head = f'---\nmetadata:\n  node_type: memory\nname: "{name}"\ndescription: "{summary}"\n---\n'
    return f"{head}\n" + "\n".join(body)[:size] + "\n"
