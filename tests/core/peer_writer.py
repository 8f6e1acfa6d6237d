"""A stand-in for openclaude-memory 0.6.6: its lock, its index rules, in a process of its own.

usage: peer_writer.py FOLDER LABEL COUNT     prints the file of each acknowledged write
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
import time

ENTRY = re.compile(r"^(\s*-\s+\[)([^\]]+)(\]\(([^)]+)\))([^\r\n]*)")


class Peer:
    """One process of the peer."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.lock = os.path.join(folder, ".lock")
        self.token = ""

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def create(self) -> bool:
        self.token = f"{os.getpid()}\t{time.time_ns() // 1_000_000}\t{secrets.token_hex(6)}"
        try:
            descriptor = os.open(self.lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        os.write(descriptor, self.token.encode())
        os.close(descriptor)
        return True

    def steal(self) -> None:
        """Unlink a lock that is old and whose process is gone."""
        try:
            seen = os.lstat(self.lock)
            with open(self.lock, encoding="utf-8") as file:
                pid = int(file.read().split("\t")[0] or 0)
            if time.time() - seen.st_mtime <= 10 or not stat.S_ISREG(seen.st_mode):
                return
            os.kill(pid, 0)
        except ProcessLookupError:
            now = os.lstat(self.lock)
            if (now.st_ino, now.st_mtime_ns) == (seen.st_ino, seen.st_mtime_ns):
                os.unlink(self.lock)
        except (OSError, ValueError):
            return

    def acquire(self) -> bool:
        """Two windows of two seconds with a second between them."""
        for _ in range(2):
            end = time.monotonic() + 2
            while True:
                if self.create():
                    return True
                self.steal()
                if time.monotonic() >= end:
                    break
                time.sleep(0.025)
            time.sleep(1)
        return False

    def release(self) -> None:
        try:
            with open(self.lock, encoding="utf-8") as file:
                if file.read() != self.token:
                    return
            os.unlink(self.lock)
        except FileNotFoundError:
            return

    def publish(self, name: str, text: str) -> None:
        temporary = self.path(f"{name}.tmp-{os.getpid()}-{secrets.token_hex(5)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
        os.close(descriptor)
        os.rename(temporary, self.path(name))

    def read(self, name: str, default: str = "") -> str:
        try:
            with open(self.path(name), encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return default

    def write(self, topic: str, content: str) -> str | None:
        """Write a topic as the peer does; its file, or None when the store was busy."""
        if not self.acquire():
            return None
        try:
            name = topic.lower().replace(" ", "-") + ".md"
            now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
            old = self.read(name)
            head = f'---\nmetadata:\n  node_type: memory\nname: "{topic}"\ndescription: "s"\n'
            head += f"last_updated: {now}\ncreated: {now}\n---\n"
            body = old.split("---\n", 2)[2] + f"\n## {now}\n\n" if old else "\n"
            self.publish(name, head + body + content + "\n")
            lines = self.read("MEMORY.md", "# Memory Index\n\n").split("\n")
            mine = f"- [{topic}]({name}) {now} -- s"
            matches = [ENTRY.match(line) for line in lines]
            spots = [i for i, found in enumerate(matches) if found and found[4] == name]
            if spots:
                lines[spots[0]] = mine
            else:
                lines.append(mine)
            self.publish("MEMORY.md", "\n".join(self.maintained(lines)))
            removed = self.read(".ocl-removed").split("\n")
            if name in removed:
                self.publish(".ocl-removed", "\n".join(n for n in removed if n != name))
            return name
        finally:
            self.release()

    def maintained(self, lines: list[str]) -> list[str]:
        """Drop lines without a regular file, and duplicates but the first."""
        kept, seen = [], set()
        for line in lines:
            found = ENTRY.match(line)
            if found is None:
                kept.append(line)
            elif found[4] not in seen and os.path.isfile(self.path(found[4])):
                seen.add(found[4])
                kept.append(line)
        return kept


def main(folder: str, label: str, count: int) -> None:
    peer = Peer(folder)
    for number in range(count):
        written = peer.write(f"{label} {number % 40}", f"{label}-{number}.")
        if written is not None:
            sys.stdout.write(f"{written} {label}-{number}.\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
