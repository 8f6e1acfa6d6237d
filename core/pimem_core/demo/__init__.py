"""The sample memories behind `pimem --demo`, written out as real stores.

Everything in them is made up. Stamps count back from the moment the demo starts, so that ages look
as they do in a store that is in use.
"""

from __future__ import annotations

import json
import os
import re
import time

from ..formats.text import quote
from ..paths import Places
from ..settings import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DAY = 86_400
_HEADER = "# Memory Index\n\n"
_SETTINGS = """{
  // Sample settings; the demo keeps its own copy.
  "stale_after_days": 180,
  "shared_dir": false
}
"""


def make_demo(folder: str, now: float | None = None) -> Places:
    """Write the sample stores below a folder and return places that point there only.

    Args:
        folder: An existing folder of the caller's own, such as a temporary one.
        now: Unix time in seconds that ages count from; the present when left out.
    """
    now = time.time() if now is None else now
    folder = os.path.abspath(folder)
    project = os.path.join(folder, "project")
    places = Places(
        home=folder,
        cwd=project,
        agent_dir=os.path.join(folder, ".pi", "agent"),
        shared_home=folder,
        config_dir=os.path.join(folder, ".config", "pimem"),
        state_dir=os.path.join(folder, ".local", "state", "pimem"),
    )
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "index.json"), encoding="utf-8") as stream:
        stores = json.load(stream)
    local = os.path.join(places.agent_dir, "memory")
    shared = os.path.join(places.shared_home, ".agents", "memory")
    _write_store(os.path.join(here, "local"), local, stores["local"], now)
    _write_store(os.path.join(here, "shared"), shared, stores["shared"], now)
    _write(os.path.join(places.agent_dir, "memory.jsonc"), _SETTINGS)
    _write(os.path.join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
    _write_layer(os.path.join(here, "global"), os.path.join(folder, ".pi", "memory"), now)
    _write_layer(os.path.join(here, "workspace"), os.path.join(project, ".pi", "memory"), now)
    trust.keep(places, project, True)
    return places


def _write_layer(source: str, folder: str, now: float) -> None:
    """Copy a layer; `DAYS-12` in names and texts becomes the date of twelve days ago."""

    def dated(text: str) -> str:
        return re.sub(r"DAYS-(\d+)", lambda days: _day(now - int(days[1]) * _DAY), text)

    for above, _folders, files in os.walk(source):
        for name in files:
            with open(os.path.join(above, name), encoding="utf-8") as stream:
                text = dated(stream.read())
            _write(os.path.join(folder, os.path.relpath(above, source), dated(name)), text)


def _write_store(source: str, folder: str, topics: list[dict[str, Any]], now: float) -> None:
    os.makedirs(folder, mode=0o700)
    lines = []
    for topic in topics:
        stamp = _stamp(now - topic["age_days"] * _DAY)
        pin = " [pin]" if topic["pinned"] else ""
        stale = " [stale?]" if topic["stale"] else ""
        lines.append(
            f"- [{topic['name']}]({topic['file']}){pin} {stamp}{stale} -- {topic['summary']}"
        )
        path = os.path.join(source, topic["file"])
        if os.path.exists(path):  # one topic's file is missing, to show how that looks
            created = _stamp(now - topic["created_days"] * _DAY)
            with open(path, encoding="utf-8") as stream:
                body = stream.read()
            head = (
                "---\nmetadata:\n  node_type: memory\n"
                f"name: {quote(topic['name'])}\ndescription: {quote(topic['summary'])}\n"
                f"last_updated: {stamp}\ncreated: {created}\n---\n\n"
            )
            _write(os.path.join(folder, topic["file"]), head + body)
    _write(os.path.join(folder, "MEMORY.md"), _HEADER + "\n" + "\n".join(lines))


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def _stamp(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(moment))


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
