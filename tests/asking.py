"""Asking a runner in this process, as a host does that waits for each answer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pimem_core.hooks.protocol import Request
    from pimem_core.hooks.runner import Runner


def answer_of(runner: Runner, request: Request) -> Mapping[str, Any]:
    """The answer to a request; systems that are late are given up meanwhile."""
    answers: list[Mapping[str, Any]] = []
    done = threading.Event()

    def answer(value: Mapping[str, Any]) -> None:
        answers.append(value)
        done.set()

    runner.submit(request, answer)
    while not done.wait(runner.look()):
        pass
    return answers[0]
