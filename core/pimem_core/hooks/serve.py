"""The hook commands: one request from standard input, or JSON lines until it closes."""

from __future__ import annotations

import os
import sys

from ..paths import find_places
from .protocol import (
    MAX_BYTES,
    EventMismatchError,
    Request,
    RequestError,
    dump,
    failure,
    parse,
)
from .runner import Runner, describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_USAGE = "usage: pimem hook EVENT < request.json | pimem hook serve | pimem hook describe"
_CHUNK = 1 << 16
#: Requests that may wait for a lock or work long; they get a thread of their own.
_SLOW = frozenset({"tool", "command", "answer"})


def main(words: Sequence[str]) -> int:
    """Run `pimem hook …`; the words behind `hook`.

    Returns:
        0 whenever a response was printed, 2 for wrong usage.
    """
    words = [word for word in words if word != "--json"]
    if len(words) != 1 or words[0] in ("-h", "--help"):
        asked = words[:1] in (["-h"], ["--help"])
        (sys.stdout if asked else sys.stderr).write(_USAGE + "\n")
        return 0 if asked else 2
    if words[0] == "describe":
        return _print(describe(find_places()))
    if words[0] == "serve":
        return serve()
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        answer = Runner(in_background=False).handle(parse(data, event=words[0]))
    except RequestError as error:
        answer = failure(error.request_id, error.code, str(error))
    except EventMismatchError as error:
        sys.stderr.write(f"{error}\n{_USAGE}\n")
        return 2
    return _print(answer)


def _print(answer: Mapping[str, Any]) -> int:
    sys.stdout.buffer.write(dump(answer))
    sys.stdout.buffer.flush()
    return 0


class _Lines:
    """Lines of a pipe, each at most a request long; a longer one comes as None, the rest goes on.

    `sys.stdin.buffer` would hold a line of any length in memory.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __iter__(self) -> Iterator[bytes | None]:
        held = bytearray()
        too_long = False
        while chunk := os.read(self._descriptor, _CHUNK):
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


def serve() -> int:
    """Answer JSON lines until standard input closes; one answer is one line."""
    import threading  # the one-shot form needs no threads

    runner = Runner(in_background=True)
    writing = threading.Lock()
    threads: set[threading.Thread] = set()

    def answer(value: Mapping[str, Any]) -> None:
        data = dump(value)
        with writing:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except (BrokenPipeError, ValueError):
                os._exit(0)  # the host is gone, and with it everybody who could want an answer

    def work(request: Request) -> None:
        answer(runner.handle(request))
        threads.discard(threading.current_thread())

    for line in _Lines(sys.stdin.fileno()):
        if line is None:
            message = f"A request may have {MAX_BYTES} bytes at most."
            answer(failure(None, "too_long", message))
            continue
        if not line.strip():
            continue
        try:
            request = parse(line)
        except RequestError as error:
            answer(failure(error.request_id, error.code, str(error)))
            continue
        if request.event in _SLOW:
            thread = threading.Thread(target=work, args=(request,))
            threads.add(thread)
            thread.start()
        else:
            answer(runner.handle(request))
    for thread in list(threads):
        thread.join(5)
    return 0
