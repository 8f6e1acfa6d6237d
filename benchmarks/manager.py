"""The manager on 10,000 topics, beside an empty Textual app with one list."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_tui.app import PimemApp
from pimem_tui.services.garbage import collect_seldom
from textual import events

from .stores import WORDS, make_store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_tui.screens.browser import BrowserScreen
    from textual.pilot import Pilot

COUNT = 10_000

# Run in a pseudo terminal, each ends itself after its first paint and tells its memory.
_END = """
import os, sys, time
def told(app):
    text = open("/proc/self/status").read()
    kib = int(text.split("VmRSS:")[1].split()[0])
    os.write(int(os.environ["TELL"]), f"{time.time()} {kib}".encode())
    app.exit()
"""
_EMPTY = (
    _END
    + """
from textual.app import App
from textual.widgets import OptionList
class Empty(App):
    def compose(self):
        yield OptionList()
    def on_mount(self):
        self.call_after_refresh(told, self)
Empty().run()
"""
)
# As the entry point has it.
_UNCOLLECTED = """
import gc
gc.disable()
"""
_FRAME = (
    _END
    + _UNCOLLECTED
    + """
from pimem_tui import app
from pimem_tui.screens.browser import BrowserScreen
class Told(BrowserScreen):
    def on_mount(self):
        self.call_after_refresh(told, self.app)
app.BrowserScreen = Told
app.run_manager()
"""
)
_FILLED = (
    _END
    + _UNCOLLECTED
    + """
from pimem_tui import app
from pimem_tui.widgets import TopicList
show = TopicList.show
def take(self, *arguments, **options):
    show(self, *arguments, **options)
    if len(self.listing.topics) > 1_000:  # the first frame has a screenful
        self.call_after_refresh(told, self.app)
TopicList.show = take
app.run_manager()
"""
)


def _paint(code: str, home: Path) -> tuple[float, int]:
    """Seconds from the start of the process to its first paint, and its memory then in KiB."""
    import fcntl
    import pty
    import struct
    import termios
    import threading

    read, write = os.pipe()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    env = {**os.environ, "HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "120"}
    env |= {"LINES": "36", "TELL": str(write)}
    begin = time.time()
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        pass_fds=[write],
    )
    os.close(slave)
    os.close(write)

    def drain() -> None:
        try:
            while os.read(master, 65_536):
                pass
        except OSError:
            pass

    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    told = os.read(read, 100).decode().split()
    child.wait(20)
    os.close(read)
    return float(told[0]) - begin, int(told[1])


def _first_paint(root: Path, runs: int = 9) -> list[tuple[str, str, str]]:
    codes = {"empty": _EMPTY, "frame": _FRAME, "filled": _FILLED}
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in codes}
    for _ in range(runs):
        for name, code in codes.items():
            found[name].append(_paint(code, root))

    def ratio(name: str, part: int) -> str:
        middle = statistics.median(run[part] for run in found[name])
        return f"{middle / statistics.median(run[part] for run in found['empty']):.2f}"

    return [
        ("manager, first paint, rows included, to an empty app", ratio("frame", 0), "1.4"),
        ("manager, resident memory after it, to an empty app", ratio("frame", 1), "1.5"),
        ("manager, all 10,000 topics listed, to an empty app", ratio("filled", 0), "-"),
        ("manager, resident memory after that, to an empty app", ratio("filled", 1), "-"),
    ]


def manager(root: Path) -> list[tuple[str, str, str]]:
    """First paint and memory, then keys, filter and refresh inside a running manager."""
    places = make_store(root, COUNT)
    rows = _first_paint(root)
    # A process of its own: what was measured before would be in its memory.
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.manager", str(root)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(root)},
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    del places
    return rows + [tuple(row) for row in json.loads(done.stdout.splitlines()[-1])]


def _high(times: list[float], part: float = 0.95) -> str:
    return f"{sorted(times)[int(len(times) * part)] * 1e3:.1f}"


class _Blocks:
    """Notes how long the interface's thread was away from its loop."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            begin = time.perf_counter()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, time.perf_counter() - begin - 0.005)

    def take(self) -> float:
        """The longest since the last call, in seconds."""
        longest, self.longest = self.longest, 0.0
        return longest


async def _until(pilot: Pilot[None], condition: Callable[[], bool]) -> float:
    begin = time.perf_counter()
    while not condition():
        await asyncio.sleep(0.0005)
        if time.perf_counter() - begin > 30:
            raise TimeoutError
    return time.perf_counter() - begin


async def _inside(root: Path) -> list[tuple[str, str, str]]:
    from pimem_core.paths import find_places
    from pimem_core.systems import registry
    from pimem_tui.screens.browser import BrowserScreen

    places = find_places({"HOME": str(root)}, cwd=str(root))
    folder = Path(places.agent_dir) / "memory"
    collect_seldom()
    app = PimemApp(registry.all_stores(places), places)
    rows: list[tuple[str, str, str]] = []
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowserScreen)
        await _until(pilot, lambda: len(screen.topic_list.listing.topics) == COUNT)
        await asyncio.sleep(2)
        blocks = _Blocks()
        rows += await _keys(app, screen, pilot)
        rows.append(("longest block while scrolling, ms", f"{blocks.take() * 1e3:.0f}", "50"))
        rows += await _filter(screen, pilot)
        rows.append(("longest block while filtering, ms", f"{blocks.take() * 1e3:.0f}", "50"))
        rows += await _refresh(screen, pilot, folder)
        rows.append(("longest block while refreshing, ms", f"{blocks.take() * 1e3:.0f}", "50"))
        for key in _OTHERS.split():
            _press(app, key)
            await asyncio.sleep(0.6)
        for size in ((80, 24), (40, 12), (120, 36)):
            await pilot.resize_terminal(*size)
            await asyncio.sleep(0.6)
        rows.append(("longest block in other actions, ms", f"{blocks.take() * 1e3:.0f}", "50"))
    return rows


#: Keys for everything else that the list leads to.
_OTHERS = """
p u space space a a s s s s s s e escape n escape enter escape i escape H escape c escape F escape
h escape question_mark escape ctrl+p escape r escape slash x escape escape tab shift+tab y T T T
"""


def _press(app: PimemApp, key: str) -> None:
    """Press a key without waiting, as a terminal does; the pilot waits until all is quiet."""
    character = key if len(key) == 1 else " " if key == "space" else None
    app.post_message(events.Key(key, character))


async def _keys(
    app: PimemApp, screen: BrowserScreen, pilot: Pilot[None]
) -> list[tuple[str, str, str]]:
    """From a key to the end of drawing what it changed."""
    times = []
    for _ in range(200):
        wanted = screen.topic_list.selected + 1
        begin = time.perf_counter()
        _press(app, "down")
        await _until(pilot, lambda wanted=wanted: screen.topic_list.selected == wanted)  # type: ignore[misc]
        screen._compositor.render_update(full=True)
        times.append(time.perf_counter() - begin)
    return [("key to paint while scrolling, 95th percentile ms", _high(times), "33")]


def _is_over(note: str) -> bool:
    return note.endswith(("hit", "hits"))


async def _filter(screen: BrowserScreen, pilot: Pilot[None]) -> list[tuple[str, str, str]]:
    """From a changed filter to its results: the first time, while texts are read, then warm."""
    app = screen.app
    assert isinstance(app, PimemApp)
    _press(app, "slash")
    await asyncio.sleep(0.3)
    first, *reading = await _type(screen, pilot, WORDS[:4])
    await _until(pilot, lambda: not any(w.group == "texts" and w.is_running for w in app.workers))
    warm = await _type(screen, pilot, WORDS[4:16])
    _press(app, "escape")
    await asyncio.sleep(0.5)
    return [
        ("first filter, 10,000 topics, bodies included, ms", f"{first * 1e3:.0f}", "1000"),
        ("filter while texts are read, 95th percentile ms", _high(reading), "-"),
        ("filter while typing, 95th percentile ms", _high(warm), "100"),
    ]


async def _type(screen: BrowserScreen, pilot: Pilot[None], words: Sequence[str]) -> list[float]:
    """Type words letter by letter; the seconds until each has its results."""
    field = screen.frame.filter_bar.input
    times: list[float] = []
    for word in words:
        for end in range(1, min(len(word), 6) + 1):
            screen.browsing.hits = None
            begin = time.perf_counter()
            field.value = word[:end]
            await _until(pilot, lambda: screen.browsing.hits is not None)
            times.append(time.perf_counter() - begin)
            await _until(pilot, lambda: _is_over(screen.frame.filter_bar.note))
        field.value = ""
        await asyncio.sleep(0.05)
    return times


async def _refresh(
    screen: BrowserScreen, pilot: Pilot[None], folder: Path
) -> list[tuple[str, str, str]]:
    """From a write by another program to the changed list on the screen."""
    index = folder / "MEMORY.md"
    times = []
    for number in range(15):
        text = index.read_text()
        line = text.split("\n")[10]
        begin = time.perf_counter()
        temporary = index.with_name(".tmp")
        temporary.write_text(text.replace(line, f"{line} {number}"))
        temporary.rename(index)
        end = f" {number}"

        def shows(end: str = end) -> bool:
            topics = screen.topic_list.listing.topics
            return len(topics) > 8 and topics[8].summary.endswith(end)

        await _until(pilot, shows)
        times.append(time.perf_counter() - begin)
        await asyncio.sleep(0.7)
    return [("refresh after an outside change, 95th percentile ms", _high(times), "150")]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_inside(Path(sys.argv[1])))))
