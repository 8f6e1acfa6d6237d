"""How layered memory looks in the manager."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from tui.helpers import NOW
from tui.test_sizes import LARGE, NORMAL, SMALL, after

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places

    Compare = Callable[..., bool]


@pytest.mark.parametrize("size", [LARGE, NORMAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("tree", ["x", "down"]),
        ("inbox", ["b", "down", "down", "space"]),
        ("promotion", ["b", "p", *"space/dec", "enter"]),
        ("new_entry", ["n", *"pgvector", "f5", *"chroma", "enter"]),
        ("choice", ["x", "down", "R"]),
    ],
)
def test_pictures(
    demo: Places, snap_compare: Compare, name: str, keys: list[str], size: tuple[int, int]
) -> None:
    app = PimemApp(registry.all_stores(demo), demo, start=3, now=lambda: NOW)
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


@pytest.mark.parametrize("keys", [["x", "down"], ["b", "p", *"space/dec", "enter"]])
def test_pictures_without_colour(
    demo: Places, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, keys: list[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = PimemApp(registry.all_stores(demo), demo, start=3, now=lambda: NOW)
    assert snap_compare(app, terminal_size=LARGE, run_before=after(*keys))
