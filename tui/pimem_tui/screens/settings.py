"""The settings: pimem's own and those of each system, each with its value and its source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible_cell
from pimem_core.paths import tilde
from pimem_core.settings.config import load_settings
from pimem_core.systems import settings_sections as options
from pimem_styles import stylesheets
from textual import getters, on
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ..drawing.cells import clean, fit
from ..drawing.wrap import Run
from ..keys.bindings import bindings_of
from ..services.manager_app import ManagerApp
from ..widgets import KeyBar, TooSmall
from ..widgets.line_input import LineInput
from ..widgets.rows import Rows
from ..workers.background import Reader
from ..workers.field_message import FieldMessage
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Setting
    from pimem_core.settings.config import Settings
    from pimem_core.systems.settings_sections import Section
    from textual.app import ComposeResult
    from textual.binding import BindingType

#: Widest columns of keys and of values, in cells.
_KEY_CELLS = 38
_VALUE_CELLS = 44


class _Row(NamedTuple):
    """A line of the screen: a setting, an item of one that is a list, a heading, or a gap."""

    section: str = ""
    setting: Setting | None = None
    item: int | None = None
    trouble: str = ""

    @property
    def is_one(self) -> bool:
        """Whether there is something to select."""
        return self.setting is not None or bool(self.trouble)

    @property
    def handle(self) -> tuple[str, str, int | None]:
        return self.section, self.setting.key if self.setting else "", self.item


class SettingsRead(FieldMessage):
    """A worker read the settings; `changed` are those of pimem that hold after a change."""

    sections: Sequence[Section]
    changed: Settings | None = None


class ValueInput(LineInput):
    """The line that a value is typed into."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("value")


class SettingsScreen(BaseScreen[None], Reader):
    """Lists the settings; one line below changes the selected one."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("settings")
    AUTO_FOCUS = "Rows"
    KEY_BAR = (
        "value.accept",
        "value.cancel",
        "settings.edit",
        "settings.add",
        "settings.remove",
        "settings.back",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("settings")]

    rows = getters.query_one(Rows)
    value_input = getters.query_one(ValueInput)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        #: The row that is being typed, and whether it is a new item of its list.
        self._typing: tuple[_Row, bool] | None = None

    def compose(self) -> ComposeResult:
        """Title, settings, what the selected one is, the line to type in, keys."""
        yield Static("Settings", id="title", markup=False)
        yield Rows()
        with Horizontal(id="entry"):
            yield Static(id="label", markup=False)
            yield ValueInput(id="value", compact=True, select_on_focus=False)
        yield Static(id="about", markup=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Read the files."""
        self._read()

    def _read(self) -> None:
        places, self.due = self.app.places, True

        def work() -> None:
            self.post_message(SettingsRead(options.sections(places)))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="settings")

    @on(SettingsRead)
    def _take(self, message: SettingsRead) -> None:
        self.due = False
        if message.changed is not None:
            self.app.themes.choose(message.changed.theme)
        old = self._rows[self.rows.selected].handle if self._rows else None
        found = [row for section in message.sections for row in (_Row(), *_rows_of(section))]
        self._rows = found[1:]
        handles = [row.handle for row in self._rows]
        first = next((n for n, row in enumerate(self._rows) if row.is_one), 0)
        at = (
            handles.index(old) if old in handles else min(self.rows.selected or first, len(handles))
        )
        self._draw(at)

    def on_resize(self) -> None:
        """Lay the columns out for the new width."""
        if self._rows:
            self.call_after_refresh(self._draw, self.rows.selected)

    def _draw(self, selected: int) -> None:
        width = self.size.width
        home = self.app.places.home
        keys = [_label(row.setting, home) for row in self._rows if row.setting is not None]
        cells = min(max(map(len, keys), default=0), _KEY_CELLS, max(width // 2 - 4, 12))
        self.rows.show(
            [_drawn(row, cells, width, home) for row in self._rows],
            selected=selected,
            headings={n for n, row in enumerate(self._rows) if not row.is_one},
        )

    @property
    def _row(self) -> _Row | None:
        at = self.rows.selected
        return self._rows[at] if 0 <= at < len(self._rows) else None

    @on(Rows.RowSelected)
    def _show_about(self) -> None:
        """Say where the selected setting comes from."""
        row = self._row
        self.remove_class("-refused")
        text = ""
        if row is not None and row.setting is not None:
            source = tilde(row.setting.source, self.app.places.home)
            fixed = "" if row.setting.kind else "; it cannot be changed here"
            text = f"{_label(row.setting, self.app.places.home)}: {source}{fixed}"
        elif row is not None and row.trouble:
            self.add_class("-refused")
            text = tilde(row.trouble, self.app.places.home)
        self.query_one("#about", Static).update(visible_cell(text))
        self.refresh_bindings()

    # Changing ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only lists take more items, and only what has a kind can be changed."""
        row = self._row if self.is_mounted else None
        setting = row.setting if row is not None else None
        if action in ("edit", "add", "remove", "page", "back") and self._typing:
            return None
        if action == "edit":
            is_whole_list = row is not None and row.item is None
            is_list = setting is not None and setting.kind == "texts"
            return True if setting and setting.kind and not (is_list and is_whole_list) else None
        if action == "add":
            return True if setting is not None and setting.kind == "texts" else None
        if action == "remove":
            return True if row is not None and row.item is not None else None
        return True

    def action_edit(self) -> None:
        """Change the setting; a switch turns, a choice goes on to the next word."""
        row = self._row
        if row is None or row.setting is None:
            return
        setting = row.setting
        if setting.kind == "switch":
            self._keep(row, not setting.value)
        elif setting.kind == "choice":
            at = setting.choices.index(setting.value) if setting.value in setting.choices else -1
            self._keep(row, setting.choices[(at + 1) % len(setting.choices)])
        elif row.item is not None:
            self._type(row, _plain(setting.value[row.item]))
        else:
            self._type(row, "" if setting.value is None else _plain(setting.value))

    def action_add(self) -> None:
        """Add an item to the list."""
        row = self._row
        if row is not None:
            self._type(row, "", new=True)

    def action_remove(self) -> None:
        """Take an item out of its list."""
        row = self._row
        if row is None or row.setting is None or row.item is None:
            return
        from .confirm import ConfirmScreen

        items = list(row.setting.value)
        gone = _plain(items.pop(row.item))

        def answered(yes: bool | None) -> None:
            if yes:
                self._keep(row, items)

        self.app.push_screen(
            ConfirmScreen(f"Take this out of {row.setting.key}?", gone, "Take out"), answered
        )

    def _type(self, row: _Row, text: str, *, new: bool = False) -> None:
        assert row.setting is not None
        self._typing = row, new
        self.query_one("#label", Static).update(clean(_label(row.setting, self.app.places.home)))
        self.add_class("-typing")
        self.value_input.value = text
        self.value_input.cursor_position = len(text)
        self.value_input.focus()
        self.refresh_bindings()

    def _typed(self) -> tuple[_Row, Any, str]:
        """What is being changed, the value that was typed for it, and why it would be refused."""
        assert self._typing is not None
        row, new = self._typing
        assert row.setting is not None
        try:
            value = options.parse(row.setting.kind, self.value_input.value)
        except PimemError as error:
            return row, None, str(error)
        if row.setting.kind == "texts":
            items = list(row.setting.value)
            if new:
                items.insert(len(items) if row.item is None else row.item + 1, value)
            elif row.item is not None:
                items[row.item] = value
            value = items
        return row, value, options.refusal(row.section, row.setting.key, value)

    @on(Input.Changed)
    def _check(self) -> None:
        """Say while it is typed what is wrong with a value."""
        if self._typing is None:
            return
        _row, _value, refusal = self._typed()
        self.set_class(bool(refusal), "-refused")
        text = refusal or f"{self.app.key_for('value.accept')} keeps it."
        self.query_one("#about", Static).update(visible_cell(text))

    def action_accept(self) -> None:
        """Keep what was typed, unless a rule is against it."""
        row, value, refusal = self._typed()
        if not refusal:
            self.action_cancel()
            self._keep(row, value)

    def action_cancel(self) -> None:
        """Go back to the list and leave the value as it was."""
        self._typing = None
        self.remove_class("-typing")
        self.rows.focus()
        self._show_about()

    def _keep(self, row: _Row, value: Any) -> None:
        setting, app, places = row.setting, self.app, self.app.places
        assert setting is not None
        if value == setting.value:
            return
        self.due = True

        def work() -> None:
            try:
                with app.jobs.turn:
                    options.change(places, row.section, setting.key, value)
            except PimemError as error:
                app.call_later(app.notices.say_error, app.notices.explain(error))
            else:
                app.call_later(app.notices.say, _what_changed(setting, value))
            loaded = load_settings(places)[0]
            self.post_message(SettingsRead(options.sections(places), loaded))

        self.run_worker(work, thread=True, exit_on_error=False, group="change")

    def action_page(self, direction: int) -> None:
        """Move by a screen."""
        self.rows.move(direction * max(self.rows.size.height - 1, 1))

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()


def _rows_of(section: Section) -> list[_Row]:
    found = [_Row(section.name)]
    if section.trouble:
        found.append(_Row(section.name, trouble=section.trouble))
    for setting in section.rows:
        found.append(_Row(section.name, setting))
        if setting.kind == "texts":
            found += [_Row(section.name, setting, item) for item in range(len(setting.value))]
    return found


def _drawn(row: _Row, cells: int, width: int, home: str) -> list[Run]:
    setting = row.setting
    if row.trouble:
        return [Run(f" ! {clean(row.trouble)}", "warning")]
    if setting is None:
        return [Run(f" {clean(row.section)}", "accent")]
    if row.item is not None:
        return [Run("     - ", "muted"), Run(clean(_plain(setting.value[row.item])), "name")]
    kind = "name" if setting.source != "default" else "muted"
    value = plural(len(setting.value), "item") if setting.kind == "texts" else _shown(setting)
    source = "default" if setting.source == "default" else "set"
    return [
        Run(f"   {fit(clean(_label(setting, home)), cells)}  ", "name"),
        Run(fit(clean(value), min(max(width - cells - 16, 8), _VALUE_CELLS)), kind),
        Run(f"  {source}", "muted"),
    ]


def _label(setting: Setting, home: str) -> str:
    """The key as a person reads it; some end in the path that they are about."""
    about, _dot, path = setting.key.partition(".")
    return f"{about}.{tilde(path, home)}" if path.startswith("/") else setting.key


def _shown(setting: Setting) -> str:
    return "not set" if setting.value is None else _plain(setting.value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _what_changed(setting: Setting, value: Any) -> str:
    if setting.kind == "texts":
        return f"{setting.key} has {plural(len(value), 'item')} now."
    return f"{setting.key} is {_plain(value)} now; it was {_shown(setting)}."
