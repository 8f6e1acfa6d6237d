"""The hook commands: one request from standard input, or JSON lines until it closes."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident
from time import monotonic, sleep

from ..paths import find_places
from .apart import Workers, new_thread
from .protocol import (
    MAX_BYTES,
    TOO_LONG,
    EventMismatchError,
    RequestError,
    dump,
    dump_answer,
    failure,
    parse,
)
from .runner import Runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from .protocol import Request
    from .runner import Answer

_USAGE = "usage: pimem hook EVENT < request.json | pimem hook serve | pimem hook describe"
_CHUNK = 1 << 16
#: How long requests under way are waited for once the host has closed its end, in seconds.
_LEAVE_S = 5.0
#: Exit code when the answer could not be written.
_UNWRITTEN = 4


def main(words: Sequence[str]) -> int:
    """Run `pimem hook …`; the words behind `hook`.

    Returns:
        0 whenever a response was printed, 2 for wrong usage, 4 when a stream is closed or full.
    """
    words = [word for word in words if word != "--json"]
    if len(words) != 1 or words[0] in ("-h", "--help"):
        asked = words[:1] in (["-h"], ["--help"])
        (sys.stdout if asked else sys.stderr).write(_USAGE + "\n")
        return 0 if asked else 2
    # A stream is None when the process was started with it closed.
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        return _say("Standard output is closed, so there is nowhere to answer.")
    if words[0] == "describe":
        from .describe import describe

        return _print(describe(find_places()))
    try:
        if words[0] == "serve":
            return serve() if sys.stdin is not None else 0
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin is not None else b""
    except OSError as error:
        return _say(f"Standard input cannot be read: {error.strerror}.")
    try:
        return _answer_once(parse(data, event=words[0]))
    except RequestError as error:
        return _print(failure(error.request_id, error.code, str(error)))
    except EventMismatchError as error:
        _say(f"{error}\n{_USAGE}")
        return 2


def _answer_once(request: Request) -> int:
    """Answer in this thread, which is ready to run; another looks whether a system hangs in it."""
    runner = Runner(in_background=False, begin=lambda work: work())
    here, answered = get_ident(), allocate_lock()
    answered.acquire()
    code = 0

    def answer(value: Mapping[str, Any]) -> None:
        nonlocal code
        code = _print(value)
        if get_ident() != here:
            os._exit(code)  # this thread's work may never end
        answered.release()

    def watch() -> None:
        while True:
            sleep(runner.look())

    new_thread(watch)
    runner.submit(request, answer)
    answered.acquire()
    return code


def _print(answer: Mapping[str, Any]) -> int:
    try:
        sys.stdout.buffer.write(dump(answer))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        return _UNWRITTEN  # who asked is gone
    except OSError as error:
        return _say(f"The answer cannot be written: {error.strerror}.")
    return 0


def _say(text: str) -> int:
    """Say on standard error why there is no answer; the exit code for that."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        pass
    return _UNWRITTEN


class _Lines:
    """Lines of a pipe, each at most a request long; a longer one comes as None, the rest goes on.

    `sys.stdin.buffer` would hold a line of any length in memory.
    """

    def __init__(self, descriptor: int, idle: Callable[[], float | None]) -> None:
        self._descriptor = descriptor
        self._idle = idle

    def __iter__(self) -> Iterator[bytes | None]:
        held = bytearray()
        too_long = False
        while chunk := self._read():
            held += chunk
            while (end := held.find(b"\n")) >= 0:
                line = bytes(held[:end])
                del held[: end + 1]
                yield None if too_long or len(line) > MAX_BYTES else line
                too_long = False
            if len(held) > MAX_BYTES:
                too_long = True
                held.clear()
        if held.strip():
            yield None if too_long else bytes(held)

    def _read(self) -> bytes:
        """What is there next; meanwhile `idle` is called as often as it asks for, in seconds."""
        from select import select  # only a served runner waits

        while True:
            readable, _, _ = select([self._descriptor], [], [], self._idle())
            if readable:
                return os.read(self._descriptor, _CHUNK)


class _Answers:
    """Writes answers as lines, from any thread; `open` counts the requests under way."""

    def __init__(self) -> None:
        self.open = 0
        self._lock = allocate_lock()

    def begin(self) -> Answer:
        """Expect an answer to a request."""
        with self._lock:
            self.open += 1
        return self._end

    def _end(self, value: Mapping[str, Any]) -> None:
        self.write(value)
        with self._lock:
            self.open -= 1

    def write(self, value: Mapping[str, Any]) -> None:
        """Write one line."""
        data = dump_answer(value)
        with self._lock:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except (BrokenPipeError, ValueError):
                os._exit(0)  # the host is gone, and with it everybody who could want an answer
            except OSError as error:
                os._exit(_say(f"The answer cannot be written: {error.strerror}."))


def serve() -> int:
    """Answer JSON lines until standard input closes; one answer is one line."""
    answers = _Answers()
    runner = Runner(in_background=True, spawn=Workers().spawn)

    def idle() -> float | None:
        wait = runner.look()
        return wait if answers.open else None

    for line in _Lines(sys.stdin.fileno(), idle):
        if line is None:
            answers.write(failure(None, "too_long", TOO_LONG))
        elif line.strip():
            try:
                request = parse(line)
            except RequestError as error:
                answers.write(failure(error.request_id, error.code, str(error)))
            else:
                runner.submit(request, answers.begin())
    end = monotonic() + _LEAVE_S
    while answers.open and monotonic() < end:
        sleep(min(runner.look(), 0.01))
    return 0
