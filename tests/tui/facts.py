"""A project of facts for tests of the manager, and the way to one of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pimem_core.systems import registry
from pimem_core.systems.zcode.store import ZcodeStore
from pimem_tui.app import PimemApp
from tui.helpers import NOW, browser, press, settled
from zcode.folder import HEADER, Project, fact

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from textual.pilot import Pilot


def metadata(type_: str) -> str:
    return f"\n  node_type: memory\n  type: {type_}"


FACTS = {
    "MEMORY.md": HEADER
    + "- [Staging database](staging-db.md) — host, port, how it is reset\n"
    + "- [Short answers](short-answers.md) — no summaries at the end\n"
    + "- [Release train](release-train.md) — every second Tuesday\n"
    + "- [Grafana](grafana.md) — where the dashboards are\n"
    + "- [Lost](lost.md) — was renamed by hand\n",
    "staging-db.md": fact(
        "staging-db",
        '"host, port, how it is reset"',
        metadata("project"),
        "\n# Staging database\n\nPort 6543 on the staging host. It is reset with every "
        "[[release-train]], and the alarms are in [[grafana|Grafana]].\n\n"
        "Ask for [[vpn-access]] first; `[[not-a-link]]` stays text.\n",
    ),
    "short-answers.md": fact(
        "short-answers",
        '"no summaries at the end"',
        metadata("feedback"),
        "\n**Why:** she reads diffs.\n**How to apply:** stop after the change.\n",
    ),
    "release-train.md": fact(
        "release-train",
        '"every second Tuesday"',
        metadata("project"),
        "\nThe branch is cut on Monday. See [[staging-db]].\n" + "\nLine.\n" * 40,
    ),
    "grafana.md": fact(
        "grafana", '"where the dashboards are"', metadata("reference"), "\nIn the wiki.\n"
    ),
    "works-late.md": fact(
        "works-late", '"no calls before ten"', metadata("user"), "\nSee [[staging-db]] at night.\n"
    ),
}


def aged(project: Project) -> Project:
    """Let the facts be three days old; lists show their age."""
    for file in FACTS:
        os.utime(project.path / file, (NOW - 3 * 86_400, NOW - 3 * 86_400))
    return project


def number_of(places: Places, name: str = "zcode") -> int:
    return [store.name for store in registry.all_stores(places)].index(name)


async def open_fact(pilot: Pilot[None], file: str) -> None:
    listing = browser(pilot).topic_list
    row = listing.listing.row_of(file)
    assert row is not None
    listing.select(row)
    await settled(pilot)
    await press(pilot, "enter")


def pictured(demo: Places) -> PimemApp:
    """A manager with the facts, in a folder whose name is the same wherever the test runs."""
    folder = f"{demo.home}/.zcode/cli/memories/projects/chat-0123456789abcdef/memory"
    project = aged(Project(demo, ZcodeStore("zcode", folder, demo)).fill(FACTS))
    stores = [*registry.all_stores(demo)[:2], project.store]
    return PimemApp(stores, demo, start=2, now=lambda: NOW)
