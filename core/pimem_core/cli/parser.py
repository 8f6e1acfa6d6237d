"""The words of the command line."""

from __future__ import annotations

import argparse
import os

from .. import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_EPILOG = (
    "Without a command the manager opens. Exit codes: 0 done, 1 refused, 2 usage, 3 busy, 4 failed."
)


class _Formatter(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse would load shutil for it, on every start."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (ValueError, OSError):
            columns = 80
        super().__init__(prog, width=max(40, min(columns, 100) - 2))


class _Verbatim(_Formatter, argparse.RawDescriptionHelpFormatter):
    """The same, with an epilog whose lines stay as they are."""


#: Each command: where it runs, what it does, and its arguments.
_COMMANDS: dict[str, tuple[str, str, Callable[[argparse.ArgumentParser], object]]] = {
    "list": ("reading:list_topics", "list the topics", lambda made: None),
    "show": ("reading:show", "print a topic", lambda made: _show(made)),
    "search": (
        "reading:search",
        'find topics: words in any order, "a phrase", -word, field:value',
        lambda made: _search(made),
    ),
    "status": ("reading:status", "tell every store: path, size, lock, notes", lambda made: None),
    "config": ("reading:config", "tell each setting and its source", lambda made: None),
    "write": ("writing:write", "create or extend a topic", lambda made: _write(made)),
    "pin": ("writing:pin", "pin a topic: never stale, never removed", lambda made: _topic(made)),
    "unpin": ("writing:unpin", "take the pin off a topic", lambda made: _topic(made)),
    "remove": ("writing:remove", "take a topic out of the index", lambda made: _topic(made)),
    "edit": ("writing:edit", "edit a topic in $VISUAL or $EDITOR", lambda made: _edit(made)),
    "undo": (
        "undoing:undo",
        "undo the newest changes made through pimem",
        lambda made: _undo(made),
    ),
    "redo": ("undoing:redo", "redo what was undone", lambda made: _count(made)),
    "history": (
        "undoing:history",
        "tell what was changed through pimem",
        lambda made: made.add_argument("topic", metavar="TOPIC", nargs="?"),
    ),
    "checkpoint": (
        "curating:checkpoint",
        "put an empty session summary into the workspace inbox",
        lambda made: None,
    ),
    "promote": (
        "curating:promote",
        "move a reviewed inbox file into layered memory",
        lambda made: _promote(made),
    ),
    "init": ("curating:init", "create a layered memory", lambda made: _init(made)),
    "refresh": (
        "curating:refresh",
        "read layered memory again and say what changed",
        lambda made: None,
    ),
    "clear-task": ("curating:clear_task", "empty the task state", lambda made: None),
    "inject": ("pi:inject", "print what the model is given", lambda made: _inject(made)),
    "hook": (
        "hook:hook",
        "answer a host: hook EVENT, hook serve, hook describe",
        lambda made: made.add_argument("event", metavar="EVENT"),
    ),
    "pi": ("pi:pi", "register with pi: install, uninstall, status", lambda made: _pi(made)),
    "off": ("switching:off", "keep memory out of pi", lambda made: _switch(made, can_run=True)),
    "on": ("switching:on", "let memory take part in pi again", lambda made: _switch(made)),
    "keys": ("keys:keys", "tell the manager's keys and their ids", lambda made: None),
    "completion": (
        "completion:completion",
        "print a shell completion script",
        lambda made: made.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh")),
    ),
}


def _topic(made: argparse.ArgumentParser) -> None:
    made.add_argument("topic", metavar="TOPIC", help="a name, a file, or a part of one")


def _show(made: argparse.ArgumentParser) -> None:
    _topic(made)
    made.add_argument("--raw", action="store_true", help="print the file's bytes")


def _search(made: argparse.ArgumentParser) -> None:
    made.add_argument("query", metavar="QUERY")
    made.add_argument("--limit", metavar="N", type=_positive, help="print the best N hits only")
    made.add_argument(
        "--all-stores", action="store_true", help="search every store, as without --store"
    )


def _write(made: argparse.ArgumentParser) -> None:
    made.add_argument("topic", metavar="TOPIC")
    made.add_argument("--summary", metavar="S", required=True, help="one line for the index")
    content = made.add_mutually_exclusive_group()
    content.add_argument("--content", metavar="TEXT", help="the text; stdin when left out")
    content.add_argument("--file", metavar="F", help="a file with the text")
    made.add_argument("--pin", action="store_true", help="pin the topic")
    made.add_argument(
        "--mode",
        choices=("append", "replace"),
        help="add to the body or replace it; the default is append, and replace in a zcode store",
    )
    made.add_argument("--type", metavar="T", help="the fact's type, for systems that have types")
    made.add_argument("--title", metavar="T", help="the index title, for systems that have one")
    _allow_secret(made)


def _edit(made: argparse.ArgumentParser) -> None:
    _topic(made)
    _allow_secret(made)


def _count(made: argparse.ArgumentParser) -> None:
    made.add_argument("count", metavar="N", nargs="?", type=_positive, default=1)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a count of 1 or more")
    return int(text)


def _undo(made: argparse.ArgumentParser) -> None:
    _count(made)
    made.add_argument("--purge", metavar="ID", help="forget the entry with this id for good")


def _promote(made: argparse.ArgumentParser) -> None:
    from ..systems.guidelines import help_text

    made.epilog = help_text()
    made.formatter_class = _Verbatim
    made.add_argument("file", metavar="FILE", help="a file in the inbox")
    made.add_argument("folder", metavar="DIR", help="workspace, user, knowledge or facts")
    made.add_argument("target", metavar="TARGET", help="the file it goes to, such as decisions.md")
    made.add_argument(
        "--section",
        metavar="HEADING",
        action="append",
        help="take only the section with this heading; may be given again",
    )
    made.add_argument(
        "--dry-run", action="store_true", help="print what would be added, change nothing"
    )
    _allow_secret(made)


def _init(made: argparse.ArgumentParser) -> None:
    from ..systems.guidelines import help_text

    made.epilog = help_text()
    made.formatter_class = _Verbatim
    made.add_argument("scope", metavar="SCOPE", nargs="?", default="", help="global or workspace")


def _inject(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--turn", metavar="N", type=_positive, default=1, help="which prompt of a session (1)"
    )
    made.add_argument(
        "--untrusted", action="store_true", help="as in a project that is not trusted"
    )


def _switch(made: argparse.ArgumentParser, *, can_run: bool = False) -> None:
    made.add_argument("--project", action="store_true", help="in the project of this folder only")
    made.set_defaults(run=None)
    if can_run:
        made.add_argument(
            "--run",
            nargs=argparse.REMAINDER,
            metavar="COMMAND",
            help="for one run: start COMMAND with PIMEM_OFF=1",
        )


def _pi(made: argparse.ArgumentParser) -> None:
    made.add_argument("action", choices=("install", "uninstall", "status"))
    made.add_argument(
        "--take-over", action="store_true", help="switch other providers of the same tools off"
    )


def _allow_secret(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--allow-secret", action="store_true", help="store text that looks like a credential"
    )


class _Command(argparse.ArgumentParser):
    """A parser; that of a command which only stands in the help is never set up.

    argparse looks for translations with every parser it makes, which is most of its time.
    """

    def __init__(self, *, description: str | None = None, **options: Any) -> None:
        if description is not None:
            super().__init__(description=description, **options)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line; wrong usage ends the process with 2, as argparse does."""
    words = _command_first(words)
    parser = build(words)
    options = parser.parse_args(words)
    for name in ("demo", "search"):
        if options.command is not None and getattr(options, name):
            parser.error(f"--{name} is for the manager, which opens without a command")
    return options


def _command_first(words: Sequence[str]) -> Sequence[str]:
    """The same with the `--` that ends the options where argparse takes one: between operands."""
    if "--" not in words:
        return words
    at = words.index("--")
    before, after = words[:at], words[at + 1 :]
    values = (
        "--store",
        "--dir",
        "--search",
    )  # the options before a command that take the next word
    if before and before[-1] in values:
        return words
    if not after:
        return before
    is_there = any(
        not word.startswith("-") and (n == 0 or before[n - 1] not in values)
        for n, word in enumerate(before)
    )
    if is_there or after[0].startswith("-"):
        return words
    return [*before, after[0], *(["--"] if after[1:] else []), *after[1:]]


def build(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of every command.

    Args:
        words: The command line. Commands that do not stand in it get no arguments, only their
            line in the help: making all of them takes as long as listing a store.
    """
    common = _Command(description="", add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("where and how")
    group.add_argument(
        "--store", metavar="S", help="local, shared, global, workspace, zcode, a system or a path"
    )
    group.add_argument("--dir", metavar="PATH", help="open the memory folder at PATH")
    group.add_argument("--json", action="store_true", help="print one JSON document")

    parser = _Command(
        prog="pimem",
        description="The memory manager for the pi coding agent.",
        epilog=_EPILOG,
        parents=[common],
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"pimem {__version__}")
    parser.add_argument(
        "--demo", action="store_true", help="open the manager on a copy of a sample store"
    )
    parser.add_argument(
        "--search", metavar="TEXT", help="open the manager at what is found for TEXT"
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", prog="pimem", parser_class=_Command
    )
    for name in words[:1] if words and words[0] in _COMMANDS else _COMMANDS:
        runs, text, add_arguments = _COMMANDS[name]
        if words is not None and name not in words:
            commands.add_parser(name, help=text)
            continue
        made = commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            parents=[common],
            allow_abbrev=False,
            formatter_class=_Formatter,
        )
        made.set_defaults(runs=runs)
        add_arguments(made)
    return parser
