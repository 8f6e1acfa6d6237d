"""Stand-in for `pimem`: answers by a plan and can be as bad a runner as a test needs.

`$PIMEM_STAND_IN` is a folder with `plan.json`, `{"describe": {…}, "answers": {KEY: [RULE, …]},
"stubborn": bool}`. KEY is an event, `tool:NAME`, `command:NAME` or `command:NAME ARGS`; the rules
of a key are used up in order, over all runners of the folder, and the last one stays. A RULE is a
response without its id, and may have `delay` (seconds), `after` (an event that must have been
asked first), `raw` (lines sent as they are), `hang`, `die`. What came in is in `requests.jsonl`,
one `{"pid", "key", "request"}` a line.

Without arguments it is the manager: a program for the whole screen, which ends with q.
"""

from __future__ import annotations

import collections
import fcntl
import json
import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = os.environ["PIMEM_STAND_IN"]
LOG = os.path.join(FOLDER, "requests.jsonl")
sending = threading.Lock()
heard: dict[str, threading.Event] = collections.defaultdict(threading.Event)


def plan() -> dict[str, Any]:
    with open(os.path.join(FOLDER, "plan.json"), encoding="utf-8") as file:
        return dict(json.load(file))


def keys_of(request: dict[str, Any]) -> list[str]:
    payload = request.get("payload") or {}
    event = str(request["event"])
    name = f"{event}:{payload.get('name')}"
    return [f"{name} {payload.get('args')}", name, event]


def rule_for(request: dict[str, Any]) -> dict[str, Any]:
    answers = plan().get("answers", {})
    key = next((key for key in keys_of(request) if key in answers), request["event"])
    with open(LOG, "a+", encoding="utf-8") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        log.seek(0)
        before = sum(json.loads(line)["key"] == key for line in log)
        log.write(json.dumps({"pid": os.getpid(), "key": key, "request": request}) + "\n")
    rules = answers.get(key, [])
    return dict(rules[min(before, len(rules) - 1)]) if rules else {}


def send(line: str) -> None:
    with sending:
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except OSError:
            os._exit(0)


def answer(request: dict[str, Any], rule: dict[str, Any]) -> None:
    time.sleep(rule.pop("delay", 0))
    if "after" in rule:
        heard[rule.pop("after")].wait()
    for line in rule.pop("raw", []):
        send(line)
    if rule.pop("die", False):
        os._exit(3)
    if rule.pop("hang", False):
        return
    send(json.dumps({"id": request["id"], "actions": [], **rule}))


def serve() -> None:
    stubborn = plan().get("stubborn")
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        request = json.loads(line)
        rule = rule_for(request)
        if request["event"] == "describe":
            rule = {"result": plan().get("describe", {}), **rule}
        heard[request["event"]].set()
        if "delay" in rule or "after" in rule:
            threading.Thread(target=answer, args=(request, rule), daemon=True).start()
        else:
            answer(request, rule)
    while stubborn:
        time.sleep(60)


def manage() -> None:
    import termios
    import tty

    size = os.get_terminal_size()
    old = termios.tcgetattr(0)
    tty.setraw(0)
    screen = f"STAND-IN MANAGER {size.columns}x{size.lines} in {os.getcwd()} {sys.argv[1:]}"
    os.write(1, b"\x1b[?1049h\x1b[2J\x1b[H" + screen.encode())
    while (key := os.read(0, 1)) not in (b"q", b"x", b""):
        os.write(1, b"\r\nkey " + key)
    os.write(1, b"\x1b[?1049l")
    termios.tcsetattr(0, termios.TCSADRAIN, old)
    sys.exit(3 if key == b"x" else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["hook", "serve"]:
        serve()
    else:
        manage()
