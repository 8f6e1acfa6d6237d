"""Markdown as lines."""

from __future__ import annotations

from pimem_tui.drawing.markdown import lay_out
from pimem_tui.drawing.wrap import Run, wrap
from pimem_tui.rows.ages import exact, long_age, short_age
from tui.helpers import NOW


def lines(text: str, width: int = 40) -> list[str]:
    return [line.text.rstrip() for line in lay_out(text, width)]


def kinds(text: str) -> dict[str, str]:
    return {run.text: run.kind for line in lay_out(text, 80) for run in line.runs}


def test_blocks_are_set_apart_by_one_line() -> None:
    text = "# One\ntext\n\n\n\nmore\n***\n> quote\n> - in it\n\n## Two"
    assert lines(text) == [
        "One", "", "text", "", "more", "", "─" * 40, "", "│ quote", "│", "│ • in it", "", "Two",
    ]  # fmt: skip


def test_lists_nest_and_wrap_under_their_text() -> None:
    text = (
        "1. first item that is long enough to wrap\n2. second\n   - inner\n   - [ ] task\n\n10. x"
    )
    assert lines(text, 30) == [
        "1. first item that is long",
        "   enough to wrap",
        "2. second",
        "   • inner",
        "   • [ ] task",
        "3. x",
    ]
    assert lines("-\n- a") == ["•", "• a"]


def test_short_lines_stay_and_long_ones_flow() -> None:
    assert lines("host: a\nport: b") == ["host: a", "port: b"]
    prose = "This line is so long that an editor must have wrapped it here\nand this goes on."
    assert lines(prose, 100) == [prose.replace("\n", " ")]


def test_code_is_kept_and_cut_hard() -> None:
    assert lines("```python\nif x:\n\n    y = 1\n```", 40) == [" if x:", "", "     y = 1"]
    assert lines("    " + "x" * 30, 22) == [" " + "x" * 20, " " + "x" * 10]


def test_tables_share_the_width() -> None:
    text = "| a | long heading |\n|---|---|\n| 1 | some words in a cell |\n| x | **y** |"
    assert lines(text, 20) == [
        "a    long heading",
        "───  ───────────────",
        "1    some words in a",
        "     cell",
        "x    y",
    ]


def test_html_and_comments_stay_visible() -> None:
    assert lines("<!-- hidden? --> <b>x</b>") == ["<!-- hidden? --> <b>x</b>"]
    assert lines("<div>\n<script>alert(1)</script>\n</div>")[1] == "<script>alert(1)</script>"


def test_inline_styles_and_links() -> None:
    found = kinds(
        "**a** *b* `c` ~~d~~ [e](https://x.example) [[f]] <https://y.example> ![g](h.png)"
    )
    assert found["a"] == "strong"
    assert found["b"] == "emphasis"
    assert found["c"] == "code"
    assert found["d"] == "strike"
    assert found["e"] == "link"
    assert found[" (https://x.example)"] == "muted"
    assert found["[[f]]"] == "link"
    assert found["https://y.example"] == "link"
    assert found[" (h.png)"] == "muted"


def test_deep_nesting_ends() -> None:
    for text in (
        ">" * 5000 + " x",
        "- " * 3000 + "x",
        "*" * 999 + "x",
        "[" * 999 + "x" + "](y)" * 999,
    ):
        assert "x" in "".join(lines(text))


def test_wrapping_counts_cells_and_keeps_words_across_styles() -> None:
    assert [[run.text for run in line] for line in wrap([Run("日本語テキスト", "")], 6)] == [
        ["日本語"],
        ["テキス"],
        ["ト"],
    ]
    words = wrap([Run("aaa bb", ""), Run("bb", "strong"), Run(" c", "")], 6)
    assert ["".join(run.text for run in line) for line in words] == ["aaa", "bbbb c"]


def test_ages() -> None:
    def age(seconds: float) -> str:
        import datetime as dt

        stamp = dt.datetime.fromtimestamp(NOW - seconds, dt.UTC).isoformat(timespec="seconds")
        return short_age(stamp, NOW)

    day = 86_400
    assert [age(n) for n in (-100, 5, 300, 7_200, 2 * day, 13.9 * day, 21 * day)] == [
        "now", "now", "5m", "2h", "2d", "13d", "3w",
    ]  # fmt: skip
    assert [age(n * day) for n in (30, 31, 215, 729, 740, 4000)] == [
        "4w", "1mo", "7mo", "23mo", "2y", "10y",
    ]  # fmt: skip
    assert short_age("2026-11-30", NOW) == "<1d"
    assert short_age("2026-11-28", NOW) == "2d"
    assert short_age(None, NOW) == short_age("2026-02-30", NOW) == short_age("x", NOW) == ""
    assert long_age("2026-11-29", NOW) == "1 day ago"
    assert long_age("2026-11-30", NOW) == "today"
    assert exact("2026-01-02T03:04:05+01:00") == "2026-01-02 03:04:05 +01:00"
    assert exact("2026-01-02") == "2026-01-02"
