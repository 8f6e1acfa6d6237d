"""A file that cannot be looked at is not a missing one."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from core.folders import snapshot
from pimem_core.errors import StorageError
from pimem_core.files import anchor, read
from pimem_core.systems.openpi import carry_over
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pathlib import Path

    from core.folders import Folder


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Endings of paths that the disk does not tell about."""
    endings: list[str] = []

    def told(path: str) -> None:
        if any(str(path).endswith(ending) for ending in endings):
            raise OSError(errno.EIO, "Input/output error")

    lstat = anchor.lstat_at

    def lstat_at(path: str) -> os.stat_result:
        told(path)
        return lstat(path)

    real = os.lstat

    def os_lstat(path: str, **options: int) -> os.stat_result:
        told(path)
        return real(path, **options)

    monkeypatch.setattr(read, "lstat_at", lstat_at)
    monkeypatch.setattr(os, "lstat", os_lstat)
    return endings


def test_a_topic_is_not_made_again(local: Folder, failing: list[str]) -> None:
    before = snapshot(local.path)
    failing.append("docker-net.md")
    with pytest.raises(StorageError, match=r"docker-net\.md"):
        local.store.write(WriteRequest(topic="Docker net", content="new", summary="s"))
    failing.clear()
    assert snapshot(local.path) == before


def test_nothing_is_carried_over_twice(tmp_path: Path, failing: list[str]) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory Index\n")
    assert carry_over.is_due(str(tmp_path))
    failing.append(carry_over.SENTINEL_NAME)
    assert not carry_over.is_due(str(tmp_path))
