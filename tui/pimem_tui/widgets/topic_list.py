"""The list of topics, drawn line by line: only the rows in view cost anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip

from ..drawing.matches import NO_WORDS
from ..keys.bindings import bindings
from ..rows.branches import EntryRow
from ..rows.listing import BRANCH_CELLS, Listing
from ..workers.field_message import FieldMessage
from .line_view import LineView
from .text_styles import TextStyled
from .topic_row import RowLayout, draw_row, draw_why

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pimem_core.model import Topic
    from textual import events
    from textual.binding import BindingType
    from textual.message import Message

    from ..drawing.matches import Words

#: Before the name of a file whose entries are hidden, and of one whose entries show.
_FOLDED, _UNFOLDED = "▸ ", "▾ "
#: Where that stands, in cells from the left.
_BRANCH_PLACE = range(2, 5)

#: Styles that keep their colour in the selected row.
_COLOURED = {"accent", "warning", "error", "accent strong", "success strong"}
_KINDS = ("", "name", "muted", "faint", "match", *_COLOURED)


class TopicList(LineView, TextStyled, can_focus=True):
    """Topics, one line each, with one of them selected.

    The selection belongs to a topic, not to a row: a new listing keeps it by file.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        "list.up", "list.down", "list.page_up", "list.page_down", "list.first", "list.last"
    )

    selected: reactive[int] = reactive(0, repaint=False)
    """The selected row."""

    class TopicSelected(FieldMessage):
        """Another topic is selected, or none."""

        topic_list: TopicList
        topic: Topic | None

        @property
        def control(self) -> TopicList:
            """The list, for `on` with a selector."""
            return self.topic_list

        def can_replace(self, message: Message) -> bool:
            """Only the newest selection matters."""
            return isinstance(message, TopicList.TopicSelected)

    class TopicOpened(FieldMessage):
        """A topic was double-clicked."""

        topic_list: TopicList
        topic: Topic

    class BranchClicked(FieldMessage):
        """The mark before a file with entries was clicked; the file is selected."""

        topic_list: TopicList

    class KeyPressed(FieldMessage):
        """Any key was pressed in the list."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self.listing = Listing()
        self._words = NO_WORDS
        self._name_cells = 0
        self._type_cells = 0
        self._marked: Collection[str] = ()
        self._changed: Collection[str] = ()
        self._row_styles: dict[tuple[bool, bool], dict[str, Style]] = {}
        self._strips: LRUCache[tuple[int, int, bool, bool], Strip] = LRUCache(512)

    @property
    def topic(self) -> Topic | None:
        """The selected topic."""
        topics = self.listing.topics
        return topics[self.selected] if 0 <= self.selected < len(topics) else None

    def show(
        self,
        listing: Listing,
        *,
        words: Words = NO_WORDS,
        name_cells: int,
        type_cells: int = 0,
        file: str | None = None,
    ) -> None:
        """Show other rows and keep the selection by file, on the same line of the screen.

        Args:
            listing: The new rows.
            words: What to mark in them.
            name_cells: Width that the longest name of the store would like.
            type_cells: The same for types; 0 in a store without them.
            file: The topic to select; the selected one when left out.
        """
        old, row = self.listing, self.selected
        wanted = file or (self.topic.file if self.topic else None)
        offset = row * self._row_height - round(self.scroll_y)
        self.listing, self._words = listing, words
        self._name_cells, self._type_cells = name_cells, type_cells
        self._strips.clear()
        new_row = _follow(old, row, listing, wanted)
        self._update_size()
        self.set_reactive(TopicList.selected, new_row)
        self.jump_to(new_row * self._row_height - offset)
        self._scroll_to_row(new_row)
        self.refresh()
        self.post_message(self.TopicSelected(self, self.topic))

    def flag(self, marked: Collection[str], changed: Collection[str]) -> None:
        """Say which files are marked, and which somebody else changed just now."""
        self._marked, self._changed = frozenset(marked), frozenset(changed)
        self._strips.clear()
        self.refresh()

    def on_key(self) -> None:
        """Tell of it: marks that stay without motion go with the next key."""
        if self._changed:
            self.post_message(self.KeyPressed())

    def replace(self, topic: Topic) -> None:
        """Show a changed topic in its place."""
        if self.listing.replace(topic) is not None:
            self._strips.clear()
            self.refresh()
            self.post_message(self.TopicSelected(self, self.topic))

    def action_move(self, by: int) -> None:
        """Move the selection by some rows."""
        self.select(self.selected + by)

    def action_move_page(self, direction: int) -> None:
        """Move the selection by a screen."""
        rows = max(self.size.height // self._row_height - 1, 1)
        self.select(self.selected + direction * rows)

    def action_first(self) -> None:
        """Select the first topic."""
        self.select(0)

    def action_last(self) -> None:
        """Select the last topic."""
        self.select(len(self.listing.topics) - 1)

    def select(self, row: int) -> None:
        """Select a row, or the nearest that exists."""
        self.selected = max(0, min(row, len(self.listing.topics) - 1))
        self._scroll_to_row(self.selected)

    def select_file(self, file: str) -> bool:
        """Select the row of a file, if there is one."""
        row = self.listing.rows.get(file)
        if row is not None:
            self.select(row)
        return row is not None

    def watch_selected(self, old: int, new: int) -> None:
        """Draw both rows again and post the selection."""
        self.refresh_lines(old * self._row_height, self._row_height)
        self.refresh_lines(new * self._row_height, self._row_height)
        self.post_message(self.TopicSelected(self, self.topic))

    def on_click(self, event: events.Click) -> None:
        """Select with a click; a double one, or one on the selected row, opens."""
        row = (event.y + self.scroll_offset.y) // self._row_height
        if row < len(self.listing.topics):
            again = row == self.selected and self.has_focus and event.chain == 1
            self.select(row)
            if self.topic and self._branch(self.topic).strip() and event.x in _BRANCH_PLACE:
                self.post_message(self.BranchClicked(self))
                return
            if (again or event.chain == 2) and self.topic:
                self.post_message(self.TopicOpened(self, self.topic))

    def on_resize(self) -> None:
        """Lay the columns out for the new width; the selected row stays in view."""
        self._strips.clear()
        self._update_size()
        self._scroll_to_row(self.selected)

    def on_focus(self) -> None:
        """The selected row looks different with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The selected row looks different without the focus."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget what was drawn in the old colours."""
        super().notify_style_update()
        self._strips.clear()
        self._row_styles.clear()

    def redraw(self) -> None:
        """Draw every row again, since ages have moved on."""
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        line = y + self.scroll_offset.y
        height = self._row_height
        row, part = divmod(line, height)
        width = self.scrollable_content_region.width
        if row >= len(self.listing.topics) or width < 1:
            return Strip.blank(max(width, 0), self._styles(False)[""])
        selected = row == self.selected
        key = (row, part, selected, self.has_focus)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._draw(row, part, selected, width)
        return strip

    def _draw(self, row: int, part: int, selected: bool, width: int) -> Strip:
        styles = self._styles(selected)
        topic = self.listing.topics[row]
        hit = self.listing.hits[row] if self.listing.hits is not None else None
        layout = self._layout(width)
        if part:
            runs = draw_why(hit, self._words, width)
        else:
            flag = "marked" if topic.file in self._marked else ""
            if not flag and topic.file in self._changed:
                flag = "changed"
            branch = self._branch(topic)
            runs = draw_row(topic, hit, self._words, layout, self._now(), flag, branch)
        return Strip([Segment(text, styles[kind]) for text, kind in runs], width)

    def _branch(self, topic: Topic) -> str:
        """What stands before a name in a list that has a second level."""
        if not self.listing.has_entries:
            return ""
        if isinstance(topic, EntryRow):
            return " " * BRANCH_CELLS * 2
        if not topic.entries:
            return " " * BRANCH_CELLS
        return _UNFOLDED if topic.file in self.listing.unfolded else _FOLDED

    def _styles(self, selected: bool) -> dict[str, Style]:
        """The style of each part of a row, worked out once for many rows."""
        key = (selected, self.has_focus)
        if key not in self._row_styles:
            self._row_styles[key] = self._work_out_styles(selected)
        return self._row_styles[key]

    def _work_out_styles(self, selected: bool) -> dict[str, Style]:
        # The selected row keeps its own background under all parts.
        styles = {kind: self.rich_style_named(kind) for kind in _KINDS}
        if selected:
            cursor = self.rich_style_named("cursor" if self.has_focus else "resting")
            plain = cursor + Style(bold=False)
            for kind, style in styles.items():
                marked = kind in _COLOURED and not cursor.reverse
                styles[kind] = plain + Style(color=style.color) if marked else plain
            styles["name"] = cursor
            styles["match"] = cursor + Style(underline=True)
        return styles

    def _layout(self, width: int) -> RowLayout:
        return RowLayout.for_width(
            width, self._name_cells, self._type_cells, cost=self.listing.has_entries
        )

    @property
    def _row_height(self) -> int:
        """Two lines where a narrow list has no other room to say why a topic matched."""
        narrow = self.listing.hits is not None and not self._layout(self.size.width).summary
        return 2 if narrow else 1

    def _update_size(self) -> None:
        height = len(self.listing.topics) * self._row_height
        self.virtual_size = Size(self.size.width, height)

    def _scroll_to_row(self, row: int) -> None:
        self.reveal(row * self._row_height, self._row_height)


def _follow(old: Listing, row: int, new: Listing, file: str | None) -> int:
    """The row of `file` in a new listing, or else of its nearest neighbour that is still there."""
    if file is not None:
        found = new.row_of(file, near=row)
        if found is not None:
            return found
        # Below first: what stood under a removed topic moves up into its place.
        for topic in [
            *old.topics[row + 1 : row + 50],
            *reversed(old.topics[max(row - 50, 0) : row]),
        ]:
            neighbour = new.rows.get(topic.file)
            if neighbour is not None:
                return neighbour
    return max(0, min(row, len(new.topics) - 1))
