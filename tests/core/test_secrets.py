"""Credentials are recognised by shape, named by rule and line, and never shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pimem_core import secrets
from pimem_core.errors import SecretError
from pimem_core.secret_rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
HEX, MIXED = "9f86d081884c7d65", "aB3dE6gH9jK2mN5p"
VENDORS = {
    "openai service": "sk-svcacct-" + MIXED * 3,
    "openai legacy": "sk-" + "aB3dE6gH9jK2mN5pQ8rS" + "T3Blbk" + "FJ" + "tU1vW4xY7zA0bC3dE6fG",
    "openrouter": "sk-or-" + "v1-" + HEX * 4,
    "deepseek": "sk-" + HEX * 2,
    "groq": "gsk_" + MIXED * 3 + "aB3d",
    "xai": "xai-" + MIXED * 5,
    "replicate": "r8_" + MIXED * 2 + "aB3dE",
    "perplexity": "pplx-" + MIXED * 3,
    "nvidia": "nvapi-" + MIXED * 4,
    "langsmith": "lsv2_pt_" + HEX * 2 + "_" + HEX[:10],
    "elevenlabs": "sk_" + HEX * 3,
    "vault": "hvs." + "CAESI" + MIXED * 4,
    "databricks": "dapi" + HEX * 2,
    "digitalocean": "dop_v1_" + HEX * 4,
    "docker": "dckr_pat_" + MIXED + "aB3dE6gH9jK",
    "shopify": "shpat_" + HEX * 2,
    "linear": "lin_api_" + MIXED * 2 + "aB3dE6gH",
    "supabase": "sbp_" + HEX * 2 + HEX[:8],
    "terraform": MIXED[:14] + ".atlasv1." + MIXED * 4,
    "aws unquoted": "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzzQQ11aa22",
    "aws exported": "export AWS_SECRET_ACCESS_KEY=" + "aB3dE6gH9jK2mN5pQ8rS" * 2,
    "aws in prose": "the aws secret is `" + "aB3dE6gH9jK2mN5pQ8rS" * 2 + "`",
    "bearer": "Authorization: Bearer " + MIXED * 2,
    "bearer in a command": "curl -H 'authorization: bearer " + HEX * 2 + "' x",
    "stripe": "sk_live_" + MIXED * 2,
    "notion": "ntn_" + "12345678901" + MIXED * 2 + "aB3",
    "airtable": "pat" + MIXED[:14] + "." + HEX * 4,
    "slack app": "xapp-1-A0123-" + HEX,
    "google oauth": "GOCSPX-" + MIXED + "aB3dE6gH9jK2",
    "atlassian": "ATATT3" + "xFfGF0" + MIXED * 4,
    "grafana": "glsa_" + MIXED * 2 + "_" + HEX[:8],
    "key text behind its header": "-----BEGIN " + "PRIVATE KEY-----\\n" + MIXED * 2,
    "quoted header": '> "-----BEGIN OPENSSH ' + 'PRIVATE KEY-----"',
    "database": "postgres://app:" + "S3cr3t-x9" + "@localhost:5432/db",
    "long line": "x" * 3000 + " ghp_" + "Ab1" * 12 + " " + "y" * 3000,
}
HONEST = [
    "AKIAIOSFODNN7" + "EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "https://user:pass@example.com/path",
    "user:pass@example.com",
    "postgres://user:password@localhost/db",
    "mysql://root:${DB_PASSWORD}@db/x",
    "redis://:<your-password>@host",
    "https://user:your-token-here@git.example.com",
    "sk-ant-your-key-here",
    "sk-ant-api03-your-key-goes-here-1234567890",
    "OPENAI_API_KEY=sk-proj-replace-with-your-own-key-1",
    "A file that begins with -----BEGIN RSA PRIVATE KEY----- is refused.",
    "grep -r 'BEGIN RSA PRIVATE KEY' .",
    "`-----BEGIN OPENSSH PRIVATE KEY-----` opens every such file",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n<key>\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
    "Authorization: Bearer $TOKEN",
    "a bearer authentication-scheme-of-2024-and-later",
    "Bearer <token>",
    "the bearer of this letter is honest",
    "lin_api_keys are made on the settings page",
    "hvs.tokens and dapi calls, shpat_ and sbp_ prefixes",
    "secret key: see the vault",
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


@pytest.mark.parametrize("value", [*KEYS.values(), *VENDORS.values()], ids=[*KEYS, *VENDORS])
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
    ["/", "a", "-", " ", "'", "://a:", "aws key ", "eyJ.", "xox", "AC", "gl", "_authToken=",
     "sk-", "eyJ", "-----BEGIN ", "bearer ", "aws secret "],
)  # fmt: skip
def test_the_rules_look_at_each_character_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """Whatever a rule does, it does with pieces of one size; their number grows with the text."""
    looked: list[int] = []
    look = secrets._in_piece

    def counted(text: str, extra: Sequence[str]) -> Iterator[tuple[str, str]]:
        looked.append(len(text))
        return look(text, extra)

    monkeypatch.setattr(secrets, "_in_piece", counted)
    text = piece * (60_000 // len(piece))
    secrets.find(text)
    assert max(looked) <= 1024
    assert sum(looked) <= 2 * len(text) + 1024


def test_no_rule_reaches_further_than_a_piece() -> None:
    for name, (marks, pattern) in RULES.items():
        assert marks, name
        for parsed in _unbounded(pattern):
            raise AssertionError(f"{name} repeats {parsed} without end")


def _unbounded(pattern: str) -> list[str]:
    """Repetitions without an end, but for possessive ones: those are never tried again."""
    return re.findall(
        r"(?<!\\)[*+](?!\+)(?![^\[]*\])|\{\d+,\}(?!\+)", re.sub(r"[*}+]\+", "", pattern)
    )


def test_a_person_can_add_shapes_and_allow_values(places: Places, isolated_home: Path) -> None:
    folder = isolated_home / ".config/pimem"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        "[secrets]\nextra = ['m0-[A-Za-z0-9]{40}']\nallowed = ['^ghp_Test']\n"
    )
    with pytest.raises(SecretError):
        secrets.refuse(places, "m0-" + "a1B2" * 10)
    secrets.refuse(places, "ghp_Test" + "Ab1" * 10)
