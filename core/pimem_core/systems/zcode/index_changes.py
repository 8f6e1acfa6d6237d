"""Changing an index: one line at a time, every other line keeps its bytes."""

from __future__ import annotations

from ...errors import StorageError
from .facts import INDEX_NAME
from .index import DASH, entries, escaped, hook_at, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .index import IndexLink


class Index:
    """An index being changed. `text()` gives it back; untouched lines keep their bytes."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._eol = "\r" if len(self._lines) > 1 and self._lines[0].endswith("\r") else ""
        self._entries = entries(text)

    def text(self) -> str:
        """The whole index."""
        return "\n".join(self._lines)

    def of_file(self, file: str) -> list[IndexLink]:
        """The links to one file."""
        return [entry for entry in self._entries if entry.file == file]

    def _changed(self) -> None:
        self._entries = entries(self.text())

    def upsert(self, file: str, *, title: str, hook: str) -> bool:
        """Bring a file's line up to date, or add one; whether that could be done.

        A file that is only linked from prose, a table or beside others has no line of its own:
        such lines are the person's and stay as they are.

        Raises:
            StorageError: A new line would not count.
        """
        known = self.of_file(file)
        own = next((entry for entry in known if entry.kind == "line"), None)
        if own is not None:
            self._rewrite(own, title, hook)
        elif not known:
            self._add(line_of(title, file, hook))
        self._changed()
        if not self.of_file(file):
            raise StorageError(
                f"{INDEX_NAME} ends inside a code block or comment that is never closed, where a "
                "new line would not count; close it, then try again.",
                file=INDEX_NAME,
            )
        return own is not None or not known

    def _rewrite(self, entry: IndexLink, title: str, hook: str) -> None:
        line = self._lines[entry.line - 1]
        if hook != entry.hook:
            eol = "\r" if line.endswith("\r") else ""
            line = line.removesuffix("\r")
            hook = escaped(hook)
            start, old, separated = hook_at(line, entry.start, entry.end)
            before, after = line[:start], line[start + len(old) :]
            if not separated:
                before = before.rstrip() + DASH
            elif not before.endswith((" ", "\t")):
                before += " "
            line = before + hook + after + eol
        if title != entry.title:
            inner = entry.start + 1
            line = line[:inner] + title + line[inner + len(entry.title) :]
        self._lines[entry.line - 1] = line

    def _add(self, line: str) -> None:
        """Put a new line below the last of its kind, else at the end."""
        own = [entry.line for entry in self._entries if entry.kind == "line"]
        if own:
            place = own[-1]
            # Lines that are set in belong to the one above them.
            while place < len(self._lines) and self._lines[place][:1] in (" ", "\t"):
                place += 1
        else:
            place = len(self._lines)
            if not self._lines[-1].strip():
                place -= 1
        if place == len(self._lines):
            self._lines[-1] += self._eol
            self._lines.append(line)
        else:
            self._lines.insert(place, line + self._eol)

    def remove(self, file: str) -> None:
        """Take a file out: its own lines and rows go, of any other line only the link does."""
        doomed = {e.line for e in self.of_file(file) if e.kind != "link"}
        for entry in reversed([e for e in self.of_file(file) if e.line not in doomed]):
            line = self._lines[entry.line - 1]
            self._lines[entry.line - 1] = line[: entry.start] + entry.title + line[entry.end :]
        self._lines = [line for n, line in enumerate(self._lines, start=1) if n not in doomed]
        if doomed and self._lines and self._lines[-1].endswith("\r"):
            self._lines[-1] = self._lines[-1][:-1]  # it is the last line now
        self._changed()
