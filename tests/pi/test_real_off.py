"""Memory in runs that go without: subagents, PIMEM_OFF, a project; and Python kept to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pi.real import Real


def given(pi: Real, *options: str) -> bool:
    """Whether a prompt has memory; tools and block come and go together."""
    assert pi.prompt("hello", options=options) == "ok"
    return bool(pi.block())


@pytest.mark.parametrize(
    "parent",
    [
        {"PI_SESSION_ID": "parent"},
        {"PI_CODING_AGENT": "true", "AI_AGENT": "pi"},
        {"PI_SUBAGENT_DEPTH": "1"},
    ],
    ids=["bash", "extension", "named"],
)
def test_an_agent_that_pi_started_has_none(real: Real, parent: dict[str, str]) -> None:
    real.write("GPU Box", "two cards")
    assert given(real)
    mine = dict(real.env)
    real.env |= parent
    assert not given(real, "--no-session")
    assert "two cards" not in real.system()
    real.config('[pi]\nsubagents = "on"\n')
    assert given(real, "--no-session")
    real.env = mine
    assert given(real)


def test_switched_off_and_on(real: Real) -> None:
    real.write("GPU Box", "two cards")
    assert given(real)
    real.env["PIMEM_OFF"] = "1"
    assert not given(real)
    assert "write_memory" not in real.tools()
    del real.env["PIMEM_OFF"]
    assert given(real)
    for where in ([], ["--project"]):
        real.pimem("off", *where)
        assert not given(real)
        assert "write_memory" not in real.tools()
        real.pimem("on", *where)
        assert given(real)
        assert "write_memory" in real.tools()


def test_the_projects_python_variables_stay_out(real: Real) -> None:
    real.write("GPU Box", "two cards")
    broken = real.project / "modules"
    broken.mkdir()
    (broken / "json.py").write_text("raise SystemExit('not this one')\n")
    real.env["PYTHONPATH"] = str(broken)
    real.env["PYTHONWARNINGS"] = "error"
    real.env["PYTHONHOME"] = "/not/there"
    assert given(real)
