"""A process of pimem that writes to the shared store without a pause.

usage: own_writer.py LABEL COUNT     prints the file of each acknowledged write
"""

from __future__ import annotations

import sys

from pimem_core.errors import StoreBusyError
from pimem_core.paths import find_places
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest


def main(label: str, count: int) -> None:
    store = OpenpiSystem().stores(find_places())[1]
    for number in range(count):
        topic, content = f"{label} {number % 40}", f"{label}-{number}."
        request = WriteRequest(topic=topic, content=content, summary="s", allow_secret=True)
        try:
            change = store.write(request)
            if number % 10 == 9:
                store.pin(change.file, True)
        except StoreBusyError:
            continue
        sys.stdout.write(f"{change.file} {content}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
