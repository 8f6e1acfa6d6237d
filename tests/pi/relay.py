"""Stands between pi and the real pimem: keeps what passes, and does harm where a test asks for it.

`relay.py FORM FOLDER [words]`: with `hook serve` it passes each request on, to one served runner
(FORM `served`) or to a one-shot process each (`one-shot`); with other words it becomes pimem.
Deadlines in describe documents are made long, so that a busy machine fails no test, but those of
the events in FOLDER/strict.json. `faults.json` there is `{EVENT: [RULE, …]}`, used up in order
over all processes; a RULE has `delay` (seconds, before the answer goes on), `kill` (`before` pimem
hears of it, or `after` it has answered and pi has not).

FOLDER/requests.jsonl has a line `{"pid", "key", "request"}` for each request, and one of the
event `answered EVENT` once pi has been sent the answer.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Runner = subprocess.Popen[bytes] | None

FORM, FOLDER = sys.argv[1:3]
PIMEM = [sys.executable, "-m", "pimem_tui"]
PATIENT_MS = 60_000
sending = threading.Lock()


def log(pid: int, key: str, request: dict[str, Any]) -> int:
    """Keep a line; says how many of this key there were before."""
    with open(os.path.join(FOLDER, "requests.jsonl"), "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        before: int = sum(json.loads(line)["key"] == key for line in file)
        file.write(json.dumps({"pid": pid, "key": key, "request": request}) + "\n")
    return before


def fault(request: dict[str, Any]) -> dict[str, Any]:
    try:
        with open(os.path.join(FOLDER, "faults.json"), encoding="utf-8") as file:
            rules = json.load(file).get(request["event"], [])
    except FileNotFoundError:
        rules = []
    before = log(os.getpid(), request["event"], request)
    return rules[before] if before < len(rules) else {}


def send(line: bytes) -> None:
    with sending:
        sys.stdout.buffer.write(patient(line))
        sys.stdout.buffer.flush()


def patient(line: bytes) -> bytes:
    answer = json.loads(line)
    result = answer.get("result")
    if not isinstance(result, dict) or "events" not in result:
        return line
    result["events"] = longer(result["events"])
    return json.dumps(answer).encode() + b"\n"


def longer(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    try:
        with open(os.path.join(FOLDER, "strict.json"), encoding="utf-8") as file:
            strict = json.load(file)
    except FileNotFoundError:
        strict = []
    return [
        event if event["name"] in strict else {**event, "deadline_ms": PATIENT_MS}
        for event in events
    ]


def deliver(
    line: bytes, request: dict[str, Any], rule: dict[str, Any], runner: Runner = None
) -> None:
    if rule.get("kill") == "after":
        end(runner)
    if "delay" in rule:
        timer = threading.Timer(rule["delay"], send, (line,))
        timer.daemon = True
        timer.start()
    else:
        send(line)
        log(os.getpid(), "", {"event": f"answered {request['event']}"})


def end(runner: Runner) -> None:
    if runner is not None:
        runner.kill()
    os._exit(3)


def serve() -> None:
    rules: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    runner = subprocess.Popen(
        [*PIMEM, "hook", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert runner.stdin is not None
    assert runner.stdout is not None
    answers = runner.stdout
    log(runner.pid, "", {"event": ""})

    def pass_back() -> None:
        for line in answers:
            request, rule = rules.pop(str(json.loads(line)["id"]), ({"event": ""}, {}))
            deliver(line, request, rule, runner)

    thread = threading.Thread(target=pass_back)
    thread.start()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        rule = fault(request)
        if rule.get("kill") == "before":
            end(runner)
        rules[str(request["id"])] = request, rule
        runner.stdin.write(line)
        runner.stdin.flush()
    runner.stdin.close()
    thread.join()
    runner.wait()


def one_shot() -> None:
    for line in sys.stdin.buffer:
        request = json.loads(line)
        rule = fault(request)
        if rule.get("kill") == "before":
            end(None)
        folder = request["session"]["cwd"]
        done = subprocess.run(
            [*PIMEM, "hook", request["event"]],
            input=line,
            cwd=folder,
            env={**os.environ, "PWD": folder},
            capture_output=True,
            check=False,
        )
        if request["event"] == "describe":
            bare = json.loads(done.stdout)
            done.stdout = json.dumps({"id": request["id"], "actions": [], "result": bare}).encode()
        deliver(done.stdout.rstrip(b"\n") + b"\n", request, rule)


if __name__ == "__main__":
    if sys.argv[3:] != ["hook", "serve"]:
        os.execv(PIMEM[0], [*PIMEM, *sys.argv[3:]])
    serve() if FORM == "served" else one_shot()
