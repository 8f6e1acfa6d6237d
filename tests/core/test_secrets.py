"""Credentials are recognised by shape, named by rule and line, and never shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from pimem_core import secrets
from pimem_core.errors import SecretError

if TYPE_CHECKING:
    from pathlib import Path

    from pimem_core.paths import Places

# Made up, and put together here so that no scanner finds them in this file.
KEYS = {
    "github": "ghp_" + "Ab1" * 12,
    "github fine": "github_pat_" + "Ab1" * 10,
    "gitlab": "glpat-" + "Ab1_" * 6,
    "npm": "//registry.example.org/:_authToken=npm_" + "Ab1" * 12,
    "npm legacy": "//registry.example.org/:_authToken=" + "1234567-8" * 4,
    "exported": "export GH_TOKEN=ghp_" + "Zy9" * 12,
    "anthropic": "sk-ant-" + "api03-" + "Ab1_" * 8,
    "openai": "sk-proj-" + "Ab1_" * 8,
    "google": "AIza" + "Ab1_-" * 7,
    "hugging face": "hf_" + "Ab1" * 12,
    "slack": "xoxb-" + "123456789012-" + "Ab1" * 8,
    "aws": "AKIA" + "QZ7N4K2M" * 2,
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "age": "AGE-SECRET-KEY-1" + "Q9" * 29,
    "url": "https://someone:" + "hunter2x" + "@example.org/x",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
    + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
}
HONEST = [
    "The password is in the vault, ask Kim.",
    "token: see 1Password",
    "ghp_" + "x" * 36,
    "sk-ant-" + "." * 30,
    "glpat-" + "x" * 20,
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "https://example.org/a/b?c=d",
    "user@example.org",
    "sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    "export PATH=/usr/bin",
    "日本語 — メモ",
]


@pytest.mark.parametrize("value", KEYS.values(), ids=KEYS)
def test_credentials_are_found_with_their_line(places: Places, value: str) -> None:
    found = secrets.find(f"one\ntwo\n  {value}\n")
    assert [secret.line for secret in found] == [3]
    with pytest.raises(SecretError) as caught:
        secrets.refuse(places, f"one\n{value}")
    assert "Line 2" in str(caught.value)
    assert value not in str(caught.value)
    secrets.refuse(places, f"one\n{value}", known=f"{value}\nx")
    with pytest.raises(SecretError, match=r"^The title looks like .*; nothing"):
        secrets.refuse(places, "one", beside={"summary": "s", "title": value})


@pytest.mark.parametrize("text", HONEST)
def test_honest_notes_pass(text: str) -> None:
    assert secrets.find(text) == []


@pytest.mark.parametrize(
    "piece",
    ["/", "a", "-", " ", "'", "://a:", "aws key ", "eyJ.", "xox", "AC", "gl", "_authToken="],
)
def test_a_long_line_takes_no_time(piece: str) -> None:
    start = time.process_time()
    secrets.find(piece * (200_000 // len(piece)))
    assert time.process_time() - start < 5


def test_a_person_can_add_shapes_and_allow_values(places: Places, isolated_home: Path) -> None:
    folder = isolated_home / ".config/pimem"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        "[secrets]\nextra = ['m0-[A-Za-z0-9]{40}']\nallowed = ['^ghp_Test']\n"
    )
    with pytest.raises(SecretError):
        secrets.refuse(places, "m0-" + "a1B2" * 10)
    secrets.refuse(places, "ghp_Test" + "Ab1" * 10)
