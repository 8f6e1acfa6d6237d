"""Changing one item of a JSON file with comments: it holds the change, and every other byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.formats import jsonc, jsonedit

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = ["packages", "theme", "a b", "ä", ""]
#: What may stand between any two tokens; a line comment needs its line end.
GAPS = ["", " ", "\n", "\r\n\t", ' // } ] , " {\n', "/* [1, */", "\n  /** // **/ ", "/*\n*/// */\n"]

gaps = st.sampled_from(GAPS)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from(
        ["", "x", '"', "\\", "// no comment", "/* nor this */", "a,]}", "\u2028日本", "é"]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=2)
    ),
    max_leaves=5,
)


class Written(NamedTuple):
    """A value as it stands in a file."""

    value: Any
    text: str


@st.composite
def written(draw: st.DrawFn, of: st.SearchStrategy[Any] = values) -> Written:
    """A value with comments and space between its tokens, and trailing commas."""
    value = draw(of)
    if isinstance(value, dict):
        members = [
            f"{json.dumps(key)}{draw(gaps)}:{draw(gaps)}{draw(written(st.just(inner))).text}"
            for key, inner in value.items()
        ]
        return Written(value, _enclosed(draw, "{", members, "}"))
    if isinstance(value, list):
        items = [draw(written(st.just(inner))).text for inner in value]
        return Written(value, _enclosed(draw, "[", items, "]"))
    return Written(value, json.dumps(value, ensure_ascii=draw(st.booleans())))


def _enclosed(draw: st.DrawFn, begin: str, parts: list[str], end: str) -> str:
    spaced = [f"{draw(gaps)}{part}{draw(gaps)}" for part in parts]
    comma = draw(st.booleans())
    trailing = f",{draw(gaps)}" if parts and comma else ""
    return f"{begin}{','.join(spaced)}{trailing or draw(gaps)}{end}"


class File(NamedTuple):
    """A file that holds an object, and its members as they stand in it."""

    text: str
    members: list[tuple[str, Written]]

    @property
    def value(self) -> dict[str, Any]:
        return {key: found.value for key, found in self.members}


@st.composite
def files(draw: st.DrawFn, of: st.SearchStrategy[Any] = values) -> File:
    """A settings file as people leave it: commented, with trailing commas, perhaps with a mark."""
    members = [
        (key, draw(written(of)))
        for key in draw(st.lists(st.sampled_from(KEYS), max_size=4, unique=True))
    ]
    parts = [f"{json.dumps(key)}{draw(gaps)}:{draw(gaps)}{found.text}" for key, found in members]
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return File(f"{mark}{draw(gaps)}{_enclosed(draw, '{', parts, '}')}{draw(gaps)}", members)


def outside(old: str, new: str) -> int:
    """How many characters of the old text stay, at its beginning and at its end."""
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    end = next((n for n in range(most - start) if old[-1 - n] != new[-1 - n]), most - start)
    return start + end


def listed(file: File) -> list[tuple[str, Written]]:
    return [(key, found) for key, found in file.members if isinstance(found.value, list)]


@given(files())
def test_the_files_are_what_they_are_meant_to_be(file: File) -> None:
    assert jsonc.parse(file.text) == file.value
    plain = jsonc.blank(file.text)
    assert json.loads(plain) == file.value
    assert len(plain) == len(file.text)


@given(files(scalars), st.sampled_from(KEYS), values)
def test_a_key_is_set_or_added_and_no_other_byte_changes(file: File, key: str, value: Any) -> None:
    new = jsonedit.set_value(file.text, key, value)
    assert jsonc.parse(new) == {**file.value, key: value}
    known = dict(file.members).get(key)
    assert outside(file.text, new) >= len(file.text) - len(known.text if known else "")
    assert list(jsonc.parse(new)) == list({**file.value, key: value})


@given(files(st.lists(values, max_size=4)), st.data(), st.lists(values, max_size=4))
def test_of_a_list_only_the_items_that_differ_change(
    file: File, data: st.DataObject, value: list[Any]
) -> None:
    if not file.members:
        return
    key, found = data.draw(st.sampled_from(file.members))
    new = jsonedit.set_value(file.text, key, value)
    assert jsonc.parse(new) == {**file.value, key: value}
    assert outside(file.text, new) >= len(file.text) - len(found.text)
    assert jsonedit.set_value(file.text, key, found.value) == file.text


@given(files(st.lists(values, max_size=3)), st.sampled_from(KEYS), values)
def test_an_item_is_appended_and_no_byte_is_lost(file: File, key: str, item: Any) -> None:
    new = jsonedit.add_item(file.text, key, item)
    assert jsonc.parse(new) == {**file.value, key: [*file.value.get(key, []), item]}
    assert outside(file.text, new) == len(file.text)
    at = len(file.value.get(key, []))
    assert jsonc.parse(jsonedit.raw_item(new, key, at)) == item


def changed_item(
    file: File, data: st.DataObject, change: Callable[[str, str, int], str]
) -> tuple[str, list[Any], int, str] | None:
    """A change of one item; None where the file has none."""
    found = [(key, each) for key, each in listed(file) if each.value]
    if not found:
        return None
    key, array = data.draw(st.sampled_from(found))
    index = data.draw(st.integers(0, len(array.value) - 1))
    raw = jsonedit.raw_item(file.text, key, index)
    assert jsonc.parse(raw) == array.value[index]
    new = change(file.text, key, index)
    value = jsonc.parse(new)
    left = {name: inner for name, inner in file.value.items() if name != key}
    assert {name: inner for name, inner in value.items() if name != key} == left
    return new, value[key], index, raw


@given(files(st.lists(values, max_size=4)), st.data(), values)
def test_an_item_is_replaced_in_its_place_and_comes_back_as_it_was_written(
    file: File, data: st.DataObject, item: Any
) -> None:
    keys: list[str] = []

    def change(text: str, key: str, index: int) -> str:
        keys.append(key)
        return jsonedit.set_item(text, key, index, item)

    made = changed_item(file, data, change)
    if made is None:
        return
    new, items, index, raw = made
    old = file.value[keys[0]]
    assert items == [*old[:index], item, *old[index + 1 :]]
    assert outside(file.text, new) >= len(file.text) - len(raw)
    assert jsonedit.replace_raw(new, keys[0], index, raw) == file.text


@given(files(st.lists(values, max_size=4)), st.data())
def test_an_item_is_taken_out_with_its_comma(file: File, data: st.DataObject) -> None:
    keys: list[str] = []

    def change(text: str, key: str, index: int) -> str:
        keys.append(key)
        return jsonedit.remove_item(text, key, index)

    made = changed_item(file, data, change)
    if made is None:
        return
    new, items, index, _raw = made
    old = file.value[keys[0]]
    assert items == [*old[:index], *old[index + 1 :]]
    assert outside(file.text, new) == len(new)  # nothing is written, only taken out
    for other in range(len(items)):
        before = jsonedit.raw_item(file.text, keys[0], other + (other >= index))
        assert jsonedit.raw_item(new, keys[0], other) == before


@given(files(st.lists(scalars, max_size=3)), st.sampled_from(KEYS), scalars)
def test_what_was_added_can_be_taken_out_again(file: File, key: str, item: Any) -> None:
    old = file.value.get(key)
    new = jsonedit.remove_item(jsonedit.add_item(file.text, key, item), key, len(old or []))
    assert jsonc.parse(new) == {**file.value, key: old or []}
    if old:
        assert new == file.text


def test_of_a_key_that_stands_twice_the_last_counts_as_when_it_is_read() -> None:
    text = '{"theme": "a", /* x */ "theme": "b", "\\u0074heme": "c",}'
    assert jsonedit.set_value(text, "theme", "d") == text.replace('"c"', '"d"')


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_becomes_an_object(text: str) -> None:
    assert jsonedit.add_item(text, "packages", "x") == '{\n  "packages": ["x"]\n}\n'
    assert jsonedit.set_value(text, "theme", None) == '{\n  "theme": null\n}\n'


@pytest.mark.parametrize("text", ["[1]", '"x"', "{", '{"packages": [1', "// only a comment"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        jsonedit.add_item(text, "packages", 1)
    with pytest.raises(ValueError, match=r".+"):
        jsonedit.set_value(text, "packages", 1)


def test_an_item_that_is_not_there_is_refused() -> None:
    for text in ("{}", '{"packages": []}', '{"other": [1]}'):
        for call in (jsonedit.raw_item, jsonedit.remove_item):
            with pytest.raises(ValueError, match='"packages" has no item 0'):
                call(text, "packages", 0)
        with pytest.raises(ValueError, match='"packages" has no item 0'):
            jsonedit.set_item(text, "packages", 0, "x")
    with pytest.raises(ValueError, match='"packages" is not an array'):
        jsonedit.add_item('{"packages": {}}', "packages", 1)


@pytest.mark.parametrize("first", ['["a"]', "1", "{}"])
def test_of_a_list_that_stands_twice_the_last_counts_as_when_it_is_read(first: str) -> None:
    text = f'{{"packages": {first}, "packages": ["b"]}}'
    both = text.replace('["b"]', '["b", "c"]')
    assert jsonedit.add_item(text, "packages", "c") == both
    assert jsonedit.set_value(text, "packages", ["b", "c"]) == both
    assert jsonedit.raw_item(text, "packages", 0) == '"b"'
    assert jsonedit.set_item(text, "packages", 0, "c") == text.replace('"b"', '"c"')
    assert jsonedit.remove_item(text, "packages", 0) == text.replace('"b"', "")
