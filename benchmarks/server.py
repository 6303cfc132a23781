"""What the server takes in while 50 agents post, and when verdicts are ready.

The agents keep to a pace: 100 measurements a run, 50 runs a second, which are 5,000
measurements a second; they begin with an empty database, so that the first run of each
creates its machine and its series: the 99th percentile is told with and without those.
Everything runs on this machine: the agents, the server, its workers, and the database.

`python -m benchmarks server` posts for a minute, `--seconds 20` for less, `--quick` for
ten seconds.
"""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import uvloop
from benchmarks import processors
from benchmarks.load import RESULTS, Load, bodies, posted
from benchmarks.options import asked, usual
from sqlalchemy import func, select, text
from tests.support.servers.postgres import PostgreSQL
from tests.support.servers.processes import running
from tests.support.servers.redis import Redis

from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of

SECONDS: Final = 60.0
QUICK_SECONDS: Final = 10.0
SETTLE_SECONDS: Final = 2.0
IDLE: Final = 0.05
"""Cores that a system which waits for work still uses."""

DRAIN_SECONDS: Final = 300.0
DURABLE: Final = ("synchronous_commit=on", "shared_buffers=512MB")


@dataclass(frozen=True)
class System:
    """A server that runs, the database behind it, and the processes of both."""

    url: str
    sessions: Sessions
    processes: Mapping[str, int]


def main() -> None:
    """Print ingest and verdicts on either database, and the machine that it was."""
    seconds = asked().seconds or usual(SECONDS, QUICK_SECONDS)
    print(f"{hardware()}; {seconds:.0f} s of posting\n")
    names = (
        "| | measurements/s | p50 | p99 | p99 after first | refused | lost | doubled "
    )
    print(f"{names}| verdict p95 | /healthz p99 | cores used | bytes each | unswept |")
    print(f"|---|{'---|' * 12}")
    plan = bodies(seconds)
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
            print(
                f"| {name} | {row(running_system.sessions, load, used)} |", flush=True
            )


def row(sessions: Sessions, load: Load, used: Mapping[str, float]) -> str:
    """Return the cells of a table: what came in, and what became of it."""
    delays = drained(sessions)
    with sessions.reading() as session:
        stored = list(session.scalars(select(tables.Run.uuid)))
        points = session.scalar(select(func.count()).select_from(tables.Point)) or 0
    doubled = len(stored) - len(set(stored)) + points - RESULTS * len(set(stored))
    lost = len(load.acknowledged - set(stored))
    rate = RESULTS * len(load.acknowledged) / load.took
    p50, p99 = np.quantile(load.seconds, (0.5, 0.99)) * 1e3
    later = np.quantile(load.later, 0.99) * 1e3
    verdict = f"{np.quantile(delays, 0.95):.1f} s" if delays else "not within patience"
    alive = np.quantile(load.probes, 0.99) * 1e3
    cores = ", ".join(f"{part} {share:.2f}" for part, share in used.items())
    left = besides(occupied(sessions)) / points
    swept(sessions)
    each = {name: size / points for name, size in occupied(sessions).items()}
    parts = ", ".join(f"{name} {size:.0f}" for name, size in each.items() if size > 1)
    return (
        f"{rate:,.0f} | {p50:.0f} ms | {p99:.0f} ms | {later:.0f} ms | "
        f"{load.refused} | {lost} | {doubled} | {verdict} | {alive:.0f} ms | {cores} | "
        f"{besides(each):.0f} ({parts}) | {left:.0f}"
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


REPETITIONS: Final = ("samples", "payload")
"""Tables that hold repetitions, as numbers and as they were posted."""


def besides(sizes: Mapping[str, float]) -> float:
    """Return what all tables take but those of repetitions."""
    return sum(size for name, size in sizes.items() if name not in REPETITIONS)


def swept(sessions: Sessions) -> None:
    """Give the space of rows back that were written anew.

    A model is, with every run of its machine; PostgreSQL sweeps once a minute, and
    later rows take the space.
    """
    with sessions.reading() as session:
        engine = session.get_bind().engine
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            own = connection.execution_options(isolation_level="AUTOCOMMIT")
            own.execute(text("VACUUM FULL"))


def occupied(sessions: Sessions) -> dict[str, int]:
    """Return the bytes of each table with its indices."""
    statement = (
        "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat AS d "
        "JOIN sqlite_master AS m ON m.name = d.name GROUP BY m.tbl_name"
    )
    with sessions.reading() as session:
        if session.get_bind().dialect.name == "postgresql":
            statement = (
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            )
        sizes = {name: int(size) for name, size in session.execute(text(statement))}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


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


@contextmanager
def distributed() -> Iterator[System]:
    """Run the server on PostgreSQL, with Celery's workers woken through Redis."""
    database, broker = PostgreSQL(DURABLE), Redis()
    try:
        database.start()
        broker.start()
        settings = {
            "SCALEWATCH_DATABASE_URL": database.create("load"),
            "SCALEWATCH_BROKER_URL": broker.url,
        }
        with (
            _system(settings, "--workers", "2") as system,
            running(["worker"], settings) as worker,
        ):
            _first_line(worker.stdout)
            beside = {"worker": worker.pid, **_pids(database=database, broker=broker)}
            yield replace(system, processes={**system.processes, **beside})
    finally:
        database.remove()
        broker.remove()


def _pids(**servers: PostgreSQL | Redis) -> dict[str, int]:
    return {
        name: server.process.pid for name, server in servers.items() if server.process
    }


@contextmanager
def embedded() -> Iterator[System]:
    """Run the server as a single user does."""
    with TemporaryDirectory(prefix="scalewatch-load-") as folder:
        url = f"sqlite:///{folder}/scalewatch.db"
        with _system({"SCALEWATCH_DATABASE_URL": url}) as system:
            yield replace(
                system, processes={"server and worker": system.processes["server"]}
            )


@contextmanager
def _system(settings: dict[str, str], *options: str) -> Iterator[System]:
    engine = connect(settings["SCALEWATCH_DATABASE_URL"])
    schema.upgrade(engine)
    try:
        with running(["serve", "--port", "0", *options], settings) as server:
            url = _first_line(server.stdout).split()[3]
            yield System(url, sessions_of(engine), {"server": server.pid})
    finally:
        engine.dispose()


def _first_line(stream: object) -> str:
    line: str = stream.readline()  # type: ignore[attr-defined]
    return line


def hardware() -> str:
    """Return what this ran on, and how busy that was with other things."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} × {models[0] if models else 'unknown processor'}, "
        f"{memory:.0f} GiB; load average before: {os.getloadavg()[0]:.1f}"
    )
