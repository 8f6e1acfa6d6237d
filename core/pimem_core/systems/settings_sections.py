"""All settings for a front that shows and changes them: pimem's own and those of each system."""

from __future__ import annotations

from ..errors import InvalidArgumentError
from ..settings.config import load_settings, requirement, setting_rows
from ..value import Value
from . import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..model import Setting
    from ..paths import Places

#: The name of the section of pimem's own settings.
OWN = "pimem"


class Section(Value):
    """The settings of one owner, `pimem` or a system. `trouble` says why there are none."""

    name: str
    rows: Sequence[Setting] = ()
    trouble: str = ""


def sections(places: Places) -> list[Section]:
    """The sections that have settings: the systems in their order, then pimem itself."""
    asked = [
        *((one.name, one.settings(places), one.trouble(places)) for one in registry.SYSTEMS),
        (OWN, setting_rows(places), load_settings(places)[1]),
    ]
    return [
        Section(name=name, rows=rows)
        if trouble is None
        else Section(name=name, trouble=str(trouble))
        for name, rows, trouble in asked
        if rows or trouble is not None
    ]


def change(places: Places, section: str, key: str, value: Any) -> None:
    """Set a setting of a section; every other byte of its file stays.

    Raises:
        UnsupportedError: It is not changed here.
        InvalidArgumentError: The value cannot be used; the message says what can.
        ConfigError: The file is broken; the message names line and column.
        StorageError: It cannot be written.
    """
    if section == OWN:
        from ..settings.editing import change_setting

        change_setting(places, key, value)
        return
    for system in registry.SYSTEMS:
        if system.name == section:
            system.change_setting(places, key, value)


def parse(kind: str, text: str) -> Any:
    """The value that a person typed for a setting of this kind; an item for `texts`.

    Raises:
        InvalidArgumentError: It is blank, or no number.
    """
    text = text.strip()
    if kind == "number":
        try:
            number = float(text)
        except ValueError as error:
            raise InvalidArgumentError("Type a number.") from error
        return int(number) if number.is_integer() else number
    if not text:
        raise InvalidArgumentError("Type a text.")
    return text


def refusal(section: str, key: str, value: Any) -> str:
    """Why a value of a setting would be refused, for a front that asks at every key; else empty."""
    if section == OWN:
        needed = requirement(key, value)
    else:
        found = (system for system in registry.SYSTEMS if system.name == section)
        needed = next((system.wanted(key, value) for system in found), None)
    return f"{key} must be {needed}." if needed is not None else ""
