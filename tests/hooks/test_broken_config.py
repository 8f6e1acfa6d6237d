"""memory.jsonc that breaks: the last good values hold, above all the choice of the store."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.hooks.runner import Runner
from pimem_core.systems.openpi import config
from pimem_core.systems.openpi.location import active_folder, local_folder, shared_folder

if TYPE_CHECKING:
    from .conftest import Host

BROKEN = ['{"shared_dir": true', '{"a": 1 "b"}', "null", "\x00", b"\xff\xfe"]


def write(host: Host, text: str | bytes) -> None:
    path = Path(config.config_path(host.places))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (1, 1))  # what was read a while ago is not read again


def new_process(host: Host) -> None:
    config._last_good.clear()
    host.runner = Runner(in_background=False)


def notices(actions: list[dict[str, Any]]) -> list[str]:
    return [action["message"] for action in actions if action["do"] == "notify"]


@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_a_new_process_keeps_the_store(host: Host, broken: str | bytes) -> None:
    write(host, '{"shared_dir": true, "always_persist": ["MY RULE"]}')
    host.start()
    write(host, broken)
    new_process(host)
    (notice,) = notices(host.start())
    assert "The last good values are used until it is fixed, in the shared store." in notice
    assert active_folder(host.places) == shared_folder(host.places)
    prompt = host.prompt()
    assert "MY RULE" in prompt[0]["text"]
    assert shared_folder(host.places) in prompt[0]["text"]
    assert notices(prompt) == []
    host.tool("write_memory", topic="A", content="c", summary="s")
    assert (Path(shared_folder(host.places)) / "a.md").exists()
    assert not Path(local_folder(host.places)).exists()


def test_one_notice_when_it_breaks_while_pi_runs(host: Host) -> None:
    write(host, '{"shared_dir": true}')
    host.start()
    assert notices(host.prompt()) == []
    write(host, '{\n  "shared_dir": tru\n}')
    said = [notices(host.prompt()) for _ in range(3)]
    assert [len(found) for found in said] == [1, 0, 0]
    assert "memory.jsonc, line 2, column" in said[0][0]
    assert notices(host.start("other"))  # another session is told as well
    write(host, '{"shared_dir": false}')
    assert notices(host.prompt()) == []
    assert active_folder(host.places) == local_folder(host.places)


def test_what_was_changed_while_pi_runs_is_the_last_good(host: Host) -> None:
    write(host, '{"shared_dir": false}')
    host.start()
    host.prompt()
    write(host, '{"shared_dir": true}')
    host.prompt()
    write(host, "{")
    new_process(host)
    assert active_folder(host.places) == shared_folder(host.places)


def test_without_a_good_one_defaults_are_used(host: Host) -> None:
    write(host, "{")
    (notice,) = notices(host.start())
    assert "Defaults are used until it is fixed, in the local store." in notice


@pytest.mark.parametrize("kept", ["", "[]", "{", '{"path": "/other", "shared_dir": true}'])
def test_kept_values_of_a_wrong_shape_are_none(host: Host, kept: str) -> None:
    write(host, '{"shared_dir": true}')
    host.start()
    (path,) = (Path(host.places.state_dir) / "good").iterdir()
    assert json.loads(path.read_text())["shared_dir"] is True
    path.write_text(kept)
    write(host, "{")
    new_process(host)
    assert active_folder(host.places) == local_folder(host.places)
