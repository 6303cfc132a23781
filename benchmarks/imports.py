"""How fast one command imports 10,000 result files of 20 kB, and that it doubles none.

The files are logs of LAMMPS as its jobs leave them: what the job says, thermodynamic
output, the breakdown of the run; a hundred commits of ten process counts, ten times
each. `scalewatch import FOLDER` posts them to a server that runs beside it, which
analyses what arrives meanwhile; both share the processors of this machine with whatever
else it does. The import is interrupted once and called again. Rates are those of the
clock; processor seconds are what the command, and server and worker, consumed, which
other programs hardly change. Memory is the largest of the command.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from benchmarks import processors
from benchmarks.goals import Goal
from benchmarks.options import usual
from benchmarks.results import Results
from benchmarks.systems import System, distributed, embedded
from sqlalchemy import func, select

from scalewatch.storage import tables

FILES: Final = 10_000
QUICK_FILES: Final = 500
COMMITS: Final = 100
SEED: Final = 20261125
SIZE: Final = 20_000
"""Bytes of a file."""

INTERRUPTED: Final = 0.3
"""Share of the files after which the first import is interrupted."""

RATE: Final = Goal(
    "result files of 20 kB imported in a second, slower database", "{:.0f}", least=300
)
DOUBLED: Final = Goal(
    "runs lost or doubled by an import that was interrupted", "{:.0f}", most=0
)
MEMORY: Final = Goal("memory of the import of 10,000 files", "{:.0f} MB", most=300)

HEAD: Final = """LAMMPS (17 Apr 2024 - Development)
  using 1 OpenMP thread(s) per MPI task
Reading data file ...
Step          Temp          E_pair         TotEng         Press
"""
TAIL: Final = """Loop time of {loop:.6g} on {p} procs for 100 steps with 32000 atoms

Performance: {rate:.3f} ns/day, 5.1 hours/ns, {steps:.3f} timesteps/s
99.9% CPU use with {p} MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
{sections}
Nlocal:        1000 ave        1010 max         990 min
Total wall time: 0:00:12
"""
SECTIONS: Final = {
    "Pair": 8.0,
    "Neigh": 1.0,
    "Comm": 0.5,
    "Output": 0.01,
    "Modify": 0.2,
}


@dataclass(frozen=True)
class Imported:
    """What became of the files.

    Parameters
    ----------
    rate
        Files a second, from the beginning of the command to its end.
    client, server
        Processor seconds.
    again
        Files a second when all of them are imported once more.
    megabytes
        Largest memory of the command.
    wrong
        Runs that are missing, or too many.
    """

    rate: float
    client: float
    server: float
    again: float
    megabytes: float
    wrong: int


def main(results: Results) -> None:
    """Import the files into either database, with an interruption."""
    number = usual(FILES, QUICK_FILES)
    results.say(f"{number:,} files, {os.cpu_count()} processors.")
    row = results.table(
        "database",
        "files/s",
        "ms of the command a file",
        "ms of the server a file",
        "files/s again",
        "memory",
        "runs wrong",
    )
    found = []
    with TemporaryDirectory(prefix="scalewatch-files-") as folder:
        write(Path(folder), number)
        systems: dict[str, Callable[[], AbstractContextManager[System]]] = {
            "SQLite, embedded worker": embedded,
            "PostgreSQL + Redis + Celery": distributed,
        }
        for name, system in systems.items():
            with system() as running:
                one = imported(running, folder, number)
            found.append(one)
            row(
                name,
                f"{one.rate:.0f}",
                f"{one.client / number * 1e3:.2f}",
                f"{one.server / number * 1e3:.2f}",
                f"{one.again:.0f}",
                f"{one.megabytes:.0f} MB",
                one.wrong,
            )
    results.figure(RATE, min(one.rate for one in found))
    results.figure(DOUBLED, sum(one.wrong for one in found))
    if number == FILES:
        results.figure(MEMORY, max(one.megabytes for one in found))


def write(folder: Path, number: int) -> None:
    """Write so many logs, a folder per commit."""
    draw = np.random.default_rng(SEED)
    per_commit = max(number // COMMITS, 1)
    for at in range(number):
        commit, place = divmod(at, per_commit)
        p = 2 ** (place % 10 + 1)
        path = folder / f"{commit:040x}" / f"p{p}.{place // 10}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_text(log(draw, p))


def log(draw: np.random.Generator, p: int) -> str:
    """Return a log of `SIZE` bytes."""
    noise = draw.lognormal(0, 0.02, len(SECTIONS) + 1)
    loop = noise[0] * (1 + 100 / p)
    sections = "\n".join(
        f"{name:8s}| {t:.5g} | {t:.5g} | {t:.5g} |   0.0 | 10.00"
        for (name, share), scatter in zip(SECTIONS.items(), noise[1:], strict=True)
        for t in [share / 10 * loop * scatter]
    )
    tail = TAIL.format(
        loop=loop, p=p, rate=80 / loop, steps=100 / loop, sections=sections
    )
    lines = (SIZE - len(HEAD) - len(tail)) // 71
    steps = "".join(
        f"{step:10d}   {1.44:12.8f}   {-6.77:12.8f}   {-4.61:12.8f}   {-5.02:12.8f}\n"
        for step in range(lines)
    )
    return HEAD + steps + tail


def imported(system: System, folder: str, number: int) -> Imported:
    """Import a folder in two goes, and once more."""
    before = _used(system)
    _interrupted(system, folder, round(number * INTERRUPTED))
    begun = _known(system)
    started = time.perf_counter()
    client, runs = _run(system, folder)
    took = time.perf_counter() - started
    server = _used(system) - before
    started = time.perf_counter()
    _run(system, folder)
    again = time.perf_counter() - started
    with system.sessions.reading() as session:
        stored = session.scalar(select(func.count()).select_from(tables.Run)) or 0
    return Imported(
        rate=number / took,
        client=client,
        server=server,
        again=number / again,
        megabytes=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3,
        # Each log tells two runs: sections of the slowest process, and of the mean one.
        wrong=abs(stored - runs) + max(begun - runs, 0),
    )


def _command(system: System, folder: str) -> list[str]:
    return [
        *(sys.executable, "-c", "from scalewatch.cli import main; main()"),
        *("import", folder, "--project", "md", "--machine", "cluster"),
        *("--commit", "unknown", "--path", "{commit}/p{*}.{rep}.log"),
        *("--server", system.url),
    ]


def _run(system: System, folder: str) -> tuple[float, int]:
    """Import a folder; return the processor seconds of the command, and its runs."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        _command(system, folder), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(done.stdout.split()[0])


def _interrupted(system: System, folder: str, files: int) -> None:
    """Interrupt an import once so many runs are stored."""
    with subprocess.Popen(
        _command(system, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None and _known(system) < files:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)


def _known(system: System) -> int:
    with system.sessions.reading() as session:
        return session.scalar(select(func.count()).select_from(tables.Run)) or 0


def _used(system: System) -> float:
    return sum(processors.seconds(pid) for pid in system.processes.values())
