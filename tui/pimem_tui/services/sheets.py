"""The style sheets of the app: read when a screen needs them, recoloured without a wait."""

from __future__ import annotations

from pimem_styles import stylesheet
from textual.css.stylesheet import Stylesheet


class Sheets(Stylesheet):
    """All sheets; parsing them for another theme takes longer than a key may be held up."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._ahead: Stylesheet | None = None

    def bring(self, name: str) -> None:
        """Have the rules of a sheet, for widgets that are mounted from now on."""
        path = stylesheet(f"{name}.tcss")
        if not self.has_source(str(path), ""):
            self.read(path)
            self.parse()

    def prepare(self, variables: dict[str, str]) -> None:
        """Parse all sheets with other variables, for the next `reparse`; call it in a worker."""
        ahead = self.copy()
        ahead.set_variables(variables)
        ahead.parse()
        self._ahead = ahead

    def reparse(self) -> None:
        """Take what was prepared if it is of these variables and sheets, else parse them."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or (ahead._variables, ahead.source) != (self._variables, self.source):
            super().reparse()
            return
        self._rules = ahead.rules
        self._rules_map = None
        self._require_parse = False
