"""The number in the header: what the next prompt of a session in this folder carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.cli import main
from pimem_core.formats.text import plural
from pimem_core.formats.tokens import estimate
from pimem_core.hooks.next_prompt import given
from tui.helpers import manager, press, shown, until

if TYPE_CHECKING:
    import pytest
    from pimem_core.paths import Places


def carried(places: Places) -> int:
    parts = [part for system in given(places) for part in system.parts]
    return sum(estimate(part.text) for part in parts)


async def test_it_is_what_inject_says_in_every_store(demo: Places) -> None:
    tokens = carried(demo)
    assert tokens > 1_000
    async with manager(demo) as pilot:
        await until(pilot, lambda: f"{tokens:,} tokens per prompt" in shown(pilot))
        await press(pilot, "tab")
        assert f"{tokens:,} tokens per prompt" in shown(pilot)
        await press(pilot, "i")
        assert f"about {tokens:,} tokens" in shown(pilot)


async def test_it_follows_changes(demo: Places) -> None:
    async with manager(demo) as pilot:
        before = carried(demo)
        await press(pilot, *["down"] * 4, "r", "y")
        after = carried(demo)
        assert after < before
        await until(pilot, lambda: f"{after:,} tokens per prompt" in shown(pilot))


async def test_an_empty_store_has_its_rules(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pimem_core.paths import find_places

    places = find_places()
    assert main(["--json", "inject"], open_manager=lambda *_: 99) == 0
    tokens = json.loads(capsys.readouterr().out)["tokens"]
    assert tokens > 0
    async with manager(places) as pilot:
        await until(pilot, lambda: f"{plural(tokens, 'token')} per prompt" in shown(pilot))


async def test_what_a_limit_keeps_out_is_said(demo: Places) -> None:
    folder = Path(demo.agent_dir, "memory")
    lines = [f"- [Topic {n:05}](topic-{n:05}.md) — what it says\n" for n in range(3_000)]
    for n in range(3_000):
        (folder / f"topic-{n:05}.md").write_text("text\n")
    with (folder / "MEMORY.md").open("a", encoding="utf-8") as stream:
        stream.writelines(lines)
    dropped = sum(len(part.dropped) for one in given(demo) for part in one.parts)
    assert dropped > 1_000
    async with manager(demo, size=(120, 36)) as pilot:
        wanted = f"{carried(demo):,} tokens per prompt, {dropped:,} not sent"
        await until(pilot, lambda: wanted in shown(pilot))
