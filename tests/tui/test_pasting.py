"""A paste is text, whatever is in it and however it arrives."""

from __future__ import annotations

import pytest
from pimem_tui.keys.pasting import PasteParser
from textual import events

START, END = "\x1b[200~", "\x1b[201~"


def read(*pieces: str) -> list[str]:
    """What the parser makes of what the terminal sends: keys, and texts of pastes."""
    parser, found = PasteParser(), []
    for piece in pieces:
        for event in parser.feed(piece):
            if isinstance(event, events.Paste):
                found.append(event.text)
            elif isinstance(event, events.Key):
                found.append(event.key)
    return found


@pytest.mark.parametrize(
    "text", ["q\x1b[31m\nzz" * 40, "\x1b", "\x1b[201", "\x1b[200~x", "[201~\x1b\x1b[A", "日本\x1b"]
)
def test_escape_characters_in_a_paste_are_text(text: str) -> None:
    shown = text.replace("\x1b", "␛")
    sent = f"a{START}{text}{END}b\x1b[A"
    assert read(sent) == ["a", shown, "b", "up"]
    assert read(*sent) == ["a", shown, "b", "up"]
    assert read(sent[:3], sent[3:9], sent[9:-8], sent[-8:]) == ["a", shown, "b", "up"]


def test_pastes_follow_each_other() -> None:
    assert read(f"{START}one\x1b{END}{START}two{END}", "x") == ["one␛", "two", "x"]


def test_keys_are_read_as_before() -> None:
    assert read("\x1b[A", "q\x1b[B", "\x1bOP") == ["up", "q", "down", "f1"]
