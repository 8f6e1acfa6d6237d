"""Time of commands, hooks, search and writes, as ratios to what stands beside them."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

from .stores import make_store

PYTHON = [sys.executable, "-I", "-c", "pass"]
PIMEM = str(Path(sys.executable).parent / "pimem")


def alternating(
    commands: dict[str, list[str]], home: Path, runs: int, data: bytes = b""
) -> dict[str, float]:
    """Median seconds of each command, run in turns so that a busy moment hits all alike."""
    env = {**os.environ, "HOME": str(home)}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, input=data, capture_output=True, env=env, check=False)
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(found) for name, found in times.items()}


def request(number: int, home: Path) -> bytes:
    """A prompt, as the shim sends it."""
    session = {"id": "bench", "cwd": str(home), "features": ["sections"]}
    payload = {"messageType": "user"}
    about = {"id": number, "event": "before_agent_start", "session": session, "payload": payload}
    return json.dumps(about).encode()


def start_up(root: Path) -> list[tuple[str, str, str]]:
    """Commands and the one-shot hook beside a bare interpreter."""
    rows = []
    make_store(root, 100)
    found = alternating(
        {"python": PYTHON, "help": [PIMEM, "--help"], "list": [PIMEM, "list"]}, root, 40
    )
    for name, bound in (("help", "2.5"), ("list", "3")):
        ratio = found[name] / found["python"]
        rows.append((f"{name}, 100 topics, to Python", f"{ratio:.2f}", bound))
    make_store(root, 300)
    hook = [PIMEM, "hook", "before_agent_start"]
    found = alternating({"python": PYTHON, "hook": hook}, root, 40, request(1, root))
    rows.append(
        ("one-shot hook, 300 entries, to Python", f"{found['hook'] / found['python']:.2f}", "2.5")
    )
    return rows


def served(root: Path, events: int = 5_000) -> list[tuple[str, str, str]]:
    """The warm served hook: latency and memory."""
    make_store(root, 300)
    env = {**os.environ, "HOME": str(root)}
    runner = subprocess.Popen(
        [PIMEM, "hook", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    assert runner.stdin is not None
    assert runner.stdout is not None
    times = []
    early = 0
    for number in range(events):
        begin = time.perf_counter()
        runner.stdin.write(request(number, root) + b"\n")
        runner.stdin.flush()
        runner.stdout.readline()
        times.append(time.perf_counter() - begin)
        if number == events // 10:
            early = resident_kib(runner.pid)
    late = resident_kib(runner.pid)
    runner.communicate(timeout=10)
    times.sort()
    return [
        ("served hook, median ms", f"{times[len(times) // 2] * 1e3:.2f}", "1"),
        ("served hook, 99th percentile ms", f"{times[len(times) * 99 // 100] * 1e3:.2f}", "5"),
        ("served hook, resident MB", f"{late / 1024:.1f}", "40"),
        (f"served hook, growth over {events:,} events, KiB", str(late - early), "0"),
    ]


def resident_kib(pid: int) -> int:
    """Resident memory of a process, as Linux tells it."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0])


def search(root: Path) -> list[tuple[str, str, str]]:
    """Searches beside ripgrep: in a process of their own, and with the texts in memory."""
    if shutil.which("rg") is None:
        return [("search, 10,000 topics", "ripgrep is not installed", "3")]
    rows = []
    for count, bound in ((1_000, "2"), (10_000, "3")):
        places = make_store(root, count)
        folder = str(Path(places.agent_dir) / "memory")
        found = alternating(
            {
                "python": PYTHON,
                "rg": ["rg", "-l", "-i", "needlework", folder],
                "pimem": [PIMEM, "search", "needlework"],
            },
            root,
            9,
        )
        ratio = found["pimem"] / (found["rg"] + found["python"])
        rows.append((f"search, {count:,} topics, to rg + Python", f"{ratio:.2f}", bound))
    store = OpenpiSystem().active(places)
    store.keep_texts()
    for query in ("needlework", "restore drill", "order"):
        store.search(query, typing=True)
        times = []
        for _ in range(15):
            begin = time.perf_counter()
            store.search(query, typing=True)
            times.append(time.perf_counter() - begin)
        ratio = statistics.median(times) / found["rg"]
        hits = len(store.search(query, typing=True))
        rows.append((f"warm search, {hits:,} hits, to rg", f"{ratio:.2f}", "0.3"))
    return rows


# The file work of openpi.md, in the way of an extension inside pi: awaited, one call at a time.
STAND_IN = """
const fs = require("fs/promises"), path = require("path"), dir = process.argv[1];
const entry = /^\\s*-\\s+\\[([^\\]]+)\\]\\(([^)]+)\\)(.*)/;
async function put(file, text) {
  const regular = async () => {
    try { if (!(await fs.lstat(file)).isFile()) throw new Error(file); }
    catch (error) { if (error.code !== "ENOENT") throw error; }
  };
  await regular();
  const tmp = `${file}.tmp-${process.pid}`, out = await fs.open(tmp, "wx", 0o600);
  await out.writeFile(text); await out.sync(); await out.close();
  await regular();
  await fs.rename(tmp, file);
}
async function once(n) {
  const index = path.join(dir, "MEMORY.md"), lock = path.join(dir, ".lock");
  await fs.writeFile(lock, String(process.pid), {flag: "wx"});
  const before = await fs.readFile(index, "utf8");
  let name = "bench.md";
  for (const line of before.split("\\n")) {
    const found = entry.exec(line);
    if (found && found[1].toLowerCase() === "bench") name = found[2];
  }
  const topic = path.join(dir, name);
  await fs.readFile(topic, "utf8").catch(() => "");
  await put(topic, "---\\nname: bench\\n---\\n\\nbody\\n");
  const lines = (await fs.readFile(index, "utf8")).split("\\n");
  const line = `- [Bench](${name}) ${new Date().toISOString()} -- s${n}`;
  const at = lines.findIndex((one) => entry.exec(one)?.[2] === name);
  if (at < 0) lines.push(line); else lines[at] = line;
  const kept = new Map();
  for (const one of lines) {
    const found = entry.exec(one);
    if (!found) continue;
    const isFile = await fs.lstat(path.join(dir, found[2])).then((s) => s.isFile(), () => false);
    if (isFile && !kept.has(found[2])) kept.set(found[2], one);
  }
  const out = [];
  for (const one of lines) {
    const found = entry.exec(one);
    if (!found) { out.push(one); continue; }
    if (kept.get(found[2]) !== one) continue;
    const day = /\\d{4}-\\d{2}-\\d{2}(T[\\d:]+[+-][\\d:]+)?/.exec(one);
    const age = day ? (Date.now() - Date.parse(day[0])) / 864e5 : 0;
    out.push(age > 180 ? one.replace(day[0], day[0] + " [stale?]") : one.replace(" [stale?]", ""));
  }
  await put(index, out.join("\\n"));
  await fs.unlink(lock);
}
(async () => {
  const times = [];
  for (let n = 0; n < 15; n++) {
    const begin = performance.now(); await once(n); times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b); console.log(times[7] / 1000);
})();
"""


def write(root: Path) -> list[tuple[str, str, str]]:
    """A write into an index of 10,000 entries, inside a process, beside a Node.js stand-in."""
    rows = []
    for count in (1_000, 10_000):
        places = make_store(root, count, body_bytes=100)
        os.environ["HOME"] = str(root)
        store = OpenpiSystem().active(places)
        times = []
        for number in range(15):
            begin = time.perf_counter()
            store.write(WriteRequest(topic="Bench", content="body", summary=f"s{number}"))
            times.append(time.perf_counter() - begin)
        ours = statistics.median(times)
        rows.append((f"write, {count:,} entries, ms", f"{ours * 1e3:.1f}", "linear"))
    if shutil.which("node"):
        places = make_store(root, 10_000, body_bytes=100)
        folder = str(Path(places.agent_dir) / "memory")
        done = subprocess.run(
            ["node", "-e", STAND_IN, folder], capture_output=True, text=True, check=True
        )
        theirs = float(done.stdout)
        rows.append(
            ("write, 10,000 entries, to the Node.js stand-in", f"{ours / theirs:.2f}", "0.25")
        )
    return rows
