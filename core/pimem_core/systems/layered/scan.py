"""Finding and reading the files of a layer. One bad file never hides the others: it is reported."""

from __future__ import annotations

import os
import stat
import time

from ...errors import PimemError, StorageError
from ...files.read import not_regular, read_bytes, signature
from ...formats.fence import neutral
from ...formats.held_back import is_unmerged
from ...value import Value
from .content import is_content, plain
from .folder import NOT_MEMORY, is_memory_name, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Shown = Mapping[str, bytes | None]

#: Of a longer file only the end is read for a prompt, in bytes.
_WHOLE_BYTES = 1 << 20
_TAIL_BYTES = 1 << 18
#: A file changed within this time before it was read may change again with the same time stamp.
_UNSURE_NS = 100_000_000


class Found(Value):
    """A file of a layer. `status` is None when an unfinished change shows it as it was."""

    file: str
    path: str
    status: os.stat_result | None


class Walk(Value):
    """The files of a layer in order, and what is wrong with others.

    `broken` are files with what keeps them from being read, `problems` says the same of folders,
    `ignored` is about files that only look like memories.
    """

    found: Sequence[Found]
    broken: Sequence[tuple[str, str]] = ()
    problems: Sequence[str] = ()
    ignored: Sequence[str] = ()


def walk(folder: str, shown: Shown) -> Walk:
    """The memory files of a layer: at its root and one level down, in byte order of their names.

    An absent layer has none.

    Raises:
        StorageError: The layer's own folder cannot be listed.
    """
    found: list[Found] = []
    broken: list[tuple[str, str]] = []
    problems: list[str] = []
    ignored: list[str] = []
    for name in _names(folder, shown):
        path = os.path.join(folder, name)
        if name.startswith(".") or name in NOT_MEMORY:
            continue
        if _is_folder(path):
            try:
                inner = _names(path, shown)
            except StorageError as error:
                problems.append(str(error))
                continue
            for below in inner:
                if not below.startswith("."):
                    _take(f"{name}/{below}", folder, shown, found, broken, ignored)
        else:
            _take(name, folder, shown, found, broken, ignored)
    return Walk(found=found, broken=broken, problems=problems, ignored=ignored)


def walk_folder(folder: str, name: str, shown: Shown) -> list[Found]:
    """The Markdown files in one of the folders that hold no memory, such as the inbox.

    Raises:
        StorageError: It cannot be listed.
    """
    found: list[Found] = []
    if os.path.islink(os.path.join(folder, name)):
        return found
    for below in _names(os.path.join(folder, name), shown):
        if not below.startswith("."):
            _take(f"{name}/{below}", folder, shown, found, [], [])
    return found


def _take(
    file: str,
    folder: str,
    shown: Shown,
    found: list[Found],
    broken: list[tuple[str, str]],
    ignored: list[str],
) -> None:
    path = os.path.join(folder, file)
    if path in shown:
        if shown[path] is not None and is_memory_name(split(file)[1]):
            found.append(Found(file=file, path=path, status=None))
        return
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return  # removed just now
    except OSError as error:
        broken.append((file, f"{path} cannot be looked at: {error.strerror}."))
        return
    regular = stat.S_ISREG(status.st_mode)
    if not is_memory_name(split(file)[1]):
        if regular and file.lower().endswith((".md", ".markdown")):
            ignored.append(f"{path} is not read: memory files end in .md, in small letters.")
        elif stat.S_ISLNK(status.st_mode) and "/" not in file:
            ignored.append(not_regular(path))
        return
    if regular:
        found.append(Found(file=file, path=path, status=status))
    else:
        broken.append((file, not_regular(path)))


def _names(folder: str, shown: Shown) -> list[str]:
    """The names in a folder, with what an unfinished change took out of it."""
    try:
        names = set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.lexists(folder):
            raise StorageError(f"{folder} is not a folder; move it away.") from error
        names = set()
    except OSError as error:
        raise StorageError(f"{folder} cannot be listed: {error.strerror}.") from error
    for path, data in shown.items():
        if data is not None and os.path.dirname(path) == folder:
            names.add(os.path.basename(path))
    return sorted(names, key=os.fsencode)


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


class MemoryFile(Value):
    """A memory file as a prompt sees it.

    `text` is its end: enough for any limit. `chars` counts all of it, an estimate for a huge one.
    `counts` is False for placeholders and for what is held back. `problem` says why it could not be
    read, `held` why nobody has decided yet what it says.
    """

    layer: str
    file: str
    path: str
    text: str
    chars: int
    counts: bool
    problem: str | None = None
    held: str | None = None

    @property
    def name(self) -> str:
        """The file's own name, by which layers are merged."""
        return split(self.file)[1]


class Cache:
    """Files that were read before; each use compares their stat."""

    def __init__(self, keep_chars: int) -> None:
        self.keep_chars = keep_chars
        self._files: dict[str, tuple[object, MemoryFile]] = {}

    def layer(
        self, layer: str, folder: str, shown: Shown, wanted: Callable[[str], bool]
    ) -> tuple[list[MemoryFile], list[str]]:
        """The files of a layer whose folder is wanted, and what is wrong with others."""
        try:
            seen = walk(folder, shown)
        except StorageError as error:
            return [], [str(error)]
        problems = [*seen.problems, *(said for _file, said in seen.broken)]
        files = []
        for found in seen.found:
            if wanted(split(found.file)[0]):
                file = self.read(layer, found, shown)
                files.append(file)
                if file.problem is not None:
                    problems.append(file.problem)
        self._forget_all_but(layer, {file.path for file in files})
        return files, problems

    def read(self, layer: str, found: Found, shown: Shown) -> MemoryFile:
        """One file, from the disk only when it changed."""
        key = signature(found.status)
        known = self._files.get(found.path)
        if known is not None and key is not None and known[0] == key:
            return known[1]
        began = time.time_ns()
        file = self._read(layer, found, shown)
        if is_settled(found.status, began) and file.problem is None:
            self._files[found.path] = (key, file)
        else:
            self._files.pop(found.path, None)
        return file

    def _read(self, layer: str, found: Found, shown: Shown) -> MemoryFile:
        text, chars, problem = "", 0, None
        try:
            if found.status is None:
                data = shown.get(found.path) or b""
            elif found.status.st_size > _WHOLE_BYTES:
                data = read_bytes(found.path, limit=_TAIL_BYTES, from_end=True)
                chars = found.status.st_size - len(data)
            else:
                data = read_bytes(found.path)
            text = plain(data)
        except PimemError as error:
            problem = str(error)
        held = "has the marks of an unfinished merge" if is_unmerged(text) else None
        counts = problem is None and held is None and is_content(split(found.file)[1], text)
        text = neutral(text)
        return MemoryFile(
            layer=layer,
            file=found.file,
            path=found.path,
            text=text[-self.keep_chars :],
            chars=chars + len(text),
            counts=counts,
            problem=problem,
            held=held,
        )

    def _forget_all_but(self, layer: str, paths: set[str]) -> None:
        known = self._files.items()
        for path in [p for p, (_, file) in known if file.layer == layer and p not in paths]:
            del self._files[path]


def is_settled(status: os.stat_result | None, began_ns: int) -> bool:
    """Whether a file read from a moment on cannot change with its signature staying the same."""
    return status is not None and status.st_ctime_ns < began_ns - _UNSURE_NS


def task(folder: str, cache: Cache, shown: Shown, file: str) -> MemoryFile | None:
    """The state slot; None when there is none or it says nothing."""
    found: list[Found] = []
    broken: list[tuple[str, str]] = []
    _take(file, folder, shown, found, broken, [])
    for _file, problem in broken:
        path = os.path.join(folder, file)
        return MemoryFile(
            layer="state", file=file, path=path, text="", chars=0, counts=False, problem=problem
        )
    return cache.read("state", found[0], shown) if found else None
