"""Disturbed jobs: which are flagged whose medians moved, and which that did not.

Jobs run as the agent runs them, beside none, one, two and four busy neighbours that
this script starts, in turns, so that other load of the machine meets all of them alike.
A job is one process, or two that go in step, and repeats arithmetic of half a
millisecond or of 60 ms, or is measured as a whole.

A job is disturbed where its median moved by more than 5 % against the quiet ones of its
kind, whatever the signs say: against the fifth percentile of the medians of jobs beside
no neighbour or, as the machine may be busy itself, against what as many units of half a
millisecond take, by the least lower quartile, if that is less. It should be flagged
then, and not be where its median moved by less than 2 %.

On a virtual machine the host moves the speed of a processor, too, by 20 % from one
second to the next here, and no sign of the guest shows that. Beside the times as they
are, times are therefore compared that are divided by how long the processor took for
the same arithmetic within the job.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.results import Results

from scalewatch_agent.activity import TURNS, WAITED, is_disturbed
from scalewatch_agent.programs import run_program

NEIGHBOURS: Final = (0, 1, 2, 4)
MOVED, STILL = 0.05, 0.02
ROUNDS: Final = 40

FLAGGED: Final = "disturbed jobs: flagged of those moved"

PROGRAM: Final = """
import json, os, sys, time
units, repeats, processes = map(int, sys.argv[1:])
def work():
    for _ in range(units):
        x = 0.0
        for i in range(8_000):
            x += i * i
first, second = os.pipe(), os.pipe()
if processes > 1 and not os.fork():
    for _ in range(repeats):
        os.read(first[0], 1); work(); os.write(second[1], b"x")
    os._exit(0)
taken, used = [], []
for _ in range(repeats):
    start, ran = time.perf_counter(), time.process_time()
    if processes > 1:
        os.write(first[1], b"x")
    work()
    used.append(time.process_time() - ran)
    if processes > 1:
        os.read(second[0], 1)
    taken.append(time.perf_counter() - start)
print(json.dumps([taken, used]))
"""


@dataclass(frozen=True)
class Kind:
    """A kind of job: units of half a millisecond a repetition, and its processes."""

    title: str
    units: int
    repeats: int
    processes: int
    is_whole: bool = False


KINDS: Final = (
    Kind("one process, 0.5 ms", 1, 1_500, 1),
    Kind("one process, 60 ms", 120, 20, 1),
    Kind("one process, as a whole", 120, 20, 1, is_whole=True),
    Kind("two processes, 0.5 ms", 1, 1_500, 2),
    Kind("two processes, 60 ms", 120, 20, 2),
)


@dataclass(frozen=True)
class Job:
    """A job that was measured: its values and the facts of its node."""

    kind: Kind
    neighbours: int
    values: list[float]
    facts: dict[str, float | int]
    unit: float
    """Seconds of a processor that a unit took."""

    @property
    def level(self) -> float:
        """The median of its values."""
        return median(self.values)

    @property
    def is_flagged(self) -> bool:
        """Whether the agent calls it disturbed."""
        return is_disturbed(self.facts, self.values)


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Run busy neighbours."""
    words = [sys.executable, "-c", "while True: pass"]
    neighbours = [subprocess.Popen(words) for _ in range(number)]
    try:
        yield
    finally:
        for each in neighbours:
            each.kill()
            each.wait()


def run(kind: Kind, neighbours: int) -> Job:
    """Run a job beside neighbours."""
    words = [sys.executable, "-c", PROGRAM]
    numbers = map(str, (kind.units, kind.repeats, kind.processes))
    with tempfile.TemporaryDirectory() as folder, busy(neighbours):
        ended = run_program([*words, *numbers], os.environ, Path(folder), 300)
        values, used = json.loads((Path(folder) / "stdout").read_text())
    unit = median(used) / kind.units
    if kind.is_whole:
        values = [sum(values)]
    return Job(kind, neighbours, values, dict(ended.activity), unit)


def main(results: Results) -> None:
    """Measure, and compare flags with how far medians moved."""
    rounds = int(options.usual(ROUNDS, 4))
    load = os.getloadavg()[0]
    jobs = [
        run(kind, neighbours)
        for _ in range(rounds)
        for kind in KINDS
        for neighbours in NEIGHBOURS
    ]
    results.say(
        f"{rounds} rounds; load {load:.1f} before, {os.getloadavg()[0]:.1f} after."
    )
    usual = median(job.unit for job in jobs)
    even = [
        replace(job, values=[value * usual / job.unit for value in job.values])
        for job in jobs
    ]
    compare(results, "as they are", jobs)
    compare(results, "at one speed of the processor", even)
    if path := os.environ.get("DISTURBED_JOBS"):
        Path(path).write_text(json.dumps([asdict(job) for job in jobs]))


def compare(results: Results, times: str, jobs: Sequence[Job]) -> None:
    """Show how far medians moved, and which of the jobs are flagged."""
    quiet = {kind: level_of(jobs, kind) for kind in KINDS}
    moved = [(job, job.level / quiet[job.kind] - 1) for job in jobs]
    row = results.table(
        f"job, times {times}",
        "neighbours",
        "median moved",
        "waited",
        "turns / s",
        "flagged of moved",
        "flagged of still",
    )
    for kind in KINDS:
        for neighbours in NEIGHBOURS:
            of = [
                (job, by)
                for job, by in moved
                if (job.kind, job.neighbours) == (kind, neighbours)
            ]
            row(
                kind.title,
                str(neighbours),
                f"{np.median([by for _, by in of]):+.1%}",
                f"{np.median([job.facts.get(WAITED, np.nan) for job, _ in of]):.1%}",
                f"{np.median([job.facts.get(TURNS, 0) for job, _ in of]):.0f}",
                counted([job for job, by in of if by > MOVED]),
                counted([job for job, by in of if by < STILL]),
            )
    caught = Goal(f"{FLAGGED} > 5 %, times {times}", "{:.1%}", least=0.95)
    false = Goal(f"{FLAGGED} < 2 %, times {times}", "{:.1%}", most=0.02)
    for goal, some in (
        (caught, [job for job, by in moved if by > MOVED]),
        (false, [job for job, by in moved if by < STILL]),
    ):
        results.figure(goal, sum(job.is_flagged for job in some) / max(1, len(some)))


def level_of(jobs: Sequence[Job], kind: Kind) -> float:
    """Return the median of a kind where nothing disturbs it.

    Of a machine that is busy itself no long job is quiet, but single units are.
    """
    of_kind = [each for each in jobs if (each.kind, each.neighbours) == (kind, 0)]
    single = KINDS[0] if kind.processes == 1 else KINDS[3]
    if kind is single:
        return min(float(np.quantile(each.values, 0.25)) for each in of_kind)
    level = float(np.quantile([each.level for each in of_kind], 0.05))
    units = kind.units * (kind.repeats if kind.is_whole else 1)
    return min(level, units * level_of(jobs, single))


def counted(jobs: list[Job]) -> str:
    """Return how many of some jobs are flagged."""
    return f"{sum(job.is_flagged for job in jobs)}/{len(jobs)}"
