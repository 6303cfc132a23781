"""Servers as they run in production, for the agents of a benchmark to post to."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.servers.postgres import PostgreSQL
from tests.support.servers.processes import running
from tests.support.servers.redis import Redis

from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of

DURABLE: Final = ("synchronous_commit=on", "shared_buffers=512MB")


@dataclass(frozen=True)
class System:
    """A server that runs, the database behind it, and the processes of both."""

    url: str
    sessions: Sessions
    processes: Mapping[str, int]


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
