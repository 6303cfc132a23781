"""An agent as a process: it spools what it measured, and delivers what is spooled.

`python -m benchmarks.faults.agent FOLDER SERVER SEED NUMBER` goes on where the one
before it was killed, until it is ended. Spool and delivery are the product's own.
"""

import os
import random
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchmarks.faults.inputs import report_of, uuid_of

from scalewatch_agent.delivery.deliver import Patience, deliver
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.errors import FolderUnwritable

MOST_AT_ONCE: Final = 24
PAUSE_SECONDS: Final = 0.25
PATIENCE: Final = Patience(attempts=2)


def main() -> None:
    """Work until the process that started this one ends."""
    folder, server, seed, number = sys.argv[1:]
    parent = os.getppid()
    while parent == os.getppid():
        with suppress(FolderUnwritable, OSError):  # its disk is full
            measure(Path(folder), server, int(seed), int(number))
            bring(Spool(Path(folder) / "spool"))
        time.sleep(PAUSE_SECONDS)


def measure(folder: Path, server: str, seed: int, number: int) -> None:
    """Spool some runs; who is killed in between spools the last one again."""
    spool, first = Spool(folder / "spool"), spooled(folder)
    draw = random.Random(f"{seed} {number} {first}")  # noqa: S311 - sizes, no secrets
    for count in range(first, first + draw.randint(1, MOST_AT_ONCE)):
        spool.put(spool.entry(report_of(seed, number, count), server))
        note(folder, count + 1)


def bring(spool: Spool) -> None:
    """Deliver what is spooled, as far as the server takes it."""
    deque(deliver(entries(spool), spool, PATIENCE), maxlen=0)


def entries(spool: Spool) -> Iterator[SpooledRun]:
    """Yield the runs that wait."""
    for path in spool.pending():
        yield SpooledRun.read(path)


def spooled(folder: Path) -> int:
    """Return how many runs an agent has spooled."""
    try:
        return int((folder / "spooled").read_text())
    except FileNotFoundError:
        return 0


def catch_up(folder: Path, seed: int, number: int) -> None:
    """Note the run that an agent was killed after, before it had noted it."""
    count = spooled(folder)
    last = str(uuid_of(seed, number, count))
    if any(path.stem == last for path in Spool(folder / "spool").pending()):
        note(folder, count + 1)


def note(folder: Path, count: int) -> None:
    """Note how many runs an agent has spooled."""
    written = folder / "spooled.new"
    written.write_text(str(count))
    written.replace(folder / "spooled")


if __name__ == "__main__":
    main()
