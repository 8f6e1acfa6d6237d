"""The words of the command line."""

from __future__ import annotations

import argparse

from .. import __version__

_EPILOG = (
    "Without a command the manager opens. Exit codes: 0 done, 1 refused, 2 usage, 3 busy, 4 failed."
)


def build() -> argparse.ArgumentParser:
    """The parser of every command."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = common.add_argument_group("where and how")
    group.add_argument("--store", metavar="S", help="local, shared, openpi or an absolute path")
    group.add_argument("--dir", metavar="PATH", help="open the memory folder at PATH")
    group.add_argument("--json", action="store_true", help="print one JSON document")

    parser = argparse.ArgumentParser(
        prog="pimem",
        description="The memory manager for the pi coding agent.",
        epilog=_EPILOG,
        parents=[common],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pimem {__version__}")
    parser.add_argument(
        "--demo", action="store_true", help="open the manager on a copy of a sample store"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, runs: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            parents=[common],
            allow_abbrev=False,
        )
        made.set_defaults(runs=runs)
        return made

    command("list", "reading:list_topics", "list the topics")
    show = command("show", "reading:show", "print a topic")
    show.add_argument("topic", metavar="TOPIC")
    show.add_argument("--raw", action="store_true", help="print the file's bytes")
    search = command("search", "reading:search", "find topics by name, file, summary or body")
    search.add_argument("query", metavar="QUERY")
    command("status", "reading:status", "tell every store: path, size, lock, format, notes")
    command("config", "reading:config", "tell each setting, its value and its source")

    write = command("write", "writing:write", "create or extend a topic")
    write.add_argument("topic", metavar="TOPIC")
    write.add_argument("--summary", metavar="S", required=True, help="one line for the index")
    content = write.add_mutually_exclusive_group()
    content.add_argument("--content", metavar="TEXT", help="the text; stdin when left out")
    content.add_argument("--file", metavar="F", help="a file with the text")
    write.add_argument("--pin", action="store_true", help="pin the topic")
    write.add_argument(
        "--mode",
        choices=("append", "replace"),
        default="append",
        help="add a dated section (default) or replace the body",
    )
    write.add_argument("--type", metavar="T", help="the fact's type, for systems that have types")
    write.add_argument("--title", metavar="T", help="the index title, for systems that have one")
    write.add_argument(
        "--allow-secret", action="store_true", help="store text that looks like a credential"
    )
    for name, text in (
        ("pin", "pin a topic: never stale, never removed"),
        ("unpin", "take the pin off a topic"),
        ("remove", "take a topic out of the index"),
    ):
        command(name, f"writing:{name}", text).add_argument("topic", metavar="TOPIC")
    edit = command("edit", "writing:edit", "edit a topic in $VISUAL or $EDITOR")
    edit.add_argument("topic", metavar="TOPIC")
    edit.add_argument(
        "--allow-secret", action="store_true", help="store text that looks like a credential"
    )
    completion = command("completion", "completion:completion", "print a shell completion script")
    completion.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish", "tcsh"))
    return parser
