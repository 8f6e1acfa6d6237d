"""Real pi sessions: the newest and the oldest version whole, those between with a conversation."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from pi import harness, installing, terminals
from pi.model import FakeModel
from pi.real import FORMS, Real, told_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pi-all", action="store_true", help="run every test on every version of pi")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "smoke: also run on the versions of pi between")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "pi_version" not in metafunc.fixturenames:
        return
    whole = metafunc.config.getoption("--pi-all", default=False)
    smoke = metafunc.definition.get_closest_marker("smoke") is not None
    versions = installing.WHOLE + (installing.BETWEEN if whole or smoke else ())
    metafunc.parametrize("pi_version", versions)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if installing.complete():
        return
    for item in items:  # the first that runs installs, the others wait for it
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def shared_temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pi and Node.js keep what they compiled, which takes longer than most tests."""
    return tmp_path_factory.mktemp("pi-temp")


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model


@pytest.fixture
def pi(
    pi_version: str, tmp_path: Path, shared_temp: Path, model: FakeModel
) -> Iterator[harness.Pi]:
    """A pi in its own folder; whatever it did, no runner of its may be left."""
    pi = harness.Pi(pi_version, tmp_path / "pi", shared_temp, model)
    yield pi
    pi.assert_no_runner()


@pytest.fixture
def real(pi_version: str, tmp_path: Path, shared_temp: Path, model: FakeModel) -> Iterator[Real]:
    """A pi with the real pimem, served."""
    pi = Real(pi_version, tmp_path / "pi", shared_temp, model, "served")
    yield pi
    pi.assert_no_runner()


@pytest.fixture
def both(
    pi_version: str, tmp_path: Path, shared_temp: Path
) -> Callable[[Callable[[Real], None]], None]:
    """Plays a scenario with the served and with the one-shot form: the provider gets the same."""

    def play(scenario: Callable[[Real], None]) -> None:
        received = []
        for form in FORMS:
            with FakeModel() as model:
                pi = Real(pi_version, tmp_path / form[0], shared_temp, model, form)
                scenario(pi)
                pi.assert_no_runner()
                received.append(told_apart(pi))
        assert received[0] == received[1]

    return play


@pytest.fixture
def terminal_socket() -> Iterator[Path]:
    """A short path: sockets cannot have long ones."""
    if not terminals.have_tmux():
        pytest.skip("tmux is not installed")
    with tempfile.TemporaryDirectory(prefix="pimem-", dir="/tmp") as folder:
        yield Path(folder) / "tmux"
