"""What the server takes in while 50 agents post, and when verdicts are ready.

The agents, each a machine, keep to a pace: 100 measurements of ten repetitions a run,
50 runs a second, which are 5,000 measurements a second; they begin with an empty
database, as soon as all processes have started, so that the first run of each creates
its machine and its series: the 99th percentile is told with and without those.
Everything runs on this machine: the agents, the server, its workers, and the database.

`python -m benchmarks server` posts for a minute, `--seconds 20` for less, `--quick` for
ten seconds. The rate is that of the whole time, the start included. Bytes are those of
each table with its indices, without repetitions (samples, payload); no expectation is
declared, so that there are no verdicts among them. Unswept is what PostgreSQL occupies
before VACUUM: a model is rewritten with every run of its machine.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import uvloop
from benchmarks import processors
from benchmarks.goals import Goal
from benchmarks.load import RESULTS, Load, bodies, posted
from benchmarks.occupancy import REPETITIONS, besides, occupied, sweep
from benchmarks.options import asked, usual
from benchmarks.results import Results
from benchmarks.systems import System, distributed, embedded
from sqlalchemy import func, select

from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions

SECONDS: Final = 60.0
QUICK_SECONDS: Final = 10.0
SETTLE_SECONDS: Final = 2.0
IDLE: Final = 0.05
"""Cores that a system which waits for work still uses."""

DRAIN_SECONDS: Final = 300.0
SHOWN: Final = 8
"""Tables, the largest ones, whose bytes have a column."""

RATE: Final = Goal(
    "measurements taken in a second, slower database",
    "{:,.0f}",
    least=5_000,
    reason="the agents post 5,000 a second, so that every late answer takes from it",
)
POST: Final = Goal(
    "post of 100 measurements, p99, slower database", "{:.0f} ms", most=500
)
LOST: Final = Goal("runs lost or doubled", "{:.0f}", most=0)
VERDICT: Final = Goal(
    "verdict after its run, p95, slower database", "{:.1f} s", most=30
)
BYTES: Final = Goal(
    "bytes of a measurement after a minute, larger database", "{:.0f}", most=200
)


@dataclass(frozen=True)
class Taken:
    """What came in on one database, and what became of it.

    Parameters
    ----------
    milliseconds
        Until a post was answered: p50, p99, p99 without the first run of each agent.
    refused, lost, doubled
        Numbers of runs.
    verdict
        Seconds from the last run of a subject to its verdict, p95.
    alive
        Milliseconds until /healthz answered, p99.
    cores
        That each part used.
    occupied
        Bytes of a measurement, by table.
    unswept
        Bytes of a measurement before rows that were written anew were swept.
    """

    rate: float
    milliseconds: tuple[float, float, float]
    refused: int
    lost: int
    doubled: int
    verdict: float
    alive: float
    cores: Mapping[str, float]
    occupied: Mapping[str, float]
    unswept: float


def main(results: Results) -> None:
    """Measure ingest and verdicts on either database."""
    seconds = asked().seconds or usual(SECONDS, QUICK_SECONDS)
    results.say(f"{seconds:.0f} s of posting.")
    row = results.table(
        "database",
        "measurements/s",
        "p50",
        "p99",
        "p99 after first",
        "refused",
        "lost",
        "doubled",
        "verdict p95",
        "/healthz p99",
        "cores used",
    )
    plan = bodies(seconds)
    found: dict[str, Taken] = {}
    for name, system in (
        ("PostgreSQL + Redis + Celery", distributed),
        ("SQLite, embedded worker", embedded),
    ):
        with system() as running_system:
            _settle(running_system)
            before = _used(running_system)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                load = runner.run(posted(running_system.url, plan))
            used = {
                part: (spent - before[part]) / load.took
                for part, spent in _used(running_system).items()
            }
            found[name] = taken(running_system.sessions, load, used)
            row(name, *_cells(found[name]))
    _bytes(results, found)
    every = found.values()
    results.figure(RATE, round(min(one.rate for one in every)))
    results.figure(POST, max(one.milliseconds[1] for one in every))
    results.figure(LOST, sum(one.lost + one.doubled for one in every))
    results.figure(VERDICT, max(one.verdict for one in every))
    if seconds == SECONDS:
        results.figure(BYTES, max(besides(one.occupied) for one in every))


def _cells(found: Taken) -> list[str]:
    return [
        f"{found.rate:,.0f}",
        *(f"{one:.0f} ms" for one in found.milliseconds),
        *map(str, (found.refused, found.lost, found.doubled)),
        f"{found.verdict:.1f} s",
        f"{found.alive:.0f} ms",
        ", ".join(f"{part} {share:.2f}" for part, share in found.cores.items()),
    ]


def _bytes(results: Results, found: Mapping[str, Taken]) -> None:
    results.heading("Bytes of a measurement")
    sizes = next(iter(found.values())).occupied
    names = [name for name in sizes if name not in REPETITIONS][:SHOWN]
    row = results.table("database", *names, "rest", "together", "unswept")
    for database, one in found.items():
        shown = [one.occupied.get(name, 0.0) for name in names]
        together = besides(one.occupied)
        cells = [*shown, together - sum(shown), together, one.unswept]
        row(database, *(f"{size:.0f}" for size in cells))


def taken(sessions: Sessions, load: Load, used: Mapping[str, float]) -> Taken:
    """Return what came in, and what became of it."""
    delays = drained(sessions)
    with sessions.reading() as session:
        stored = list(session.scalars(select(tables.Run.uuid)))
        points = session.scalar(select(func.count()).select_from(tables.Point)) or 0
    doubled = len(stored) - len(set(stored)) + points - RESULTS * len(set(stored))
    lost = len(load.acknowledged - set(stored))
    p50, p99 = np.quantile(load.seconds, (0.5, 0.99)) * 1e3
    unswept = besides(occupied(sessions)) / points
    sweep(sessions)
    return Taken(
        rate=RESULTS * len(load.acknowledged) / load.took,
        milliseconds=(p50, p99, np.quantile(load.later, 0.99) * 1e3),
        refused=load.refused,
        lost=lost,
        doubled=doubled,
        verdict=np.quantile(delays, 0.95) if delays else np.inf,
        alive=np.quantile(load.probes, 0.99) * 1e3,
        cores=used,
        occupied={name: size / points for name, size in occupied(sessions).items()},
        unswept=unswept,
    )


def _settle(system: System) -> None:
    """Wait until all processes have started: what they load costs seconds."""
    before, spent = 0.0, 1.0
    while spent - before > IDLE * SETTLE_SECONDS:
        time.sleep(SETTLE_SECONDS)
        parts = _used(system)
        before, spent = spent, sum(parts.values()) - parts["agents"]


def _used(system: System) -> dict[str, float]:
    """Return the processor seconds that each part has consumed, the agents first."""
    spent = {"agents": time.process_time()}
    return spent | {
        part: processors.seconds(pid) for part, pid in system.processes.items()
    }


def drained(sessions: Sessions) -> list[float]:
    """Wait for the analysis; return from the last run of a subject to its verdict."""
    deadline = time.monotonic() + DRAIN_SECONDS
    unfinished = select(func.count()).where(tables.Job.due_at.is_not(None))
    while time.monotonic() < deadline:
        with sessions.reading() as session:
            if not session.scalar(unfinished):
                return _delays(sessions)
        time.sleep(0.5)
    return []


def _delays(sessions: Sessions) -> list[float]:
    with sessions.reading() as session:
        last_run = {
            f"{commit}/{machine}": received
            for commit, machine, received in session.execute(
                select(
                    tables.Run.commit_id,
                    tables.Run.machine_id,
                    func.max(tables.Run.received_at),
                ).group_by(tables.Run.commit_id, tables.Run.machine_id)
            )
        }
        finished = session.execute(
            select(tables.Job.subject, func.max(tables.Job.finished_at))
            .where(tables.Job.kind == "analyse")
            .group_by(tables.Job.subject)
        )
        return [
            (ended - last_run[subject]).total_seconds() for subject, ended in finished
        ]
