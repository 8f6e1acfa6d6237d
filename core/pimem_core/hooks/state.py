"""What a session has to remember between calls, by session id, on disk.

The one-shot form and the served form read and write the same files, so they behave alike. Files
are renamed into place without fsync: losing the last event costs an injection, never a memory.
"""

from __future__ import annotations

import contextlib
import json
import os

from ..errors import PimemError
from ..files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_SNAPSHOTS = 8
_KEPT_S = 90 * 86_400
_BEFORE = ".before"
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

    `system(name)` gives a dict that the system changes in place, `texts` holds long texts such as
    an injected block; `save` writes what changed. Texts are not taken back with the rest.
    """

    def __init__(self, state_dir: str, session_id: str) -> None:
        base = os.path.join(state_dir, "sessions", _file_name(session_id))
        self._files = (f"{base}.json", f"{base}.texts.json")
        self._raw: dict[str, Any] = {"systems": {}, "answers": []}
        self.texts: dict[str, str] = {}
        self._raw.update(_read(self._files[0]) or _read(self._files[0] + _BEFORE))
        self.texts.update(_read(self._files[1]))
        self._before = json.dumps(self._raw), dict(self.texts)

    def system(self, name: str) -> dict[str, Any]:
        """A system's part."""
        found: dict[str, Any] = self._raw["systems"].setdefault(name, {})
        return found

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

    def save(self) -> None:
        """Write what changed; a disk that refuses costs an injection, no more."""
        text = json.dumps(self._raw)
        if self.texts != self._before[1]:
            self._publish(self._files[1], json.dumps(self.texts))
        if text != self._before[0]:
            # Some file systems write a file to the disk at once when it replaces another, which
            # can take longer than all the rest; so the one before steps aside.
            if os.path.lexists(self._files[0]):
                with contextlib.suppress(OSError):
                    os.unlink(self._files[0] + _BEFORE)
                with contextlib.suppress(OSError):
                    os.rename(self._files[0], self._files[0] + _BEFORE)
            self._publish(self._files[0], text)
        self._before = text, dict(self.texts)

    def _publish(self, path: str, text: str) -> None:
        from ..files.publish import make_folder, publish

        with contextlib.suppress(OSError, PimemError):
            make_folder(os.path.dirname(path))
            publish(path, text.encode(), durable=False)

    def prune(self) -> None:
        """Remove the state of sessions that nobody has asked about for 90 days."""
        from ..clock import now

        limit = now().timestamp() - _KEPT_S
        folder = os.path.dirname(self._files[0])
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < limit:
                        os.unlink(entry.path)


def _same(one: Any, other: Any) -> bool:
    """Whether two ids are one; true and 1 are two."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _read(path: str) -> dict[str, Any]:
    try:
        raw = json.loads(read_bytes(path))
    except (PimemError, ValueError):
        return {}  # no state yet, or a broken one: the session starts afresh
    return raw if isinstance(raw, dict) else {}
