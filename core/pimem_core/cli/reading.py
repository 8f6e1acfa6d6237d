"""Commands that read: list, show, search, status, config."""

from __future__ import annotations

import contextlib
import os

from ..errors import (
    EXIT_CODES,
    ConfigError,
    InvalidArgumentError,
    PimemError,
    ReadOnlyFormatError,
    StorageError,
)
from ..formats.text import plural
from ..model import Setting
from ..settings import switch
from ..settings.config import load_settings
from ..systems import registry
from ..systems.layers import LayerStore
from ..systems.stores import FolderStore, supporting
from .hints import with_hint
from .output import hit_row, hit_words, topic_line, topic_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from ..model import StoreStatus, Topic
    from ..paths import Places
    from ..systems.layers import DatedEntry, LoadStatus
    from ..systems.stores import Store
    from .output import Output

#: Hits that are printed for people where nobody says how many.
_MOST_LINES = 100
#: Of an opened topic, what `list` gives or the other keys of `show` already hold.
_NOT_SHOWN = ("text", "summary", "type", "title")


def chosen(options: argparse.Namespace, places: Places) -> Store | None:
    """The store that `--store` or `--dir` names, None when neither is given.

    Raises:
        InvalidArgumentError: There is no such store, or both are given.
    """
    name, folder = getattr(options, "store", None), getattr(options, "dir", None)
    if name is not None and folder is not None:
        raise InvalidArgumentError("--store and --dir both name a store; give one of them.")
    if folder == "":
        raise InvalidArgumentError("--dir is empty; name the folder of the memories.")
    if folder is not None:
        try:
            return registry.open_folder(folder, places)
        except FileNotFoundError as error:  # a relative path, and the working folder is gone
            raise InvalidArgumentError("The working folder is gone; give a whole path.") from error
    return None if name is None else registry.find_store(name, places)


def notice_troubles(places: Places, output: Output) -> bool:
    """Say on stderr which configuration files are broken; whether any is."""
    own = load_settings(places)[1]
    found = [*([own] if own else []), *registry.troubles(places)]
    for error in found:
        output.notice(with_hint(str(error), error.hint))
    return bool(found)


def store_of(options: argparse.Namespace, places: Places, output: Output) -> Store:
    """The store that is meant: the named one, else the active one."""
    notice_troubles(places, output)
    return chosen(options, places) or registry.active_store(places)


def list_topics(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print the topics in the store's order."""
    store = store_of(options, places, output)
    topics = store.list()
    if not any(topic.listed for topic in topics):
        _explain_nothing(store, output)
    if output.as_json:
        output.document([topic_row(topic) for topic in topics])
    for topic in [] if output.as_json else topics:
        output.text(topic_line(topic))
    return 0


def _explain_nothing(store: Store, output: Output) -> None:
    """A list of a folder that is not memory must not pass for one of an empty store."""
    try:
        store.refuse_changes()
    except ReadOnlyFormatError as error:
        output.notice(with_hint(str(error), error.hint))


@contextlib.contextmanager
def about(topic: Topic) -> Iterator[None]:
    """Have a refusal name the topic that was found, however it was asked for."""
    try:
        yield
    except PimemError as error:
        error.name, error.file = error.name or topic.name, error.file or topic.file
        raise


def show(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print one topic, or its file's bytes."""
    store = store_of(options, places, output)
    topic = store.find(options.topic)
    with about(topic):
        if options.raw:
            output.data(supporting(store, FolderStore).read_bytes(topic.file))
            return 0
        document = store.read(topic.file)
    if output.as_json:
        row = {key: value for key, value in document.__dict__.items() if key not in _NOT_SHOWN}
        if isinstance(store, LayerStore):
            row["entries"] = [entry_row(entry) for entry in store.entries(topic.file)]
        output.document(row)
        return 0
    output.text(topic_line(topic.but(name=document.name)))
    output.text("")
    output.text(document.body.strip("\n"))
    return 0


def entry_row(entry: DatedEntry) -> dict[str, object]:
    """A dated entry as JSON."""
    fields = dict(entry.fields)
    return {
        "date": entry.date,
        "title": entry.title,
        "line": entry.line,
        "status": entry.status,
        "fields": fields,
        "problems": list(entry.problems),
        "superseded_by": [place.heading for place in entry.superseded_by],
    }


def search(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print what a query finds in all existing stores or the named one, best first."""
    from ..search.finding import find

    named = chosen(options, places)
    if named is not None and options.all_stores:
        raise InvalidArgumentError("--all-stores goes without --store and --dir.")
    notice_troubles(places, output)
    code = 0

    def unread(error: PimemError) -> None:
        nonlocal code
        output.notice(str(error))
        if isinstance(error, StorageError):
            code = EXIT_CODES[error.outcome]

    shelves = []
    for store in [named] if named else registry.all_stores(places):
        try:
            shelves.append(store.shelf())
        except PimemError as error:
            if named:
                raise
            # What the others have is told; that it is not all must not pass unseen.
            output.notice(f"{store.name}: {error}")
            code = max(code, EXIT_CODES[error.outcome])
    found = find(shelves, options.query, unread=unread)
    limit = options.limit or (len(found) if output.as_json else _MOST_LINES)
    hits = found.first(limit)
    if output.as_json:
        output.document([hit_row(hit) for hit in hits])
    else:
        for hit in hits:
            output.text(f"{hit.topic.store}  {topic_line(hit.topic, hit_words(hit))}")
    if not hits:
        output.notice(found.nothing(options.query))
    elif len(found) > limit and not options.limit:
        output.notice(f"{len(found) - limit:,} more; --limit {len(found)} prints all.")
    return code or (0 if hits else 1)


def status(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Tell every store of this user and folder, or the named one."""
    notice_troubles(places, output)
    why = switch.why_off(places, load_settings(places)[0])
    if why:
        output.notice(why)
    named = chosen(options, places)
    found = [store.status() for store in ([named] if named else registry.all_stores(places))]
    layer = named if isinstance(named, LayerStore) else None
    if output.as_json:
        rows = [status_row(row) for row in found]
        if layer is not None:
            rows[0]["load"] = load_row(layer.load())
        output.document(rows)
        return 0
    for row in found:
        for line in status_lines(row):
            output.text(line)
    if layer is not None:
        output.text("")
        for line in layer.load_lines():
            output.text(line)
    return 0


def load_row(row: LoadStatus) -> dict[str, object]:
    """What the next prompt gets, as JSON."""
    return {
        **row.__dict__,
        "task": dict(row.task.__dict__) if row.task is not None else None,
        "files": [dict(file.__dict__) for file in row.files],
        "inbox": list(row.inbox),
        "problems": list(row.problems),
    }


def status_row(row: StoreStatus) -> dict[str, object]:
    """A status as JSON."""
    return {
        "store": row.store,
        "system": row.system,
        "path": row.path,
        "exists": row.exists,
        "active": row.active,
        "count": row.count,
        "bytes": row.size_bytes,
        "changed": _time(row.changed),
        "writers": list(row.writers),
        "locked": row.lock is not None,
        "format": row.format,
        "notes": [with_hint(note) for note in row.notes],
    }


def _time(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    from ..clock import at, stamp

    return stamp(at(seconds))


def status_lines(row: StoreStatus) -> list[str]:
    """A status as lines for people."""
    state = "active" if row.active else "not active"
    if not row.exists:
        return [f"{row.store}: {row.path} ({state}, does not exist yet)", *_bullets(row)]
    size = f"{row.size_bytes / 1024:.1f} KiB"
    lines = [f"{row.store}: {row.path} ({state}, {plural(row.count, 'topic')}, {size})"]
    if row.changed is not None:
        lines.append(f"  last change {_time(row.changed)}")
    if row.writers:
        lines.append(f"  written by {', '.join(row.writers)}")
    if row.lock is not None:
        who = f"process {row.lock.pid}" if row.lock.pid else "an unknown process"
        lines.append(f"  locked by {who} since {row.lock.age_s:.0f} s")
    return [*lines, *_bullets(row)]


def _bullets(row: StoreStatus) -> list[str]:
    return [f"  - {with_hint(note)}" for note in row.notes]


def config(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Tell each setting with its source; 1 when a configuration file is broken."""
    from ..settings.config import setting_rows

    del options
    rows: list[Setting] = setting_rows(places)
    for system in registry.SYSTEMS:
        rows.extend(system.settings(places))
    switched_off = switch.projects(places)
    if switched_off:
        source = os.path.join(places.state_dir, switch.FOLDER)
        rows.append(Setting(key="pi.off", value=switched_off, source=source))
    code = EXIT_CODES[ConfigError.outcome] if notice_troubles(places, output) else 0
    if output.as_json:
        output.document(
            [{"key": row.key, "value": row.value, "source": row.source} for row in rows]
        )
        return code
    for row in rows:
        output.text(f"{row.key} = {_plain(row.value)}  ({row.source})")
    return code


def _plain(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
