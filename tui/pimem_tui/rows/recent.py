"""What was searched for before in this run, to be brought back into a search line."""

from __future__ import annotations

#: Searches that are remembered.
_MOST = 50


class RecentSearches:
    """The searches of this run, newest first, each once. The filter and the search share them."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def remember(self, text: str) -> None:
        """Make a search the newest; blanks are none."""
        text = text.strip()
        if text:
            self.texts = [text, *(other for other in self.texts if other != text)][:_MOST]


class Recall:
    """The way through recent searches in one line. Typing ends it: what is typed is a new one."""

    def __init__(self, recent: RecentSearches) -> None:
        self._recent = recent
        self._at = 0

    def step(self, by: int, text: str) -> str | None:
        """The search to show in the line; None where there is none that way.

        Args:
            by: -1 for an older one, 1 for a newer one.
            text: What is in the line; it counts as the newest search when it was typed.
        """
        walking = text != "" and self._recent.texts[self._at : self._at + 1] == [text]
        if by > 0:
            to = self._at - 1 if walking else -1
        else:
            if not walking:
                self._recent.remember(text)
            to = self._at + 1 if walking else int(text.strip() != "")
        if not 0 <= to < len(self._recent.texts):
            return None
        self._at = to
        return self._recent.texts[to]
