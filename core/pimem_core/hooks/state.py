"""What a session has to remember between calls, by session id, on disk.

The one-shot form and the served form read and write the same files, so they behave alike. Files
are renamed into place without fsync: losing the last event costs an injection, never a memory.
"""

from __future__ import annotations

import json
import os

from ..errors import PimemError
from ..files.read import read_bytes, signature_of
from ..history.session_texts import SESSIONS, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping, Sequence
    from typing import Any

_SNAPSHOTS = 8
_KEPT_S = 90 * 86_400
_BEFORE = ".before"
_BROKEN = ".broken"
#: Length of a digest that stands for an id; no id of this length stands for itself.
_DIGEST_LENGTH = 64


def _file_name(session_id: str) -> str:
    """A file name for a session: its id, which pi makes a UUID, or a digest of any other."""
    plain = session_id.isascii() and session_id.replace("-", "").isalnum()
    # Where case does not count in file names, two ids could else have one file.
    if plain and session_id == session_id.lower() and len(session_id) < _DIGEST_LENGTH:
        return session_id
    import hashlib  # takes 2 ms to load

    return hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()


class SessionState:
    """One session's state, per system, with what recent answers took from it.

    `system(name)` gives a system's part and `texts` long texts such as an injected block; `merge`
    puts in what a system changed, `save` writes. Texts are not taken back with the rest.

    Args:
        state_dir: pimem's state folder.
        session_id: The host's id of the session.
        unsaved: Files by path that the disk refused before; they count instead of what is there.
        system: The system whose own state this is, where that is kept apart from the others'.
    """

    def __init__(
        self,
        state_dir: str,
        session_id: str,
        unsaved: MutableMapping[str, str] | None = None,
        system: str = "",
    ) -> None:
        name = _file_name(session_id) + (f".{system}" if system else "")
        base = os.path.join(state_dir, SESSIONS, name)
        self._files = (f"{base}.json", f"{base}{TEXTS}")
        self._state_dir = state_dir
        self._unsaved = {} if unsaved is None else unsaved
        self._signatures = {path: signature_of(path) for path in self._files}
        raw = self._read(self._files[0]) or self._read(self._files[0] + _BEFORE)
        self._raw: dict[str, Any] = {
            "systems": {},
            "answers": [],
            "failed": [],
            **raw,
        }
        texts = self._read(self._files[1])
        self.texts = {key: text for key, text in texts.items() if isinstance(text, str)}
        self._before = json.dumps(self._raw), dict(self.texts)

    def is_current(self) -> bool:
        """Whether the files are still those that this read or wrote."""
        return not self._unsaved and all(
            signature_of(path) == signature for path, signature in self._signatures.items()
        )

    def system(self, name: str) -> dict[str, Any]:
        """A system's part."""
        found: dict[str, Any] = self._raw["systems"].setdefault(name, {})
        return found

    def merge(
        self,
        name: str,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        texts: Mapping[str, str],
    ) -> None:
        """Put in what a system changed in a copy of its part, and the texts that it set."""
        part = self.system(name)
        for key in before.keys() - after.keys():
            part.pop(key, None)
        part |= {key: v for key, v in after.items() if key not in before or before[key] != v}
        self.texts |= texts

    def was_told(self, name: str) -> bool:
        """Whether the person was told in this session that a system fails; true from now on."""
        told: list[str] = self._raw["failed"]
        if name in told:
            return True
        told.append(name)
        return False

    def remember(self, request_id: Any) -> None:
        """Keep the state as it is before an answer, in case that comes too late.

        An id that was there before is meant by its newest answer from now on.
        """
        before = json.dumps(self._raw["systems"])
        others = [row for row in self._raw["answers"] if not _same(row[0], request_id)]
        self._raw["answers"] = [*others, [request_id, before]][-_SNAPSHOTS:]

    def begin(self) -> None:
        """Forget the answers to an earlier process of the host, which counted on its own."""
        self._raw["answers"] = []

    def take_back(self, missed: Sequence[Any]) -> None:
        """Restore what answers that came too late have taken: the oldest of them counts."""
        for position, (request_id, before) in enumerate(self._raw["answers"]):
            if any(_same(request_id, late) for late in missed):
                self._raw["systems"] = json.loads(before)
                self._raw["answers"] = self._raw["answers"][:position]
                return

    def save(self) -> str:
        """Write what changed; why the disk refused, which costs an injection at most."""
        text = json.dumps(self._raw)
        refused = ""
        if self.texts != self._before[1]:
            refused = self._publish(self._files[1], json.dumps(self.texts))
        if text != self._before[0]:
            # Some file systems write a file to the disk at once when it replaces another, which
            # can take longer than all the rest; so the one before steps aside.
            if os.path.lexists(self._files[0]):
                try:
                    os.unlink(self._files[0] + _BEFORE)
                except OSError:
                    pass
                try:
                    os.rename(self._files[0], self._files[0] + _BEFORE)
                except OSError:
                    pass
            refused = self._publish(self._files[0], text) or refused
        self._before = text, dict(self.texts)
        return refused

    def _publish(self, path: str, text: str) -> str:
        from ..files.publish import make_folder, publish

        try:
            make_folder(os.path.dirname(path))
            publish(path, text.encode(), durable=False)
        except (OSError, PimemError) as error:
            self._unsaved[path] = text
            return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self._unsaved.pop(path, None)
        self._signatures[path] = signature_of(path)
        return ""

    def prune(self) -> None:
        """Remove the state of sessions that nobody has asked about for 90 days."""
        from ..clock import now

        limit = now().timestamp() - _KEPT_S
        folder = os.path.dirname(self._files[0])
        try:
            for entry in os.scandir(folder):
                try:
                    if entry.stat(follow_symlinks=False).st_mtime < limit:
                        os.unlink(entry.path)
                except OSError:
                    pass
        except OSError:
            pass

    def _read(self, path: str) -> dict[str, Any]:
        kept = self._unsaved.get(path)
        try:
            raw = json.loads(read_bytes(path) if kept is None else kept)
            _check(raw)
        except PimemError:
            return {}  # no state yet
        except (ValueError, RecursionError) as error:
            self._put_aside(path, error)
            return {}
        found: dict[str, Any] = raw
        return found

    def _put_aside(self, path: str, error: Exception) -> None:
        """Keep what nobody can read out of the way; the session starts over, as a new one does."""
        from ..log import append_to_log

        try:
            os.replace(path, path + _BROKEN)
        except OSError:
            pass
        append_to_log(self._state_dir, f"{path} is put aside, it cannot be read: {error}\n")


def _check(raw: Any) -> None:
    """Refuse what has another shape than we write, with a ValueError."""
    if not isinstance(raw, dict):
        raise ValueError("not an object")
    if not _are_parts(raw.get("systems", {})):
        raise ValueError("systems is not an object of objects")
    for row in _rows(raw, "answers"):
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], str):
            raise ValueError("answers has a row that is not an id with a state")
        if not _are_parts(json.loads(row[1])):
            raise ValueError("answers has a state that is not an object of objects")
    if not all(isinstance(name, str) for name in _rows(raw, "failed")):
        raise ValueError("failed has a row that is not a name")


def _are_parts(raw: Any) -> bool:
    return isinstance(raw, dict) and all(isinstance(part, dict) for part in raw.values())


def _rows(raw: dict[str, Any], key: str) -> list[Any]:
    rows = raw.get(key, [])
    if not isinstance(rows, list):
        raise ValueError(f"{key} is not a list")
    return rows


def copied(value: Any) -> Any:
    """A copy of a JSON value, for a system to change."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def _same(one: Any, other: Any) -> bool:
    """Whether two ids are one; true and 1 are two."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
