"""A disk that refuses a call: the change fails with its reason, and nothing is changed or lost.

`make test` takes a few calls of each kind of change with one error each, `make faults` all.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from faults.homes import EVERY, KINDS, Home, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from faults.tracer import Call, Ended

ERRORS = [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EMFILE, errno.EINTR]


def cases(calls: int, turn: int) -> Iterator[tuple[int, int, bool]]:
    """Which call is refused, with which error, and whether the disk stays full afterwards."""
    every = [
        (at, error, full)
        for at in range(1, calls + 1)
        for error in ERRORS
        for full in ((False, True) if error == errno.ENOSPC else (False,))
    ]
    yield from every if EVERY else every[len(every) * (turn % 10) // 10 :][:1]


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_refused_call_changes_and_loses_nothing(
    kind: Kind, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    home = Home(tmp_path, shared=kind.shared)
    kind.prepare(home)
    home.keep("before")
    before = home.look()
    whole = home.run(kind.command, stdin=kind.stdin)
    after = home.look()
    count = 0
    for at, error, full in cases(len(whole.calls), KINDS.index(kind)):
        home.restore("before")
        ended = home.run(
            kind.command, stdin=kind.stdin, error_at=at, error=error, sticky=full
        )  # fmt: skip
        call = whole.calls[at - 1]
        where = f"{kind.name}, {errno.errorcode[error]} at {at}: {call}: {ended.code} {ended.err}"
        assert ended.calls[:at] == whole.calls[:at], where
        told = ended.out + ended.err
        if ended.code == 0 and os.strerror(error) not in told:
            assert home.look() == after, where
        else:
            # A carry-over is a change of its own before the one that was asked for.
            assert home.look() in ([before, after] if kind.name == "carry-over" else [before]), (
                where
            )
            assert os.strerror(error) in told, where
            assert "Traceback" not in told, where
            assert ended.code == 4 or kind.name in ("carry-over", "retirement"), where
            _assert_kept(home, kind, ended, call, full, where)
        assert call.name == "unlink" or home.leftovers() == [], where
        home.store.recover()
        assert home.leftovers() == [], where
        assert home.look() in (before, after), where
        count += 1
    record_property("refused calls", f"{count} on {len(whole.calls)} calls: {kind.name}")


def _assert_kept(home: Home, kind: Kind, ended: Ended, call: Call, full: bool, where: str) -> None:
    """What was typed is in a draft that the message names, or the message says that it is not."""
    if kind.stdin:
        typed = kind.stdin.decode().removesuffix("\n")
    elif "edit" in kind.name:
        typed = "a line from the editor\n"
    else:
        return
    drafts = [path for path in (home.state / "drafts").glob("*.md") if str(path) in ended.err]
    if "Your text is kept in" in ended.err:
        assert drafts[0].read_text().endswith(typed), where
    elif "edit" in kind.name:
        # The editor was never opened: saving what came from it begins with the lock.
        assert not any(".lock" in made.path for made in ended.calls), where
    else:
        assert "could not be kept" in ended.err, where
        assert full or "drafts" in call.path, where
