"""One change of a store under its lock: commit, verify, report, take back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clock import now, stamp
from ..errors import PimemError, TopicNotFoundError
from ..formats.text import quote
from ..model import Change
from ..settings.config import load_settings
from . import journal, recovery, transaction
from .record import About

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..paths import Places
    from .record import Record

#: What a change is called in a sentence, where its action is no noun.
_NOUNS = {
    "write": "writing",
    "unpin": "unpinning",
    "remove": "removal",
    "promote": "promotion",
    "init": "creation",
    "clear": "clearing",
}


class LockedChange:
    """What is the same for every store.

    The caller holds the store's lock; `beside` are further folders and files that a change of the
    store may touch, `token` is its content, empty where the lock is one that
    ends with its process.
    """

    def __init__(
        self,
        places: Places,
        *,
        system: str,
        store: str,
        folder: str,
        beside: Collection[str] = (),
        token: bytes = b"",
    ) -> None:
        self.places = places
        self.system = system
        self.name = store
        self.folder = folder
        self._reach = (folder, *beside)
        self._tokens = [token] if token else []
        self.moment = now()
        self.notes: list[str] = []
        self._done: list[Record] = []

    def commit(
        self, action: str, name: str, file: str, steps: Sequence[transaction.Step]
    ) -> Record:
        """Make the change whole, or raise and leave everything as it was."""
        about = About(
            action=action,
            system=self.system,
            store=self.name,
            folder=self.folder,
            name=name,
            file=file,
        )
        made = transaction.commit(
            self.places.state_dir, about, steps, tokens=self._tokens, moment=stamp(self.moment)
        )
        self._finish(made)
        return made

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change back: `undone` or `redone`."""
        about = record.about
        made = journal.revert(
            self.places.state_dir,
            record,
            action=action,
            folders=self._reach,
            tokens=self._tokens,
            moment=stamp(self.moment),
        )
        self._finish(made)
        verb = "Undid" if action == "undo" else "Redid"
        first = self._first_action(record)
        said = f"{verb} the {_NOUNS.get(first, first)} of {quote(about.name or about.file)}."
        outcome = "undone" if action == "undo" else "redone"
        return self.change(outcome, about.name, about.file, said)

    def _first_action(self, record: Record) -> str:
        """The name of the change that an undo, or a redo of an undo, is about."""
        while record.about.reverts is not None:
            try:
                record = journal.find(self.places.state_dir, record.about.reverts)
            except TopicNotFoundError:
                return "change"
        return record.about.action

    def _finish(self, record: Record) -> None:
        self._done.append(record)
        bounds, _error = load_settings(self.places)
        journal.prune(
            self.places.state_dir,
            max_bytes=bounds.undo_max_mb * 1e6,
            max_days=bounds.undo_max_days,
        )

    def confirm(self) -> None:
        """See, last of all under the lock, that nobody who ignores it wrote over the change."""
        for record in self._done:
            try:
                kept = recovery.confirm(record)
            except PimemError as error:
                kept = False
                self.notes.append(str(error))
            if not kept:
                paths = ", ".join(file.path for file in record.files)
                self.notes.append(
                    f"Another program that ignores the lock wrote over this change; look at "
                    f"{paths}."
                )

    def change(
        self, outcome: str, name: str, file: str, message: str, dropped: Sequence[str] = ()
    ) -> Change:
        """The report of the change; further notes may follow until the lock is released."""
        return Change(
            outcome=outcome,
            store=self.name,
            name=name,
            file=file,
            message=message,
            dropped=dropped,
            notes=self.notes,
        )
