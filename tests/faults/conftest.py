"""The kill points are counted and told at the end of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# Test modules of one folder share helpers; pytest's importlib mode does not put them on the path.
sys.path.insert(0, str(Path(__file__).parent.parent))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests counted."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{name}: {value}")
