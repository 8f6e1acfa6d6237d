"""Copying: what goes to which clipboard, and what is said of it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pimem_tui.app import PimemApp
from pimem_tui.services import clipboard
from tui.helpers import detail, manager, notices, press, settled

if TYPE_CHECKING:
    import pytest
    from pimem_core.paths import Places


async def test_copying_says_what_was_done(demo: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    asked: list[str] = []
    monkeypatch.setattr(PimemApp, "write_to_terminal", lambda _app, text: asked.append(text))
    async with manager(demo) as pilot:
        await press(pilot, "y")
        assert "to the terminal's clipboard; not every terminal takes it" in notices(pilot)[-1]
        text = base64.b64decode(asked[0].removeprefix("\x1b]52;c;").removesuffix("\x07"))
        assert b"6543" in text
        monkeypatch.setattr(clipboard, "_by_tool", lambda _text: "xclip")
        await press(pilot, "y")
        assert notices(pilot)[-1].endswith("with xclip.")


async def test_what_the_mouse_selects_is_seen_and_copied(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    asked: list[str] = []
    monkeypatch.setattr(PimemApp, "write_to_terminal", lambda _app, text: asked.append(text))
    async with manager(demo) as pilot:
        await press(pilot, "enter")
        body = detail(pilot).body
        await pilot.mouse_down(body, offset=(body.left, 0))
        await pilot.hover(body, offset=(body.left + 6, 0))
        await pilot.mouse_up(body, offset=(body.left + 6, 0))
        await settled(pilot)
        chosen = next(s for s in body.render_line(0) if s.text.startswith("Stag"))
        assert chosen.style is not None
        assert chosen.style.color != chosen.style.bgcolor
        assert chosen.style.bgcolor != body.rich_style.bgcolor
        await press(pilot, "ctrl+c")
        said = f"Sent the selected text ({len(chosen.text)} characters) to the terminal's clipboard"
        assert notices(pilot)[-1].startswith(said)
        text = base64.b64decode(asked[0].removeprefix("\x1b]52;c;").removesuffix("\x07"))
        assert text.decode() == chosen.text
        await press(pilot, "escape", "e", "f7", "ctrl+c")
        assert notices(pilot)[-1].startswith("Sent the selected text")
        assert pilot.app.clipboard.startswith("Staging runs on port")


def test_tmux_gets_the_sequence_wrapped_and_long_texts_none() -> None:
    wrapped = clipboard.sequence("a", tmux=True)
    assert wrapped == "\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"
    assert clipboard.sequence("a" * 100_000, tmux=False) is None
