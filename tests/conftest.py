"""Every test gets an empty home of its own; nothing may touch the real one."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from pimem_core.paths import Places, find_places

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, str(Path(__file__).parent))

MEASURING = Path(__file__).parent / "measuring"
runpy.run_path(str(MEASURING / "sitecustomize.py"))

# No deadlines: a busy machine is no failure.
hypothesis.settings.register_profile(
    "pimem",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    max_examples=75,
    database=None,
)
hypothesis.settings.load_profile("pimem")


@pytest.fixture(autouse=True)
def isolated_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point HOME and every override into the test's folder."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("XDG_", "PI_", "PIMEM_", "ZCODE_", "OPENVIKING_")):
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "VISUAL", "EDITOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    if "COVERAGE_PROCESS_CONFIG" in os.environ:
        monkeypatch.setenv("PYTHONPATH", str(MEASURING))
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def places(isolated_home: Path) -> Places:
    """The folders of the isolated user."""
    return find_places()


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that the test starts load nothing to measure their coverage."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture
def untraced() -> Iterator[None]:
    """What the test itself does is not measured either.

    `no_cover` of pytest-cov stops one measurement; a worker of the tests has a second one, that of
    any child process.
    """
    trace = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(trace)
