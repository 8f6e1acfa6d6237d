"""What the core says, in the manager's words: the key to press, and `~` for the home folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.errors import Hint, Note, PimemError

if TYPE_CHECKING:
    from collections.abc import Callable

#: The key that follows a hint, and the sentence around it. Other hints need no words here: the
#: list is on the screen, and a notice about a change names the key for undo itself.
_SENTENCES = {
    Hint.UNPIN: ("topic.pin", "{key} unpins it."),
    Hint.WRITE: ("list.new", "{key} creates it."),
    Hint.EDIT: ("topic.edit", "Edit it with {key}."),
    Hint.INIT: ("layer.init", "{key} in the {topic} creates it."),
    Hint.AGREE: ("list.settings", "{key}, settings, is where you can agree."),
    Hint.CHECKPOINT: ("inbox.new", "{key} in the inbox puts one there."),
}


def shorten_paths(text: str, home: str) -> str:
    """The text with `~` for the home folder, wherever a path is in it."""
    start = home.rstrip("/") + "/"
    return text if start == "/" else text.replace(start, "~/")


def with_key(text: str | PimemError, key_for: Callable[[str], str]) -> str:
    """A sentence, or an error, with the key that helps.

    Args:
        text: What the core says.
        key_for: Gives the first key of a binding.
    """
    hint = text.hint if isinstance(text, Note | PimemError) else None
    if hint is None or hint.do not in _SENTENCES:
        return str(text)
    binding, sentence = _SENTENCES[hint.do]
    return f"{text} {sentence.format(key=key_for(binding), topic=hint.topic)}"
