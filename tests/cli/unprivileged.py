"""Runs commands as a user without rights.

A superuser may do everything, so tests of rights need somebody else. Everything is imported
first: that user may not be able to read the interpreter's own folders. Each line of stdin asks
for one command, `{"probe", "home", "words"}`; a fork drops its rights and runs it, and the answer
is a line `{"code", "out", "err"}`. Code 77 says that the probe path could be opened after all.
"""

from __future__ import annotations

import codecs
import importlib
import json
import os
import pkgutil
import sys
import tempfile

import detect_secrets.plugins
import pimem_core
from pimem_core import secrets
from pimem_core.cli import main
from pimem_core.formats import frontmatter

NOBODY = 65534


def load_everything() -> None:
    for package in (pimem_core, detect_secrets.plugins):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(found.name)
    frontmatter.read("---\nname: a\n---\n")
    secrets.find("nothing")
    for encoding in ("ascii", "latin-1", "utf-16-le", "idna"):
        codecs.lookup(encoding)
    for name in ("merge3", "tomllib", "shtab", "shlex", "subprocess", "filelock", "traceback"):
        importlib.import_module(name)


def drop_rights() -> None:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def opens(path: str) -> bool:
    """Whether a path can be read, or a file be made in a folder."""
    try:
        if os.path.isdir(path):
            os.listdir(path)
            os.close(os.open(os.path.join(path, "probe"), os.O_WRONLY | os.O_CREAT))
        else:
            with open(path, "rb"):
                pass
    except PermissionError:
        return False
    return True


def command(probe: str, home: str, words: list[str]) -> int:
    drop_rights()
    os.environ["HOME"] = home
    os.chdir(home)
    if probe and opens(probe):
        return 77
    return main(words, open_manager=lambda *_: 99)


def answer(request: dict[str, object]) -> dict[str, object]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            code = 70
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                code = command(**request)  # type: ignore[arg-type]
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "out": out.read().decode("latin-1"),
            "err": err.read().decode("latin-1"),
        }


if __name__ == "__main__":
    load_everything()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
