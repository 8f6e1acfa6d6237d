"""The labelled set: what an engineer remembers, asked for in four ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .shelves import names, shelf, topic

FACTS = json.loads((Path(__file__).parent.parent / "data" / "search-facts.json").read_text())
#: Least share of questions answered at the first place, and in the first five.
BOUNDS = {
    "exact": (0.95, 1.0),
    "order": (0.95, 1.0),
    "inflection": (0.9, 0.97),
    "paraphrase": (0.6, 0.85),
}


@pytest.mark.parametrize("band", BOUNDS)
@pytest.mark.parametrize("kind", ["once", "index", "plain"])
def test_facts_are_found(band: str, kind: str) -> None:
    made = shelf(
        kind,
        *(
            (
                topic(fact["name"], fact["summary"], file=fact["file"], store=fact["system"]),
                fact["body"],
            )
            for fact in FACTS
        ),
    )
    places = []
    for fact in FACTS:
        found = names(made, fact["queries"][band])
        places.append(found.index(fact["name"]) if fact["name"] in found else len(FACTS))
    first = sum(place == 0 for place in places) / len(places)
    five = sum(place < 5 for place in places) / len(places)
    least_first, least_five = BOUNDS[band]
    assert first >= least_first
    assert five >= least_five


def test_the_set_is_as_large_as_it_says() -> None:
    assert len(FACTS) == 60
    assert {fact["system"] for fact in FACTS} == {"openpi", "layered", "zcode", "viking"}
    assert all(set(fact["queries"]) == set(BOUNDS) for fact in FACTS)
