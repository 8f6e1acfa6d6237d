"""Changing one key of config.toml and no other byte of it."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ConfigError, InvalidArgumentError, StorageError
from pimem_core.settings.config import requirement, setting_rows, settings_path
from pimem_core.settings.editing import change_setting, with_key

if TYPE_CHECKING:
    from typing import Any

    from pimem_core.paths import Places


@pytest.mark.parametrize(
    ("text", "key", "value", "expected"),
    [
        ("", "theme", "dark", 'theme = "dark"\n'),
        ("", "undo.max_mb", 5, "[undo]\nmax_mb = 5\n"),
        ("theme = 'x'   # why\n", "theme", "light", 'theme = "light"   # why\n'),
        (
            "# mine\n\n# on prompts\n[inject]\nmode = 'auto'\n",
            "theme",
            "dark",
            "theme = \"dark\"\n\n# mine\n\n# on prompts\n[inject]\nmode = 'auto'\n",
        ),
        ("a = 1\n# b\n\n[c]\n", "theme", "dark", 'a = 1\ntheme = "dark"\n# b\n\n[c]\n'),
        ("a = 1", "theme", "dark", 'a = 1\ntheme = "dark"\n'),
        ("a = 1\r\n[c]\r\n", "theme", "dark", 'a = 1\r\ntheme = "dark"\r\n[c]\r\n'),
        ("a = [\n [1],\n]\n", "theme", "dark", 'a = [\n [1],\n]\ntheme = "dark"\n'),
        (
            "[inject] # i\nmode = 'auto' # m\nlater = 1\n",
            "inject.mode",
            "sticky",
            '[inject] # i\nmode = "sticky" # m\nlater = 1\n',
        ),
        ("inject.mode = 'auto'\n", "inject.mode", "sticky", 'inject.mode = "sticky"\n'),
        ("inject = {mode = 'auto'}\n", "inject.mode", "sticky", 'inject = {mode = "sticky"}\n'),
        (
            "[secrets]\nextra = [\n  'a', # first\n  'b',\n]\n",
            "secrets.extra",
            ["a", "c", "d"],
            '[secrets]\nextra = [\n  \'a\', # first\n  "c",\n  "d",\n]\n',
        ),
        (
            "[secrets]\nextra = [\n  'a', # first\n  'b', # second\n]\n",
            "secrets.extra",
            ["b"],
            None,
        ),
    ],
)
def test_one_key_changes(text: str, key: str, value: Any, expected: str | None) -> None:
    made = with_key(text, key, value, "config.toml")
    if expected is not None:
        assert made == expected
    found: Any = tomllib.loads(made)
    for part in key.split("."):
        found = found[part]
    assert found == value


def test_the_file_is_made_and_keeps_its_rights_and_its_link(places: Places) -> None:
    path = Path(settings_path(places))
    change_setting(places, "theme", "dark")
    assert path.read_text() == 'theme = "dark"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    real = path.with_name("dotfiles.toml")
    path.rename(real)
    real.chmod(0o640)
    path.symlink_to(real)
    change_setting(places, "theme", "light")
    assert path.is_symlink()
    assert real.read_text() == 'theme = "light"\n'
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_cannot_be_used_is_refused(places: Places) -> None:
    for key, value, words in (
        ("undo.max_mb", -1, "undo.max_mb must be a number, 0 or more."),
        ("systems.zcode", "maybe", "systems.zcode must be auto, on or off."),
        ("secrets.extra", ["("], "secrets.extra must be a list of regular expressions."),
        ("layered.workspace_dir", "../x", "must be a path inside the project."),
        ("nonsense", 1, "must be one of the known keys"),
    ):
        with pytest.raises(InvalidArgumentError) as refused:
            change_setting(places, key, value)
        assert words in str(refused.value)
    assert not os.path.exists(settings_path(places))


def test_a_broken_file_is_named_with_its_place_and_stays(places: Places) -> None:
    path = Path(settings_path(places))
    path.parent.mkdir(parents=True)
    path.write_text("a = 1\nb = = 2\n")
    with pytest.raises(ConfigError, match=r"line 2, column 5.*nothing was changed"):
        change_setting(places, "theme", "dark")
    path.write_text("theme = 1\ninject = 3\n")
    with pytest.raises(StorageError, match="by hand"):
        change_setting(places, "inject.mode", "auto")
    assert path.read_text() == "theme = 1\ninject = 3\n"


def test_every_known_key_says_what_it_takes(places: Places) -> None:
    for row in setting_rows(places):
        assert row.kind in ("choice", "number", "text", "texts"), row
        assert requirement(row.key, object()) is not None
        assert (row.kind == "choice") == bool(row.choices)
