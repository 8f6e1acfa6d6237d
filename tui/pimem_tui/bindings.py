"""Bindings made of the table of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from .keys import KEYS

if TYPE_CHECKING:
    from textual.binding import BindingType


def bindings(*ids: str) -> list[BindingType]:
    """The bindings with these ids. Their ids make them rebindable, see `App.set_keymap`."""
    made: list[BindingType] = []
    for key_id in ids:
        key = KEYS[key_id]
        made.append(
            Binding(key.keys, key.action, key.label, id=key_id, tooltip=key.help, show=False)
        )
    return made


def bindings_of(area: str) -> list[BindingType]:
    """The bindings of a whole area, such as `edit`."""
    return bindings(*(key_id for key_id in KEYS if key_id.partition(".")[0] == area))
