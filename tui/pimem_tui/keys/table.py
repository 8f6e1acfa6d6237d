"""Every key of the manager by its id: one table for bindings, help, palette and `pimem keys`.

It imports nothing, so that the command line can print it without loading the interface.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import NamedTuple
else:
    from collections import namedtuple

if TYPE_CHECKING:

    class Key(NamedTuple):
        """One binding. `label` is short, for the footer; `help` a line of its own."""

        keys: str
        action: str
        label: str
        help: str

else:
    Key = namedtuple("Key", "keys action label help")

KEYS: dict[str, Key] = {
    # Anywhere
    "app.help": Key("question_mark,f1", "help", "help", "Show all keys and what the marks mean"),
    "app.palette": Key("ctrl+p", "command_palette", "palette", "Find any action by its name"),
    "app.quit": Key("q", "quit", "quit", "Leave pimem, or go back to the list"),
    "change.undo": Key("u", "undo", "undo", "Undo the newest change made through pimem"),
    "change.redo": Key("U", "redo", "redo", "Redo what was undone last"),
    "change.history": Key("H", "history", "history", "Show what was changed through pimem"),
    "theme.next": Key("T", "next_theme", "next theme", "Switch between dark, light and terminal"),
    # One topic, in the list and in the detail
    "topic.open": Key("enter", "open", "open", "Open the topic to read it"),
    "topic.back": Key(
        "escape,q", "back", "back", "Back to the list, or to where a link was followed"
    ),
    "topic.edit": Key("e", "topic('edit')", "edit", "Edit the topic here"),
    "topic.edit_outside": Key(
        "E", "topic('edit_outside')", "$EDITOR", "Edit the topic in $VISUAL or $EDITOR"
    ),
    "topic.pin": Key("p", "topic('toggle_pin')", "pin", "Pin the topic, or unpin a pinned one"),
    "topic.remove": Key("r", "topic('remove')", "remove", "Remove the topic, after a question"),
    "topic.copy": Key("y", "topic('copy')", "copy", "Copy the topic's text to the clipboard"),
    # A dated entry, or a file of them
    "entry.status": Key("S", "topic('set_status')", "status", "Set the status of the entry"),
    "entry.supersede": Key(
        "R", "topic('supersede')", "superseded by", "Choose the entry that supersedes this one"
    ),
    "entry.archive": Key(
        "A", "topic('archive')", "archive", "Move the entry, or the file, to the archive"
    ),
    # What a search found in a topic
    "match.next": Key("n", "next_match(1)", "next match", "Go to the next match of the search"),
    "match.previous": Key("N", "next_match(-1)", "match before", "Go to the match before"),
    # The links of a topic
    "link.next": Key("tab", "next_link(1)", "next link", "Choose the next link"),
    "link.previous": Key("shift+tab", "next_link(-1)", "previous link", "Choose the link before"),
    "link.follow": Key("enter", "follow", "follow", "Open what the chosen link leads to"),
    # The list
    "list.new": Key("n", "new", "new", "Write a new topic, or a new entry"),
    "list.filter": Key("slash", "filter", "filter", "Filter by name, file, summary and text"),
    "list.type": Key(
        "t",
        "next_type",
        "type",
        "Go through types or statuses, type:… or status:… in the filter",
    ),
    "list.sort": Key("s", "sort", "sort", "Sort by index order, name, age, pins or tokens"),
    "list.mark": Key("space", "mark", "mark", "Mark the topic, to pin or remove several"),
    "list.mark_all": Key("a", "mark_all", "mark all", "Mark all rows that show, or none"),
    "list.leave": Key("escape", "leave", "back", "Drop the marks, else clear and close the filter"),
    "list.drafts": Key("D", "drafts", "drafts", "Go on with a text that was never saved"),
    "list.injection": Key("i", "go('injection')", "injection", "Show what pi's model is given"),
    "list.settings": Key(
        "c",
        "go('settings')",
        "settings",
        "Show the settings, with rules and numbers of each system",
    ),
    "list.handoff": Key("h", "go('handoff')", "handoff", "Show what pi hands over at a compaction"),
    "list.search": Key("F", "go('search')", "search all", "Search all stores at once"),
    "list.up": Key("up,k", "move(-1)", "up", "Select the topic above"),
    "list.down": Key("down,j", "move(1)", "down", "Select the topic below"),
    "list.page_up": Key("pageup", "move_page(-1)", "page up", "Move up by a screen"),
    "list.page_down": Key("pagedown", "move_page(1)", "page down", "Move down by a screen"),
    "list.first": Key("home,g", "first", "first", "Select the first topic"),
    "list.last": Key("end,G", "last", "last", "Select the last topic"),
    "tree.unfold": Key("right", "tree('unfold')", "entries", "Show the entries of the file"),
    "tree.fold": Key("left", "tree('fold')", "fold", "Hide the entries, and go to their file"),
    "tree.all": Key(
        "x", "tree('unfold_all')", "all entries", "Show or hide the entries of all files"
    ),
    "tree.follow": Key(
        "f", "tree('follow')", "follow", "Go to the entry that supersedes this one, or back"
    ),
    "layer.init": Key("I", "layer('init')", "create", "Create this memory: its folders and index"),
    "layer.inbox": Key("b", "go('inbox')", "inbox", "Review and promote what is in the inbox"),
    "layer.edit_task": Key("w", "layer('edit_task')", "edit task", "Edit the current task"),
    "layer.clear_task": Key("W", "layer('clear_task')", "clear task", "Clear the current task"),
    "store.next": Key("tab", "next_store(1)", "next", "Show the next store"),
    "store.previous": Key("shift+tab", "next_store(-1)", "previous", "Show the previous store"),
    **{
        f"store.show_{number}": Key(
            str(number),
            f"show_store({number})",
            f"show store {number}",
            f"Show store number {number}",
        )
        for number in range(1, 10)
    },
    # The filter
    "filter.accept": Key(
        "enter", "screen.accept_filter", "to list", "Go to the list and keep the filter"
    ),
    "filter.clear": Key("escape", "screen.leave", "clear", "Clear the filter, then close it"),
    "filter.up": Key(
        "up", "screen.move_in_list(-1)", "up", "Select the hit above; at the first, an older search"
    ),
    "filter.down": Key(
        "down", "screen.move_in_list(1)", "down", "Select the hit below, or a newer search"
    ),
    # A text to read
    "text.up": Key("up,k", "scroll_up", "up", "Scroll up a line"),
    "text.down": Key("down,j", "scroll_down", "down", "Scroll down a line"),
    "text.page_up": Key("pageup", "page_up", "page up", "Scroll up by a screen"),
    "text.page_down": Key("pagedown,space", "page_down", "page down", "Scroll down by a screen"),
    "text.start": Key("home,g", "scroll_home", "start", "Scroll to the start"),
    "text.end": Key("end,G", "scroll_end", "end", "Scroll to the end"),
    # Rows to choose from, on a screen of their own
    "rows.up": Key("up,k", "move(-1)", "up", "Select the row above"),
    "rows.down": Key("down,j", "move(1)", "down", "Select the row below"),
    "rows.first": Key("home,g", "first", "first", "Select the first row"),
    "rows.last": Key("end,G", "last", "last", "Select the last row"),
    # The editor
    "edit.save": Key("ctrl+s,f2", "save", "save", "Save the topic"),
    "edit.leave": Key("escape", "leave", "back", "Back to the list; asks when text is unsaved"),
    "edit.preview": Key("f3", "preview", "preview", "Show or hide the preview of the text"),
    # A choice in it
    "type.next": Key("right,space", "choose(1)", "next choice", "Choose the next one"),
    "type.previous": Key("left", "choose(-1)", "choice before", "Choose the one before"),
    # Two versions of one text
    "conflict.theirs": Key("t", "take('theirs')", "theirs", "Take what is on disk here"),
    "conflict.mine": Key("m", "take('mine')", "mine", "Take your own text here"),
    "conflict.both": Key("b", "take('both')", "both", "Keep both here, theirs first"),
    "conflict.next": Key("n,tab", "go(1)", "next", "Go to the next place to decide"),
    "conflict.previous": Key("N,shift+tab", "go(-1)", "previous", "Go to the place before"),
    "conflict.save": Key("ctrl+s,f2,enter", "save", "save", "Save the result"),
    "conflict.back": Key("escape,q", "back", "editor", "Back to the editor, with nothing lost"),
    # The history
    "history.undo": Key("u", "undo_newest", "undo newest", "Undo the newest change"),
    "history.redo": Key("U", "redo_newest", "redo", "Redo what was undone last"),
    "history.back": Key("escape,q,H", "back", "back", "Back to where you were"),
    "history.page_up": Key("pageup", "page(-1)", "page up", "Scroll the difference up"),
    "history.page_down": Key(
        "pagedown,space", "page(1)", "page down", "Scroll the difference down"
    ),
    # The injection
    "injection.back": Key("escape,q,i", "back", "back", "Back to the list"),
    "injection.page_up": Key("pageup", "page(-1)", "page up", "Scroll the text up"),
    "injection.page_down": Key("pagedown,space", "page(1)", "page down", "Scroll the text down"),
    # The inbox
    "inbox.open": Key("enter", "open", "read", "Read the whole file"),
    "inbox.toggle": Key("space", "choose", "choose", "Choose the section, or all of the file"),
    "inbox.promote": Key("p", "promote", "promote", "Choose where the chosen sections go"),
    "inbox.edit": Key("e", "edit", "edit", "Edit the file here"),
    "inbox.edit_outside": Key("E", "edit_outside", "$EDITOR", "Edit it in $VISUAL or $EDITOR"),
    "inbox.remove": Key("r", "remove", "remove", "Remove the file, after a question"),
    "inbox.new": Key("n", "checkpoint", "new", "Put an empty checkpoint into the inbox"),
    "inbox.back": Key("escape,q,b", "back", "back", "Back to the list"),
    "inbox.page_up": Key("pageup", "page(-1)", "page up", "Scroll the text up"),
    "inbox.page_down": Key("pagedown", "page(1)", "page down", "Scroll the text down"),
    # What promoting would do
    "promotion.do": Key("enter,p", "promote", "promote", "Write it as it is shown"),
    "promotion.target": Key("t", "target", "other target", "Choose another file"),
    "promotion.back": Key("escape,q", "back", "back", "Back to the inbox, with nothing changed"),
    # A list to choose from
    "choice.take": Key("enter", "take", "choose", "Take the selected one"),
    "choice.cancel": Key("escape,q", "cancel", "cancel", "Leave everything as it is"),
    "choice.up": Key("up", "move(-1)", "up", "Select the one above"),
    "choice.down": Key("down", "move(1)", "down", "Select the one below"),
    # A new entry
    "form.file": Key("f4", "choose_file", "choose file", "Choose the file from a list"),
    "form.older": Key("f5", "choose_older", "choose older", "Choose the entry that it supersedes"),
    # The search across stores
    "search.open": Key("enter", "screen.open", "open", "Open the topic in its store"),
    "search.back": Key("escape", "screen.back", "back", "Clear the words, then back to the list"),
    "search.up": Key(
        "up", "screen.move(-1)", "up", "Select the hit above; at the first, an older search"
    ),
    "search.down": Key("down", "screen.move(1)", "down", "Select the hit below, or a newer search"),
    "search.page_up": Key("pageup", "screen.page(-1)", "page up", "Move up by a screen"),
    "search.page_down": Key("pagedown", "screen.page(1)", "page down", "Move down by a screen"),
    # The handoff
    "handoff.edit": Key("e", "edit", "edit", "Edit the handoff here"),
    "handoff.edit_outside": Key(
        "E", "edit_outside", "$EDITOR", "Edit the handoff in $VISUAL or $EDITOR"
    ),
    "handoff.clear": Key("r", "clear", "clear", "Empty the handoff; undo brings it back"),
    "handoff.back": Key("escape,q,h", "back", "back", "Back to the list"),
    # The settings
    "settings.edit": Key(
        "enter,e", "edit", "change", "Change the setting; switches and choices go on to the next"
    ),
    "settings.add": Key("n", "add", "add", "Add to the list, such as another rule"),
    "settings.remove": Key("r", "remove", "remove", "Take out of the list, after a question"),
    "settings.back": Key("escape,q,c", "back", "back", "Back to the list"),
    "settings.page_up": Key("pageup", "page(-1)", "page up", "Move up by a screen"),
    "settings.page_down": Key("pagedown,space", "page(1)", "page down", "Move down by a screen"),
    # A value being typed
    "value.accept": Key("enter", "screen.accept", "keep", "Keep the value"),
    "value.cancel": Key("escape", "screen.cancel", "leave", "Leave the value as it was"),
    # A question
    "confirm.yes": Key("y", "answer(True)", "yes", "Do it"),
    "confirm.cancel": Key("n,escape,q", "answer(False)", "cancel", "Leave everything as it is"),
    "confirm.other": Key(
        "left,right,up,down,tab,shift+tab,h,l",
        "app.focus_next",
        "other button",
        "Go to the other button",
    ),
    "help.close": Key(
        "escape,q,question_mark,f1,enter", "close", "close", "Back to where you were"
    ),
}

_WHERE = {
    "app": "anywhere",
    "change": "anywhere",
    "theme": "anywhere",
    "topic": "list, detail",
    "entry": "list, detail",
    "match": "detail",
    "link": "detail",
    "list": "list",
    "tree": "list",
    "layer": "list",
    "store": "list",
    "filter": "filter",
    "text": "detail",
    "rows": "history, injection, inbox, settings",
    "edit": "editor",
    "type": "editor",
    "conflict": "conflict",
    "history": "history",
    "injection": "injection",
    "inbox": "inbox",
    "promotion": "promotion",
    "choice": "choice",
    "form": "new entry",
    "search": "search",
    "handoff": "handoff",
    "settings": "settings",
    "value": "settings",
    "confirm": "question",
    "help": "help",
}
_ONLY = {"topic.open": "list", "topic.back": "detail"}


def where(key_id: str) -> frozenset[str]:
    """The places where a key works."""
    return frozenset(_place(key_id).split(", "))


def _place(key_id: str) -> str:
    return _ONLY.get(key_id) or _WHERE[key_id.partition(".")[0]]


def rows(changed: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The table for `pimem keys`.

    Args:
        changed: Keys by id, from the settings.
    """
    for key_id, key in KEYS.items():
        yield {
            "id": key_id,
            "keys": changed.get(key_id, key.keys),
            "where": _place(key_id),
            "action": key.help,
        }


_KEY_NAMES = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "shift+tab": "shift+tab",
    "f1": "F1",
    "f2": "F2",
    "f3": "F3",
    "f4": "F4",
    "f5": "F5",
}


def key_names(keys: str) -> str:
    """The keys of a binding as people write them."""
    return " ".join(_KEY_NAMES.get(key, key) for key in keys.split(","))
