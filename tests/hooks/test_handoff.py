"""HANDOFF.md: what goes in, what stays, what is never touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.systems.openpi import handoff
from pimem_core.systems.openpi.config import Config

if TYPE_CHECKING:
    from .conftest import Host


def said(*texts: Any, role: str = "assistant") -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for text in texts]


def compact(host: Host, *texts: Any, reason: str | None = "manual") -> list[dict[str, Any]]:
    payload: dict[str, Any] = {"preparation": {"messagesToSummarize": said(*texts)}}
    if reason is not None:
        payload["reason"] = reason
    return host.actions("session_before_compact", **payload)


def path(host: Host) -> Path:
    return Path(host.places.agent_dir) / "HANDOFF.md"


def config(host: Host, text: str) -> None:
    folder = Path(host.places.agent_dir)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.jsonc").write_text(text)


# What goes in


def test_content_may_be_a_text_or_blocks() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "toolCall"}, {"type": "text", "text": "b"}]
    assert handoff.bullets(said("plain", blocks, None, 3, [])) == ["- plain", "- ab"]


def test_the_newest_15_lines_of_the_last_three_answers() -> None:
    many = [f"- old {n}" for n in range(9)], [f"* mid {n}" for n in range(9)], ["newest"]
    found = handoff.bullets(said("never", *("\n".join(lines) for lines in many)))
    assert len(found) == 15
    assert found[0] == "- old 4"
    assert found[-1] == "- newest"
    assert "- never" not in found


def test_only_the_assistant_is_quoted() -> None:
    assert handoff.bullets(said("u", role="user") + said("t", role="toolResult")) == []


@pytest.mark.parametrize(
    ("line", "bullet"),
    [
        ("- item", "- item"),
        ("*   item", "- item"),
        ("- - item", "- - item"),
        ("**bold**", "- bold"),
        ("*slanted*", "- slanted"),
        ("***both***", "- *both*"),
        ("- **Done:** the *quick* fix, **tested**", "- Done: the quick fix, tested"),
        ("**A:** text **B**", "- A: text B"),
        ("2 * 3 * 4 and a*b*c", "- 2 * 3 * 4 and a*b*c"),
        ("run `ls *.py *.md` in **src**", "- run `ls *.py *.md` in src"),
        ("**open and * alone", "- **open and * alone"),
        ("**日本** *ü*", "- 日本 ü"),
        ("_under_", "- _under_"),
        ("#not a heading", "- #not a heading"),
        ("-5 degrees", "- -5 degrees"),
        ("  spaces  ", "- spaces"),
        ("crlf\r", "- crlf"),
    ],
)
def test_markers_and_emphasis_are_unwrapped(line: str, bullet: str) -> None:
    assert handoff.bullets(said(line)) == [bullet]


def test_headings_and_fence_lines_are_left_out_and_code_is_kept() -> None:
    text = "# One\n###### Six\n####### Seven\n```python\ncode = 1\n```\n\n\t\n#\tTabbed"
    assert handoff.bullets(said(text)) == ["- ####### Seven", "- code = 1"]


# The file


def test_one_blank_line_between_sections_however_often_it_is_written() -> None:
    text = ""
    for n in range(6):
        text = handoff.with_entry(text, handoff.entry(f"2026-01-0{n}", "manual", f"- {n}"), 3)
    assert text == (
        "## 2026-01-03 (manual)\n\n- 3\n\n## 2026-01-04 (manual)\n\n- 4\n\n"
        "## 2026-01-05 (manual)\n\n- 5\n"
    )


def test_headings_inside_a_section_do_not_end_it() -> None:
    body = "## Goal\n  ## Indented\n\t## Tabbed\n### Three\n##no space"
    new = handoff.entry("2026-01-01", "manual", handoff.consolidation_body(body))
    text = handoff.with_entry("", new, 3)
    assert len(handoff.sections(text)) == 1
    assert "\\## Goal" in text
    assert "### Three\n##no space" in text


def test_a_preface_and_lf_are_kept_and_a_fraction_keeps_one() -> None:
    text = handoff.with_entry("by hand\r\n\r\n## old (manual)\r\n", "## new (manual)\n", 3)
    assert text == "by hand\n\n## old (manual)\n\n## new (manual)\n"
    assert handoff.with_entry(text, "## newer (manual)", 0.5) == "## newer (manual)\n"
    assert handoff.with_newest_replaced(text, "## summary", 3) == (
        "by hand\n\n## old (manual)\n\n## summary\n"
    )
    assert handoff.with_newest_replaced("", "## summary", 3) == "## summary\n"


def test_a_long_summary_is_cut_between_characters_and_says_so() -> None:
    body = handoff.consolidation_body("é" * 10_000)
    assert "\ufffd" not in body
    assert len(body.split("\n\n")[0].encode()) <= 12_288
    assert body.endswith("-->")


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("I NEED TO go", True),
        ("waiting for CI", True),
        ("the next step is", True),
        ("pending", True),
        ("not done", True),
        ("incomplete", True),
        ("unfinished", True),
        ("next steps", False),
        ("needs to", False),
        ("incompletely", False),
        ("need  to", False),
        ("", False),
    ],
)
def test_what_counts_as_unfinished(text: str, goes_on: bool) -> None:
    assert handoff.decide(Config(), text) == ("continue" if goes_on else "none")
    assert handoff.decide(Config(auto_resume_after_threshold_compaction=True), text) == "continue"
    assert handoff.decide(Config(consolidate_on_compact=True), text) == "consolidate"


# On disk


def test_written_privately_and_pruned(host: Host) -> None:
    old = os.umask(0)
    try:
        for n in range(5):
            assert compact(host, f"text {n}", reason="overflow") == []
    finally:
        os.umask(old)
    assert stat.S_IMODE(path(host).stat().st_mode) == 0o600
    text = path(host).read_text()
    assert text.count("(overflow)") == 3
    assert "text 1" not in text
    assert list(Path(host.places.agent_dir).glob("*.lock")) == []
    assert len(list((Path(host.places.state_dir) / "locks").iterdir())) == 1


def test_without_a_reason_it_is_manual(host: Host) -> None:
    compact(host, "text", reason=None)
    assert "(manual)\n\n- text\n" in path(host).read_text()


@pytest.mark.parametrize(
    ("window", "tokens", "reserve", "reason"),
    [
        (100_000, 90_000, 16_384, "threshold"),
        (100_000, 20_000, 16_384, "manual"),
        (None, 90_000, 16_384, "manual"),
        (100_000, "many", 16_384, "manual"),
    ],
)
def test_a_pi_that_gives_no_reason_compacts_by_itself_when_it_is_full(
    host: Host, window: Any, tokens: Any, reserve: Any, reason: str
) -> None:
    preparation = {
        "messagesToSummarize": said("done"),
        "tokensBefore": tokens,
        "settings": {"reserveTokens": reserve},
    }
    payload = {"preparation": preparation, "@context_window": window}
    host.actions("session_before_compact", **payload)
    assert f"({reason})" in path(host).read_text().split("\n")[0]


def handed(host: Host, *, has_it: bool | None) -> list[str]:
    """The messages of a prompt on a branch that has the handoff, or has not."""
    payload: dict[str, Any] = {"messageType": "user"}
    if has_it is not None:
        payload["@tail_has:pimem-handoff"] = has_it
    found = host.actions("before_agent_start", **payload)
    return [action["customType"] for action in found if action["do"] == "message"]


def test_a_branch_without_the_handoff_is_given_it(host: Host) -> None:
    host.features = ["sections", "message_type"]
    host.start()
    compact(host, "next step: the tests")
    given = ["pimem-handoff"]
    assert handed(host, has_it=False) == given
    assert handed(host, has_it=True) == []
    # Back to before the prompt that had it, and on from there.
    assert handed(host, has_it=False) == given
    assert handed(host, has_it=True) == []
    # A host that does not tell has it once.
    assert handed(host, has_it=None) == []
    compact(host, "next step: the docs")
    # What was kept of the conversation has the older one; this one is new.
    assert handed(host, has_it=True) == given
    assert handed(host, has_it=True) == []


def test_nothing_said_or_switched_off_writes_nothing(host: Host) -> None:
    compact(host, "# only a heading")
    assert not path(host).exists()
    config(host, '{"handoff_keep": 0}')
    compact(host, "text")
    assert not path(host).exists()
    path(host).write_text("## 2026-01-01 (manual)\n\n- I need to go on\n")
    host.start()
    assert [action["do"] for action in host.prompt()] == ["section"]
    assert host.actions("session_compact", reason="threshold", willRetry=False) == []


def test_a_link_is_refused_and_its_target_stays(host: Host) -> None:
    target = Path(host.places.home) / "mine.md"
    target.write_text("mine\n")
    path(host).parent.mkdir(parents=True)
    path(host).symlink_to(target)
    (notice,) = compact(host, "text")
    assert "symbolic link" in notice["message"]
    assert target.read_text() == "mine\n"
    assert path(host).is_symlink()


def test_a_folder_in_its_place_is_said_and_nothing_breaks(host: Host) -> None:
    path(host).mkdir(parents=True)
    (notice,) = compact(host, "text")
    assert "HANDOFF.md" in notice["message"]
    host.start()
    assert [action["do"] for action in host.prompt()] == ["section"]


def test_another_writer_is_waited_for_only_so_long(host: Host) -> None:
    import filelock

    compact(host, "first")
    (lock,) = (Path(host.places.state_dir) / "locks").iterdir()
    with filelock.FileLock(lock):
        (notice,) = compact(host, "second")
    assert "another process" in notice["message"]
    assert "second" not in path(host).read_text()
    assert compact(host, "third") == []


def test_the_older_place_is_read_and_copied_by_a_hook_only(host: Host) -> None:
    legacy = Path(host.places.agent_dir) / "memory" / "HANDOFF.md"
    legacy.parent.mkdir(parents=True)
    legacy.write_text("## 2026-01-01 (manual)\n\n- from long ago\n")
    assert "long ago" in handoff.newest(host.places)
    assert not path(host).exists()
    host.start()
    assert path(host).read_bytes() == legacy.read_bytes()
    assert stat.S_IMODE(path(host).stat().st_mode) == 0o600
    assert "long ago" in str(host.prompt())
    path(host).write_text("## 2026-02-01 (manual)\n\n- newer\n")
    host.start()
    assert "newer" in path(host).read_text()


# Around a compaction


def test_a_threshold_compaction_goes_on_with_the_handoff(real_host: Host) -> None:
    host = real_host
    host.start()
    host.prompt()
    compact(host, "I need to finish", reason="threshold")
    note, go_on = host.actions("session_compact", reason="threshold", willRetry=False)
    assert (note["customType"], note["display"]) == ("pimem-handoff", False)
    assert "I need to finish" in note["content"]
    assert go_on == {"do": "send_user_message", "text": "Continue.", "deliverAs": "followUp"}
    assert [action["do"] for action in host.prompt()] == ["section"]


@pytest.mark.parametrize(
    ("reason", "retry"), [("manual", False), ("overflow", True), ("threshold", True)]
)
def test_nothing_is_sent_on_other_compactions(host: Host, reason: str, retry: bool) -> None:
    host.start()
    host.prompt()
    compact(host, "I need to finish", reason=reason)
    assert host.actions("session_compact", reason=reason, willRetry=retry) == []
    assert [action["do"] for action in host.prompt()] == ["section", "message"]
    assert [action["do"] for action in host.prompt()] == ["section"]


def test_a_late_answer_to_a_compaction_gives_the_handoff_back(host: Host) -> None:
    host.start()
    compact(host, "I need to finish", reason="threshold")
    payload = {"reason": "threshold", "willRetry": False}
    late = host.ask("session_compact", payload=payload)
    assert len(late["actions"]) == 2
    assert [a["do"] for a in host.prompt(missed=[late["id"]])] == ["section", "message"]


def test_an_event_that_was_lost_before_the_compaction_does_no_harm(host: Host) -> None:
    path(host).parent.mkdir(parents=True, exist_ok=True)
    path(host).write_text("## 2026-01-01 (manual)\n\n- older\n")
    host.features = []
    host.start()
    assert "older" in host.prompt()[0]["text"]
    assert host.prompt() == []
    host.actions("session_compact", reason="manual", willRetry=False)
    assert "older" in host.prompt()[0]["text"]


def test_a_consolidated_summary_is_for_new_sessions_only(host: Host) -> None:
    config(host, '{"consolidate_on_compact": true, "always_persist": ["RULE"]}')
    host.start()
    compact(host, "done", reason="threshold")
    entry = {"summary": "## Goal\nSUM"}
    (ask,) = host.actions(
        "session_compact", reason="threshold", willRetry=False, compactionEntry=entry
    )
    assert "> SUM" in ask["text"]
    assert "- RULE" in ask["text"]
    assert [action["do"] for action in host.prompt()] == ["section"]
    host.start("other")
    section, message = host.prompt("other")
    assert "Consolidation (threshold)" in message["content"]
    assert "SUM" in message["content"]
    assert path(host).read_text().count("## 2") == 1
    assert section["do"] == "section"


def test_a_continued_session_has_its_handoff_still(host: Host) -> None:
    path(host).parent.mkdir(parents=True, exist_ok=True)
    path(host).write_text("## 2026-01-01 (manual)\n\n- older\n")
    host.start()
    assert [action["do"] for action in host.prompt()] == ["section", "message"]
    host.start(payload={"@tail_has:pimem-handoff": True})
    assert [action["do"] for action in host.prompt()] == ["section"]
    path(host).write_text("## 2026-02-02 (manual)\n\n- newer\n")
    host.start(payload={"@tail_has:pimem-handoff": True})
    assert [action["do"] for action in host.prompt()] == ["section", "message"]
    host.start(payload={"@tail_has:pimem-handoff": False})
    assert [action["do"] for action in host.prompt()] == ["section", "message"]
