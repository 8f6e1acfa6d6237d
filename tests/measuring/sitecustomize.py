"""Measures the coverage of threads that the hook runner starts, here and in child processes.

Coverage learns of threads through `threading`, which the runner does not load.
"""

import os

if os.environ.get("COVERAGE_PROCESS_CONFIG"):
    import _thread
    import sys
    import threading
    from collections.abc import Callable
    from typing import Any

    start = _thread.start_new_thread

    def start_measured(function: Callable[..., object], args: tuple[Any, ...]) -> int:
        """Start a thread that is traced as those of `threading` are."""

        def measured(*args: Any) -> None:
            sys.settrace(threading.gettrace())
            function(*args)

        return start(measured, args)

    vars(_thread)["start_new_thread"] = start_measured
