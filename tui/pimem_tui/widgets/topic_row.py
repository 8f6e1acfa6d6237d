"""How one topic looks on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from ..drawing.cells import clean, cut, fit
from ..drawing.matches import around, cleaned, set_off
from ..rows.ages import short_age
from ..rows.branches import ARCHIVED, EntryRow

if TYPE_CHECKING:
    from pimem_core.model import Hit, Topic

    from ..drawing.matches import Words

_AGE_CELLS = 4
_MARK_CELLS = 3
_MIN_SUMMARY = 20
_COST_CELLS = 9
#: Tokens show only where a name can have so much.
_LEAST_BESIDE = 22
_GAP = 2
#: The signs of what the person marked and of what changed outside just now, with their styles.
_FLAGS = {"": (" ", ""), "marked": ("+", "accent strong"), "changed": ("*", "success strong")}
#: Marks of entries that hold no longer.
_STANDINGS = {"superseded": ("→", "faint"), "deprecated": ("×", "faint")}
_Runs = list[tuple[str, str]]


class RowLayout(NamedTuple):
    """Widths of the columns in cells; 0 where there is no room for one.

    `cost` is for the tokens of files, in stores where each costs what is in it.
    """

    name: int
    summary: int
    width: int
    type: int = 0
    cost: int = 0

    @classmethod
    def for_width(
        cls, width: int, name_cells: int, type_cells: int = 0, *, cost: bool = False
    ) -> RowLayout:
        """Share a width out: mark and age are fixed, and the summary shrinks before the name.

        The type, or the tokens, go before the summary would.
        """
        room = width - _MARK_CELLS - _AGE_CELLS - 2
        aside = _COST_CELLS if cost else type_cells + _GAP if type_cells else 0
        if aside:
            beside = cls.for_width(width - aside, name_cells)
            if beside.summary and not (cost and beside.name < min(name_cells, _LEAST_BESIDE)):
                both = beside._replace(width=width)
                return both._replace(cost=aside) if cost else both._replace(type=type_cells)
        name = max(min(name_cells, room // 2), min(16, room // 2))
        summary = room - name - _GAP
        if summary < _MIN_SUMMARY:
            return cls(max(room, 0), 0, width)
        return cls(name, summary, width)


def mark(topic: Topic) -> tuple[str, str]:
    """The mark of a topic and its style. A problem counts most."""
    if topic.problem:
        return "!", "error"
    if isinstance(topic, EntryRow):
        return _STANDINGS.get(topic.entry.status, (" ", ""))
    if topic.pinned:
        return "●", "accent"
    if not topic.listed:
        return "○", "warning"
    if topic.stale:
        return "~", "warning"
    return " ", ""


def is_past(topic: Topic) -> bool:
    """Whether a row is about something that holds no longer, and is drawn dimmed."""
    if isinstance(topic, EntryRow):
        return topic.entry.status in _STANDINGS
    return topic.note == ARCHIVED


def draw_row(
    topic: Topic,
    hit: Hit | None,
    words: Words,
    layout: RowLayout,
    now: float,
    flag: str = "",
    branch: str = "",
) -> _Runs:
    """The runs of a topic's line: text and style, exactly as wide as the layout.

    `flag` is `marked`, `changed` or empty; its sign stands before the topic's own mark. `branch`
    stands before the name, to show what is below what.
    """
    sign, kind = mark(topic)
    dim = is_past(topic)
    runs: _Runs = [_FLAGS[flag], (sign, kind), (" ", "")]
    if branch:
        runs.append((branch, "muted"))
    room = max(layout.name - cell_len(branch), 0)
    runs += _marked(fit(clean(topic.name), room), words, "faint" if dim else "name")
    if layout.type:
        runs.append((" " * _GAP + fit(clean(topic.type or ""), layout.type), "muted"))
    if layout.summary:
        runs.append((" " * _GAP, ""))
        runs += _second_column(topic, hit, words, layout.summary)
    if layout.cost:
        runs.append((f"{_cost(topic):>{layout.cost}}", "muted"))
    age = short_age(topic.stamp, now)[:_AGE_CELLS]
    runs.append((f" {age:>{_AGE_CELLS}} ", "muted"))
    used = sum(cell_len(text) for text, _ in runs)
    if used > layout.width:
        return _crop(runs, layout.width)
    runs.append((" " * (layout.width - used), ""))
    return runs


def _cost(topic: Topic) -> str:
    """The tokens of a file; its entries are counted with it."""
    if isinstance(topic, EntryRow) or not topic.line:
        return ""
    tokens = topic.tokens
    return f"{tokens} tok" if tokens < 1_000 else f"{tokens / 1_000:.1f}k tok"


def draw_why(hit: Hit | None, words: Words, width: int) -> _Runs:
    """The second line of a hit in a narrow list: where and how it matched."""
    runs: _Runs = [("     ", "")]
    room = max(width - 6, 0)
    if hit is not None:
        # A name shows its match by itself.
        runs += _about(hit, words, room) if hit.where == "name" else why(hit, room)
    used = sum(cell_len(text) for text, _ in runs)
    if used > width:
        return _crop(runs, width)
    runs.append((" " * (width - used), ""))
    return runs


def why(hit: Hit, width: int) -> _Runs:
    """Where a topic matched and the words around it, at most `width` cells."""
    where = f"line {hit.line}" if hit.line is not None else hit.where
    label = cut(f"{where}{_instead(hit)}: ", width)
    text, places = around(*cleaned(hit.snippet, hit.matches), width - cell_len(label))
    return [(label, "accent"), *set_off(text, places, "muted")]


def _instead(hit: Hit) -> str:
    """Which words were taken for others, to be put after where they are."""
    return f" ({clean(hit.note)})" if hit.note else ""


def _about(hit: Hit, words: Words, width: int) -> _Runs:
    """What a topic that is found by its name is about, at most `width` cells."""
    label = cut(f"{_instead(hit)[1:]} " if hit.note else "", width)
    summary = clean(hit.topic.summary)
    text, places = around(summary, words.places(summary), width - cell_len(label))
    return [*([(label, "accent")] if label else []), *set_off(text, places, "muted")]


def _second_column(topic: Topic, hit: Hit | None, words: Words, width: int) -> _Runs:
    if hit is not None and hit.where != "name":
        runs = why(hit, width)
    else:
        shown, kind = _lead(topic)
        shown = cut(shown, width)
        room = width - cell_len(shown)
        runs = [(shown, kind)] if shown else []
        if hit is not None:
            runs += _about(hit.but(topic=topic), words, room)
        else:
            runs.append((cut(clean(topic.summary), room), "muted"))
    used = sum(cell_len(text) for text, _ in runs)
    runs.append((" " * max(width - used, 0), ""))
    return runs


def _lead(topic: Topic) -> tuple[str, str]:
    """What stands before the summary, and its style: what is wrong, or how an entry stands."""
    if topic.problem:
        return f"({clean(topic.problem)}) ", "error"
    if isinstance(topic, EntryRow):
        return f"{clean(topic.standing)}{' · ' if topic.summary else ''}", "muted"
    if topic.note:
        return f"({clean(topic.note)}) ", "muted"
    return ("", "") if topic.listed else ("(not in the index) ", "warning")


def _marked(text: str, words: Words, kind: str) -> _Runs:
    return set_off(text, words.places(text), kind)


def _crop(runs: _Runs, width: int) -> _Runs:
    cropped: _Runs = []
    for text, kind in runs:
        room = width - sum(cell_len(part) for part, _ in cropped)
        if room <= 0:
            break
        cropped.append((fit(text, room) if cell_len(text) > room else text, kind))
    return cropped
