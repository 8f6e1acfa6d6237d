"""Bindings made of the table of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.binding import Binding

from .table import KEYS, key_names

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.dom import DOMNode


@runtime_checkable
class _Rebound(Protocol):
    """An app whose keys people may change."""

    def key_for(self, binding_id: str) -> str:
        """The first key of a binding as it holds."""


def key_of(node: DOMNode, key_id: str) -> str:
    """The first key of a binding as people write it, for a widget that names it."""
    app = node.app
    return app.key_for(key_id) if isinstance(app, _Rebound) else key_names(KEYS[key_id].keys)


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
