"""memory.jsonc, config.toml and the JSON with comments that the first is written in."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.errors import InvalidArgumentError
from pimem_core.formats import jsonc
from pimem_core.settings.config import Settings, load_settings, setting_rows, settings_path
from pimem_core.systems.openpi import config

if TYPE_CHECKING:
    from pimem_core.paths import Places

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(st.sampled_from('a"\\/*,]}\n{'), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
FILLER = st.sampled_from([" ", "\n", "// c, ]\n", "/* c */", "/* a */ /* , } */", "\t", "//\n"])


@st.composite
def commented(draw: st.DrawFn) -> tuple[str, Any]:
    """A value, and a text of it with comments and trailing commas between its tokens."""
    value = draw(JSON)
    tokens: list[str] = []

    def put(item: Any) -> None:
        if isinstance(item, list) and item:
            tokens.append("[")
            for part in item:
                put(part)
                tokens.append(",")
            if draw(st.booleans()):
                tokens.pop()
            tokens.append("]")
        elif isinstance(item, dict) and item:
            tokens.append("{")
            for key, part in item.items():
                tokens.extend((json.dumps(key), ":"))
                put(part)
                tokens.append(",")
            if draw(st.booleans()):
                tokens.pop()
            tokens.append("}")
        else:
            tokens.append(json.dumps(item))

    put(value)
    return "".join(draw(FILLER) + token for token in tokens) + draw(FILLER), value


@given(commented())
def test_comments_and_trailing_commas_change_no_value(made: tuple[str, Any]) -> None:
    text, value = made
    assert jsonc.parse(text) == value
    assert jsonc.parse("\ufeff" + text) == value


@given(commented(), st.sampled_from(["oops", "'x'", "#", "NaN", "-Infinity", "0x10"]))
def test_an_error_is_where_the_file_has_it(made: tuple[str, Any], bad: str) -> None:
    text = f'{{"NaN -Infinity": {made[0]},\n  "b": {bad}'
    with pytest.raises(json.JSONDecodeError) as caught:
        jsonc.parse(text)
    offset = text.rindex(bad)
    # A number that goes wrong after its first digit is found at the next one.
    assert (
        offset
        <= sum(len(line) + 1 for line in text.split("\n")[: caught.value.lineno - 1])
        + (caught.value.colno - 1)
        <= offset + len(bad)
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1,, "b": 2}', "/* open", '"open', "[" * 100_000, "1" * 5_000, "{'a': 1}",
     '{"a":\u00a01}', "[1 2]", "{]", "\x00", '{"a": "line\nbreak"}'],
)  # fmt: skip
def test_anything_else_is_an_error_with_a_place(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        jsonc.parse(text)


def test_a_line_of_slashes_takes_no_time() -> None:
    text = '{"a": [1, ' + "/" * 5_000 + "\n" + "/**/" * 5_000 + "2, //" * 2_000 + "\n3]}"
    assert jsonc.parse(text) == {"a": [1, 2, 3]}


def memory_jsonc(places: Places, text: str | bytes) -> str:
    path = config.config_path(places)
    os.makedirs(places.agent_dir, exist_ok=True)
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("key", "written", "holds"),
    [
        ("max_lines", 10, 50),
        ("max_lines", 5_000, 1000),
        ("max_lines", 99.5, 99.5),
        ("max_lines", "100", 300),
        ("max_lines", True, 300),
        ("stale_after_days", -1, 0),
        ("stale_after_days", 0, 0),
        ("inject_every_n_turns", 0, 1),
        ("handoff_keep", -3, 0),
        ("handoff_keep", None, 3),
        ("shared_dir", 1, False),
        ("shared_dir", "true", False),
        ("always_ask", "x", ()),
        ("always_ask", [1, "x", None], (1, "x", None)),
    ],
)
def test_values_are_clamped_and_wrong_types_are_defaults(
    places: Places, key: str, written: Any, holds: Any
) -> None:
    memory_jsonc(places, json.dumps({key: written}))
    found, error = config.load(places)
    assert error is None
    assert getattr(found, key) == holds
    row = next(row for row in config.settings(places) if row.key == key)
    assert ("not usable" in row.source) == (
        json.dumps(written) != json.dumps(list(holds) if isinstance(holds, tuple) else holds)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"shared_dir": true, \xff}', "not UTF-8 at byte 21"),
        ("null", "line 1, column 1"),
        ('{\n  "max_lines": 1\n  "b": 2}', "line 3, column 3"),
        ("1" * 5_000, "too long"),
        ("[" * 100_000, "nested"),
    ],
)
def test_a_broken_file_is_told_and_defaults_without_rules_hold(
    places: Places, text: str | bytes, said: str
) -> None:
    path = memory_jsonc(places, text)
    found, error = config.load(places)
    assert found == config.Config()
    assert path in str(error)
    assert said in str(error)
    rows = config.settings(places)
    assert [row.key for row in rows] == list(config.KEYS)
    assert {row.source for row in rows} == {"default"}


@pytest.mark.parametrize("text", ["[]", '"text"', "7", "{}"])
def test_other_json_means_defaults(places: Places, text: str) -> None:
    memory_jsonc(places, text)
    assert config.load(places) == (config.Config(), None)


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling"])
def test_a_configuration_that_is_no_file_is_told_and_never_hangs(places: Places, kind: str) -> None:
    path = config.config_path(places)
    os.makedirs(places.agent_dir)
    if kind == "folder":
        os.mkdir(path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.symlink("/nowhere/at/all", path)
    found, error = config.load(places)
    assert found == config.Config()
    assert error is not None
    assert path in str(error)
    config.bootstrap(places)


def test_a_linked_configuration_is_read(places: Places) -> None:
    path = memory_jsonc(places, '{"max_lines": 77}')
    os.rename(path, path + ".real")
    os.symlink(path + ".real", path)
    assert config.load(places)[0].max_lines == 77


def test_unknown_keys_are_told_and_the_last_of_two_counts(places: Places) -> None:
    memory_jsonc(places, '{"max_lines": 60, "max_lines": 70, "later": {"x": 1}}')
    rows = {row.key: row for row in config.settings(places)}
    assert rows["max_lines"].value == 70
    assert rows["later"].value == {"x": 1}
    assert "unknown key" in rows["later"].source


def test_the_older_rules_file_is_read_and_carried_over_once(places: Places) -> None:
    legacy = os.path.join(places.agent_dir, "memory", "RULES.jsonc")
    os.makedirs(os.path.dirname(legacy))
    with open(legacy, "w", encoding="utf-8") as file:
        file.write('{"max_lines": 88}')
    assert config.load(places)[0].max_lines == 88
    assert not os.path.exists(config.config_path(places))
    config.bootstrap(places)
    with open(config.config_path(places), encoding="utf-8") as file:
        assert file.read() == '{"max_lines": 88}'
    assert os.path.exists(legacy + ".bak")
    assert os.path.exists(legacy)


def test_the_default_configuration_is_private_and_explains_every_key(places: Places) -> None:
    config.bootstrap(places)
    path = config.config_path(places)
    assert os.stat(path).st_mode & 0o777 == 0o600
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert config.load(places)[1] is None
    for key in config.KEYS:
        before = text.split(f'  "{key}"', 1)[0].rstrip().rsplit("\n", 1)[-1]
        assert before.strip().startswith("//"), key


def config_toml(places: Places, text: str) -> None:
    os.makedirs(places.config_dir, exist_ok=True)
    with open(settings_path(places), "w", encoding="utf-8") as file:
        file.write(text)


def test_own_settings_are_told_with_their_source(places: Places) -> None:
    config_toml(places, 'theme = 7\n[secrets]\nextra = ["m0-[a-z]{40}"]\n[later]\nx = 1\n')
    rows = {row.key: row for row in setting_rows(places)}
    assert rows["secrets.extra"].value == ["m0-[a-z]{40}"]
    assert "not usable" in rows["theme"].source
    assert "unknown key" in rows["later.x"].source


def test_a_broken_pattern_is_told_and_left_out_alone(places: Places) -> None:
    config_toml(places, '[secrets]\nextra = ["(", "m0-[a-z]{40}"]\n')
    found, error = load_settings(places)
    assert found.secrets_extra == ("m0-[a-z]{40}",)
    assert "secrets.extra" in str(error)
    rows = {row.key: row.value for row in setting_rows(places)}
    assert rows["secrets.extra"] == ["m0-[a-z]{40}"]


def test_broken_own_settings_name_line_and_column(places: Places) -> None:
    unset = setting_rows(places)
    config_toml(places, "theme = \n")
    found, error = load_settings(places)
    assert found == Settings()
    assert "line 1" in str(error)
    assert setting_rows(places) == unset


def test_no_infinity_gets_into_a_file_that_has_none(places: Places) -> None:
    for value in (float("inf"), float("nan")):
        with pytest.raises(InvalidArgumentError, match="a number, 0 or more"):
            config.change(places, "stale_after_days", value)
    config.change(places, "stale_after_days", 7)
    assert config.load(places)[0].stale_after_days == 7
    assert config.load(places)[1] is None
