"""The colours of the app: from the settings, and from the key that goes on to the next theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.errors import PimemError

if TYPE_CHECKING:
    import threading

    from pimem_core.paths import Places
    from textual.app import App

    from .loop import Loop
    from .notices import Notices
    from .sheets import Sheets

_THEMES = {"dark": "textual-dark", "light": "textual-light", "terminal": "ansi-dark"}


class Themes:
    """Changes the theme of the app."""

    def __init__(
        self,
        app: App[None],
        places: Places,
        *,
        sheets: Sheets,
        loop: Loop,
        notices: Notices,
        turn: threading.Lock,
    ) -> None:
        """Change themes.

        Args:
            app: The app that has them.
            places: Where the settings are.
            sheets: Its style sheets.
            loop: Parses them in a worker.
            notices: Says what was kept.
            turn: Held while the settings are changed.
        """
        self._app = app
        self._places = places
        self._sheets = sheets
        self._loop = loop
        self._notices = notices
        self._turn = turn
        self._coming = app.theme
        self._times_chosen = 0

    def choose(self, wanted: str | None) -> None:
        """Change to a theme of the settings, by one of our names or of Textual's."""
        if wanted is None:
            return
        name = _THEMES.get(wanted, wanted)
        if name in self._app.available_themes and not (
            name.startswith("ansi") and self._app.no_color
        ):
            self._change(name)

    def next(self) -> None:
        """Go on from dark to light to the terminal's own colours, and keep that."""
        names = [name for name in _THEMES if name != "terminal" or not self._app.no_color]
        now = next((name for name in names if _THEMES[name] == self._coming), names[-1])
        name = names[(names.index(now) + 1) % len(names)]
        self._change(_THEMES[name])
        self._times_chosen += 1
        self._keep(name, self._times_chosen)

    def _keep(self, name: str, chosen: int) -> None:
        def work() -> None:
            # Most people never change the theme.
            from pimem_core.settings.editing import change_setting

            try:
                with self._turn:
                    if chosen != self._times_chosen:
                        return  # another one was chosen meanwhile
                    change_setting(self._places, "theme", name)
            except PimemError as error:
                self._loop.call(self._notices.say_error, self._notices.explain(error))
            else:
                self._loop.call(self._notices.say, f"Theme {name}, kept in config.toml.")

        self._loop.run(work, group="theme kept")

    def _change(self, name: str) -> None:
        """Change the theme, in a running app once its sheets are parsed for it."""
        app = self._app
        self._coming = name
        if not app.is_running:
            app.theme = name
            return
        theme = app.available_themes[name]
        colours = theme.to_color_system().generate()
        variables = {**app.get_theme_variable_defaults(), **colours, **theme.variables}

        def change() -> None:
            app.theme = self._coming

        def work() -> None:
            self._sheets.prepare(variables)
            self._loop.call(change)

        self._loop.run(work, group="theme")
