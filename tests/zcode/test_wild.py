"""1,200 made-up files in the shapes that real memories have: all load, show, search and check."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems.zcode import check
from pimem_core.systems.zcode.detection import recognise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.systems.stores import FolderStore
    from zcode.folder import Project

COUNT = 1200
TYPES = ("user", "feedback", "project", "reference", "infra", "semantic", "state")
WORDS = ("deploy", "token", "cache", "review", "café", "日本語", "schema", "—", "`make`", "build")
SEPARATORS = [" — "] * 90 + [" - ", " · ", ": ", " ", " \u00e2\u20ac\u201d ", " `user` — ", " → "]


def sentence(rng: random.Random, least: int, most: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(least, most)))


def front(rng: random.Random, name: str) -> str:
    """Front matter as ZCode, two generations of Claude Code, another agent and people write it."""
    description = sentence(rng, 8, 30)
    type_ = rng.choice(TYPES)
    zcode = f"metadata:\n  node_type: memory\n  type: {type_}\n"
    shapes: list[Callable[[], str]] = [
        lambda: f'name: {name}\ndescription: "{description}"\n{zcode}',
        lambda: (
            f"name: {name}\ndescription: {description}\n{zcode}  originSessionId: sess_{name}\n"
        ),
        lambda: (
            f"name: {name}\ndescription: {description}\nmetadata: \n  node_type: memory\n"
            f"  type: {type_}\n  originSessionId: 0e4a\n  modified: 2026-07-01T10:00:00.000Z\n"
        ),
        lambda: f"name: {name}\ndescription: {description}\ntype: {type_}\n",
        lambda: (
            f"name: {name.title()} rules\ndescription: {description}\ntype: {type_}\n"
            "originSessionId: 0e4a-11\n"
        ),
        lambda: f"name: {name}\ndescription: {description}\n",
        lambda: f"name: {name}\ndescription: Rule: {description} # not a comment\n{zcode}",
        lambda: f"name: {name}\nmetadata: {{type: {type_}}}\ndescription: >-\n  {description}\n",
        lambda: f"name: 007\ndescription: {description}\n  and more on a second line\n{zcode}",
        lambda: f"{zcode}tags: [a, b]\nname: '{name}'\ndescription: |\n  {description}\n",
        lambda: f"name: {name}\nname: {name}\ndescription: [broken\n",
        lambda: "".join(f"k{n}: v\n" for n in range(34)) + f"name: {name}\n",
    ]
    weights = [20, 15, 20, 15, 8, 15, 2, 1, 1, 1, 1, 1]
    return rng.choices(shapes, weights)[0]()


def body(rng: random.Random) -> str:
    parts = [f"# {sentence(rng, 2, 5)}", sentence(rng, 20, 120)]
    extras = [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- one\n  - two\n    - three",
        f"**Why:** {sentence(rng, 5, 20)}\n\n**How to apply:** {sentence(rng, 5, 20)}",
        f"See [[fact-{rng.randrange(COUNT)}]] and [[feedback_{rng.randrange(COUNT)}.md]].",
        "```sh\nif [[ -f x ]]; then echo; fi\n```",
        "<!-- note -->",
        "🚀 " + "x" * rng.choice((10, 1200)),
    ]
    return "\n\n".join([*parts, *rng.sample(extras, 2)])


def synthetic(rng: random.Random) -> tuple[dict[str, bytes], list[str]]:
    """Files by name, and the lines of an index of most of them."""
    files: dict[str, bytes] = {}
    lines = []
    for number in range(COUNT):
        stem = rng.choice(
            [f"fact-{number}"] * 8
            + [f"feedback_{number}"] * 8
            + [f"2026-01-{number}", f"Upper {number}", f"记忆-{number}", f"sub/deep-{number}"]
        )
        name = f"{stem}.md"
        text = body(rng) + "\n"
        if rng.random() < 0.82:
            text = f"---\n{front(rng, f'fact-{number}')}---\n" + "\n" * (rng.random() < 0.9) + text
        if rng.random() < 0.02:
            text = text.replace("\n", "\r\n")
        if rng.random() < 0.01:
            text = "\ufeff" + text
        if rng.random() < 0.02:
            text = text.rstrip("\n")
        data = text.encode()
        if rng.random() < 0.003:
            data = b""
        files[name] = data
        if rng.random() < 0.9:
            link = rng.choice([name, name.replace(" ", "%20"), f"./{name}", f"<{name}>"])
            lines.append(
                f"- [{sentence(rng, 2, 6)}]({link}){rng.choice(SEPARATORS)}{sentence(rng, 5, 25)}"
            )
    lines += ["| [Row](fact-1.md) | cell |", "- [A](fact-2.md), [B](fact-3.md) — both"]
    lines += ["- ~~[Gone](gone.md) — lost~~", "- **[Bold](feedback_9.md)** — x", "", "## More"]
    return files, lines


def check_all(store: FolderStore, files: dict[str, bytes]) -> None:
    topics = store.list()
    assert {t.file for t in topics if t.problem != "file missing"} == set(files)
    for topic in topics:
        if topic.problem == "file missing":
            continue
        document = store.read(topic.file)
        assert document.text == files[topic.file].decode()
        assert document.text.endswith(document.body)
        assert store.read_bytes(topic.file) == files[topic.file]
        store.preview(topic.file)
    assert store.find("fact-7" if "fact-7.md" in files else topics[0].file)
    hits = list(store.search("SCHEMA"))
    assert len(hits) > COUNT / 2
    assert len({hit.topic.file for hit in hits}) == len(hits)


@pytest.mark.usefixtures("untraced")  # much of the same, which measuring makes slow
def test_a_large_and_mixed_store(project: Project) -> None:
    files, lines = synthetic(random.Random(7))
    project.fill({**files, "MEMORY.md": "# Memory Index\n\n" + "\n".join(lines) + "\n"})
    before = project.files()
    check_all(project.store, files)
    assert recognise(str(project.path)) == "zcode"
    store = project.store
    found = [store.links(file) for file in list(files)[:3]]
    assert all(isinstance(name, str) for links in found for name, _ in links.outgoing)
    findings = check.findings(project.store.folder, project.store.folder.view())
    codes = {finding.code for finding in findings}
    assert {"orphan_line", "unlisted_file", "over_limit", "late_front_matter"} <= codes
    assert check.summary(findings)
    assert project.store.status().count == COUNT
    assert project.files() == before


def test_every_shape_of_front_matter_survives_a_change(project: Project) -> None:
    rng = random.Random(11)
    files, lines = synthetic(rng)
    names = rng.sample([n for n in files if files[n].startswith(b"---") and "/" not in n], 30)
    files = {name: files[name] for name in names}
    lines = [line for line in lines if any(f"({n}" in line or f"./{n}" in line for n in names)]
    project.fill({**files, "MEMORY.md": "# Memory Index\n\n" + "\n".join(lines) + "\n"})
    for name in names:
        old, index = files[name].decode(), project.index
        change = project.write(name, "New body.", "A new description", None)
        assert change.outcome == "updated"
        new = project.text(name)
        known = set(old.split("\n"))
        # Of the front matter only the description's own line is new.
        added = [x for x in new.split("\n---")[0].split("\n") if x not in known]
        assert [x.rstrip("\r") for x in added] == ['description: "A new description"']
        assert project.topic(name).summary == "A new description"
        before, after = index.split("\n"), project.index.split("\n")
        changed = len(set(after) - set(before))
        assert changed == 1
        assert len(after) - len(before) in (0, 1)
