"""The command line: headless, plain text for people, one JSON document with `--json`."""

from .main import main

__all__ = ["main"]
