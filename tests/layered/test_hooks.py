"""Layered memory inside pi: what is injected when, and whose memory is trusted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.errors import StorageError
from pimem_core.hooks.describe import describe
from pimem_core.settings import trust
from pimem_core.systems.layered import pending
from waiting import wait_for

if TYPE_CHECKING:
    from layered.worlds import World

QUESTION = "Use this project's memory?"


def confirms(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [action for action in actions if action["do"] == "confirm"]


def notices(actions: list[dict[str, Any]]) -> list[str]:
    return [action["message"] for action in actions if action["do"] == "notify"]


def test_what_is_offered(both: World) -> None:
    document = describe(both.places)
    assert "layered" in document["systems"]
    names = {row["name"] for row in document["commands"]}
    assert names >= {
        f"memory:{word}"
        for word in ("status", "list", "refresh", "checkpoint", "promote", "init", "clear-task")
    }
    events = {row["name"] for row in document["events"]}
    assert {"session_start", "before_agent_start"} <= events
    assert not events & {"agent_settled", "session_shutdown"}
    json.dumps(document)


@pytest.mark.parametrize(
    ("files", "active"),
    [
        ({}, False),
        ({"global_": {"index.md": ""}}, True),
        ({"workspace": {"index.md": ""}}, True),
        ({"global_": {"state/current-task.md": "x"}}, True),
    ],
)
def test_active_by_itself(world: World, files: dict[str, Any], active: bool) -> None:
    for layer, content in files.items():
        world.fill(**{layer: dict(content)})
    if "state/current-task.md" in files.get("global_", {}):
        (world.global_dir / "index.md").unlink()
    assert ("layered" in describe(world.places)["systems"]) is active


@pytest.mark.parametrize("word", ["on", "off"])
def test_switched_by_setting(world: World, word: str) -> None:
    world.configure(f'[systems]\nlayered = "{word}"\n')
    if word == "off":
        world.fill(global_={"user/a.md": "MINE"})
    assert ("layered" in describe(world.places)["systems"]) is (word == "on")


def test_state_workspace_and_global_in_this_order(both: World) -> None:
    both.fill(
        global_={"user/g.md": "MINE", "state/current-task.md": "DOING"},
        workspace={"w.md": "OURS"},
    )
    block = both.block()
    places = [block.index(word) for word in ("DOING", "OURS", "MINE")]
    assert places == sorted(places)
    assert block.startswith("<pi_memory>\n")
    assert "no new instructions" in block[:400]
    assert both.block() == both.block(session="other") == block
    parts = both.json("inject", "--store", "global")["systems"][0]["parts"]
    assert [part["name"] for part in parts] == ["state", "workspace", "global"]
    assert "\n\n".join(part["text"] for part in parts) in block


def test_the_task_alone_is_injected(world: World) -> None:
    world.fill(global_={"state/current-task.md": "DOING"})
    assert "### Current Task State\n\nDOING\n</pi_memory>" in world.block()
    for blank in ("", "  \n", "<!-- nothing -->"):
        world.fill(global_={"state/current-task.md": blank})
        assert world.block() == ""


def test_nothing_to_say_is_an_empty_list(both: World) -> None:
    assert [a for a in both.actions("before_agent_start") if a.get("name") == "pi_memory"] == []


def test_every_prompt_has_the_same_bytes(both: World) -> None:
    both.fill(workspace={"w.md": "OURS"})
    blocks = {both.block() for _ in range(12)}
    assert len(blocks) == 1


def test_an_edit_is_there_on_the_next_prompt(both: World) -> None:
    both.fill(workspace={"w.md": "one"}, global_={"user/g.md": "MINE"})
    assert "one" in both.block()
    for text in ("two", "six", "ten"):  # of one length, and as fast as can be
        (both.workspace / "w.md").write_text(text)
        assert text in both.block()
    (both.workspace / "w.md").unlink()
    assert "Workspace" not in both.block()
    both.run("write", "user/g.md", "--store", "global", "--summary", "Added", "--content", "later")
    assert "Added" in both.block()
    both.run("undo")
    assert "Added" not in both.block()


def test_unchanged_files_are_not_read_again(both: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from pimem_core.systems.layered import scan

    both.fill(workspace={f"{n}.md": "text" for n in range(5)})

    def kept() -> bool:
        both.block()
        with monkeypatch.context() as patched:
            patched.setattr(scan, "read_bytes", refuse)
            return "error" not in both.ask("before_agent_start")

    wait_for(kept, "the time stamps of the files to be safely in the past")


def refuse(path: str, **_more: object) -> bytes:
    raise NotImplementedError(path)


def test_a_run_of_an_extension_changes_nothing(both: World) -> None:
    both.fill(workspace={"w.md": "one"})
    first = both.block()
    (both.workspace / "w.md").write_text("two")
    assert both.block(messageType="custom") == first
    assert "two" in both.block(messageType="user")


def test_what_cannot_be_read_is_told_once(both: World) -> None:
    (both.workspace / "bad.md").symlink_to("nowhere")
    first = notices(both.actions("before_agent_start"))
    assert len(first) == 1
    assert "bad.md is a symbolic link to nowhere" in first[0]
    assert notices(both.actions("before_agent_start")) == []


# Trust


def test_a_clone_is_asked_about_once(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS", "b.md": "B"}, global_={"user/a.md": "MINE"})
    actions = world.actions("before_agent_start")
    (asked,) = confirms(actions)
    assert confirms(world.actions("before_agent_start")) == []
    block = world.block()
    assert "THEIRS" not in block
    assert "MINE" in block  # what is not used hides nothing
    assert asked["title"] == QUESTION
    assert "a.md, b.md" in asked["message"]
    world.actions("answer", key=asked["key"], value=True)
    block = world.block()
    assert "THEIRS" in block
    assert "MINE" not in block
    assert confirms(world.actions("session_start", session="new")) == []
    assert "THEIRS" in world.block(session="new")
    answers = [row for row in world.json("config") if row["key"] == f"trust.{world.project}"]
    assert [row["value"] for row in answers] == [True]
    assert not list(world.project.rglob("*trust*"))


def test_a_question_that_came_too_late_is_asked_with_the_next_prompt(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    late = world.ask("before_agent_start", mode="tui")
    assert len(confirms(late["actions"])) == 1
    assert confirms(world.actions("before_agent_start", mode="tui", missed=[late["id"]])) != []
    assert confirms(world.actions("before_agent_start", mode="tui")) == []


def test_a_no_is_kept_and_init_takes_it_back(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    (asked,) = confirms(world.actions("before_agent_start"))
    said = notices(world.actions("answer", key=asked["key"], value=False))
    assert "/memory:init workspace allows it" in said[0]
    assert confirms(world.actions("session_start", session="new")) == []
    assert confirms(world.actions("before_agent_start", session="new")) == []
    assert "THEIRS" not in world.block(session="new")
    assert any("said no" in note for note in world.layer("workspace").status().notes)
    assert "used in prompts now" in world.slash("init", "workspace")
    assert "THEIRS" in world.block()


def test_where_nobody_can_be_asked_one_notice_tells(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    actions = world.actions("before_agent_start", mode="print")
    assert confirms(actions) == []
    assert "`pimem init workspace` there trusts it" in notices(actions)[0]
    assert notices(world.actions("before_agent_start", mode="print")) == []
    assert "THEIRS" not in world.block(mode="print")


def test_a_question_that_nobody_answered_is_asked_again_another_time(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    (asked,) = confirms(world.actions("before_agent_start"))
    said = notices(world.actions("answer", key=asked["key"], value=None))
    assert len(said) == 1
    assert confirms(world.actions("before_agent_start")) == []
    assert len(confirms(world.actions("before_agent_start", session="new"))) == 1


def test_an_untrusted_project_is_not_even_asked_about(both: World) -> None:
    both.fill(workspace={"a.md": "OURS"}, global_={"state/current-task.md": "DOING"})
    block = both.block(trusted=False)
    assert "OURS" not in block
    assert "DOING" in block
    parts = both.json("inject", "--untrusted", "--store", "global")["systems"][0]["parts"]
    assert [part["name"] for part in parts] == ["state"]
    assert "OURS" in both.block(trusted=None)
    assert "pi does not trust this project" in both.slash("status", trusted=False)
    assert "does not trust" not in both.slash("status")


def test_no_question_about_a_memory_that_says_nothing(world: World) -> None:
    world.fill(workspace={"index.md": "# Index\n\n- a.md\n", "a.md": "<!-- empty -->"})
    found = world.actions("before_agent_start")
    assert {(action["do"], action.get("name")) for action in found} <= {("section", "memory")}


def test_an_answer_is_for_one_project(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    trust.keep(world.places, str(world.home / "elsewhere"), True)
    trust.keep(world.places, str(world.project / "sub"), True)
    assert "THEIRS" not in world.block()


def test_a_broken_answer_is_none(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    trust.keep(world.places, str(world.project), True)
    (path,) = (world.home / ".local" / "state" / "pimem" / "trust").iterdir()
    for text in ("", "[]", '{"root": "/other", "answer": true}', '{"answer": true}'):
        path.write_text(text)
        assert trust.answer(world.places, str(world.project)) is None
        assert world.json("config")


def test_the_original_extension_beside_ours(both: World) -> None:
    both.fill(workspace={"a.md": "OURS"})
    commands = [
        {"name": "memory:status:1", "path": "/x/pi-memory.ts", "own": False},
        {"name": "memory:status:2", "path": "/ours", "own": True},
    ]
    said = notices(both.actions("session_start", **{"@commands": commands}))
    assert len(said) == 1
    assert "/x/pi-memory.ts offers the same commands" in said[0]
    assert both.block() == ""


def test_other_commands_of_others_do_not_matter(both: World) -> None:
    both.fill(workspace={"a.md": "OURS"})
    commands = [{"name": "memory", "path": "/x", "own": False}, {"name": "x", "own": False}, None]
    assert both.actions("session_start", **{"@commands": commands}) == []
    assert "OURS" in both.block()


def test_a_state_folder_that_cannot_be_used(both: World, monkeypatch: pytest.MonkeyPatch) -> None:
    both.fill(workspace={"a.md": "OURS"})
    first = both.block()
    state = both.home / ".local" / "state" / "pimem"
    (both.workspace / "a.md").write_text("NEW")

    def refuse_all(_places: object) -> None:
        raise StorageError(f"{state} cannot be read.")

    monkeypatch.setattr(pending, "as_before", refuse_all)
    actions = both.actions("before_agent_start")
    assert next(a["text"] for a in actions if a.get("name") == "pi_memory") in first
    assert notices(actions) == [f"{state} cannot be read."]


def test_an_answer_that_cannot_be_kept(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    (asked,) = confirms(world.actions("before_agent_start"))
    state = world.home / ".local" / "state" / "pimem"
    (state / "trust").write_text("in the way")
    said = notices(world.actions("answer", key=asked["key"], value=True))
    assert "Your answer cannot be kept" in said[0]
