"""Other extensions of pi that offer memory: found by their code, switched off and on again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.pi import package, providers
from pimem_core.systems import registry

if TYPE_CHECKING:
    from pimem_core.paths import Places

TOOL = 'export default (pi) => pi.registerTool({ name: "remove_memory", parameters: {} });\n'
COMMAND = "export default function (pi) { pi.registerCommand( 'memory', {}) }\n"
FACTS = "const READ = `memory_read`;\npi.registerTool({name: READ});\n"


@pytest.fixture
def agent(places: Places) -> Path:
    folder = Path(places.agent_dir)
    folder.mkdir(parents=True)
    return folder


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def found(places: Places) -> list[tuple[str, str]]:
    return [(one.system, one.source) for one in package.providers(places, registry.SYSTEMS)]


@pytest.mark.parametrize(
    ("key", "source", "file", "text", "system"),
    [
        ("packages", "npm:nano-notes", "npm/node_modules/nano-notes/dist/a.js", TOOL, "openpi"),
        ("packages", "npm:@x/y@1.2.3", "npm/node_modules/@x/y/src/index.ts", COMMAND, "openpi"),
        ("packages", "git:github.com/u/r@v1", "git/github.com/u/r/index.ts", FACTS, "zcode"),
        ("packages", "git:git@github.com:u/r.git", "git/github.com/u/r/x.mjs", TOOL, "openpi"),
        ("packages", "./mine", "mine/extensions/a.ts", TOOL, "openpi"),
        ("extensions", "other.ts", "other.ts", COMMAND, "openpi"),
        ("packages", "npm:openpi-memory@1", "none", "", "openpi"),
    ],
)
def test_a_provider_is_known_by_its_code_or_name_and_switched_off(
    places: Places, agent: Path, key: str, source: str, file: str, text: str, system: str
) -> None:
    put(agent / file, text)
    settings = json.dumps({"theme": "dark", key: ["npm:something-else", source]}, indent=1)
    put(agent / "settings.json", settings)
    assert found(places) == [(system, source)]
    package.install(places, registry.SYSTEMS, take_over=True)
    assert all(one.off for one in package.providers(places, registry.SYSTEMS))
    assert "npm:something-else" in (agent / "settings.json").read_text()
    package.uninstall(places)
    assert (agent / "settings.json").read_text() == settings


def test_one_that_pi_finds_by_itself_is_switched_off_by_an_entry(
    places: Places, agent: Path
) -> None:
    put(agent / "extensions/notes/index.ts", TOOL + FACTS)
    put(agent / "settings.json", '{"theme": "dark"}\n')
    path = str(agent / "extensions/notes")
    assert found(places) == [("openpi", path), ("zcode", path)]
    package.install(places, registry.SYSTEMS, take_over=True)
    assert json.loads((agent / "settings.json").read_text())["extensions"] == [f"-{path}"]
    assert found(places) == []
    package.uninstall(places)
    assert (agent / "settings.json").read_text() == '{"theme": "dark"}\n'


@pytest.mark.parametrize(
    "text",
    [
        'pi.registerTool({ name: "note" }); // unlike write_memory',
        'const text = "write_memory is a tool of another extension";',
        "pi.registerCommand('memories', {})",
        'pi.registerTool({ name: "guard" }); if (event.toolName === "write_memory") block();',
        'pi.registerTool({ name: "guard" }); const WATCHED = "write_memory"; watch(WATCHED);',
        "",
    ],
)
def test_who_only_speaks_of_memory_offers_none(places: Places, agent: Path, text: str) -> None:
    put(agent / "x.ts", text)
    put(agent / "node_modules/dep/index.js", TOOL)
    put(agent / "settings.json", json.dumps({"extensions": ["x.ts", "gone.ts", 7, {"a": 1}]}))
    assert found(places) == []


def test_our_own_package_is_no_other(places: Places, agent: Path) -> None:
    put(agent / "settings.json", "{}")
    package.install(places, registry.SYSTEMS, take_over=False)
    assert found(places) == []


def test_a_huge_extension_is_read_in_part(
    places: Places, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "_MOST_FILES", 3)
    for number in range(5):
        put(agent / f"big/{number}.ts", "pi.registerTool({});" if number != 4 else TOOL)
    put(agent / "settings.json", '{"extensions": ["big"]}')
    assert found(places) == []
    put(agent / "big/0.ts", TOOL)
    assert found(places) == [("openpi", "big")]
