"""Server, worker, database and broker as processes that can be killed and started."""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of

from .ports import free_port
from .postgres import PostgreSQL
from .processes import end, start
from .redis import Redis

PATIENCE: Final = 120.0
DURABLE: Final = ("synchronous_commit=on",)
"""What PostgreSQL acknowledges survives its crash."""


class Composition:
    """All that `docker-compose.yml` starts; embedded, all that `serve` does.

    Parameters
    ----------
    variables
        Further ones of the environment of server and worker.
    """

    def __init__(
        self,
        home: Path,
        *,
        is_distributed: bool,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.is_distributed = is_distributed
        self.settings = {
            "SCALEWATCH_HOME": str(home),
            "SCALEWATCH_LEASE_SECONDS": "2",
            "SCALEWATCH_PORT": str(free_port()),
            **(variables or {}),
        }
        self.base = f"http://127.0.0.1:{self.settings['SCALEWATCH_PORT']}"
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.database: PostgreSQL | None = None
        self.broker: Redis | None = None
        self.url = f"sqlite:///{home}/scalewatch.db"
        if is_distributed:
            self.database, self.broker = PostgreSQL(DURABLE), Redis()
            self.url = self.database.url("faults")
            self.settings["SCALEWATCH_BROKER_URL"] = self.broker.url
        self.settings["SCALEWATCH_DATABASE_URL"] = self.url

    @property
    def parts(self) -> tuple[str, ...]:
        """What can fail."""
        if self.is_distributed:
            return ("serve", "worker", "broker", "database")
        return ("serve",)

    def start(self) -> None:
        """Start everything."""
        if self.database and self.broker:
            self.database.start()
            self.broker.start()
            self.database.create("faults")
        engine = connect(self.url)
        schema.upgrade(engine)
        engine.dispose()
        self.start_command("serve")
        if self.is_distributed:
            self.start_command("worker")

    def start_command(self, name: str) -> None:
        """Start the server or the worker, and wait until it says that it is ready."""
        process = self.processes[name] = start([name], self.settings)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.search(r"Scalewatch is at|Working on", line), line

    def kill(self, part: str) -> None:
        """End a part as a crash does."""
        if part == "broker" and self.broker:
            self.broker.kill()
        elif part == "database" and self.database:
            self.database.kill()
        else:
            end(self.processes.pop(part))

    def revive(self, part: str) -> None:
        """Start a part that was killed."""
        if part == "broker" and self.broker:
            self.broker.start()
        elif part == "database" and self.database:
            self.database.start()
        else:
            self.start_command(part)

    def mend(self) -> None:
        """Start what is down."""
        found: dict[str, subprocess.Popen | None] = {**self.processes}
        if self.database and self.broker:
            servers = {"database": self.database, "broker": self.broker}
            found |= {name: each.process for name, each in servers.items()}
        for part in reversed(self.parts):
            process = found.get(part)
            if process is None or process.poll() is not None:
                self.revive(part)

    def freeze(self, part: str) -> None:
        """Let a part hang."""
        os.killpg(self.processes[part].pid, signal.SIGSTOP)

    def let_jobs_wait(self, time: timedelta) -> None:
        """Let open jobs have waited for so long already."""
        engine = connect(self.url)
        with engine.begin() as connection:
            connection.execute(
                update(tables.Job)
                .where(tables.Job.due_at.is_not(None))
                .values(created_at=tables.now() - time)
            )
        engine.dispose()

    def remove(self) -> None:
        """End everything that is left."""
        for process in self.processes.values():
            end(process)
        for server in (self.database, self.broker):
            if server:
                server.remove()

    def finished(self, patience: float = PATIENCE) -> "Stored":
        """Wait until no job is open; return what is stored then."""
        engine = connect(self.url)
        sessions = sessions_of(engine)
        deadline = time.monotonic() + patience
        try:
            while True:
                stored = _stored(sessions)
                if not stored.open:
                    return stored
                assert time.monotonic() < deadline, f"jobs are left: {stored.states}"
                time.sleep(0.5)
        finally:
            engine.dispose()


class Stored:
    """What a database holds."""

    def __init__(
        self, runs: list[UUID], points: Counter[UUID], states: dict[str, int]
    ) -> None:
        self.runs = runs
        self.points = points
        self.states = states

    @property
    def open(self) -> int:
        """Number of jobs that wait or are being done."""
        return sum(self.states.get(state, 0) for state in ("queued", "running"))


def _stored(sessions) -> Stored:
    try:
        with sessions.reading() as session:
            return Stored(
                list(session.scalars(select(tables.Run.uuid))),
                Counter(
                    dict(
                        session.execute(
                            select(tables.Run.uuid, func.count())
                            .join(tables.Point, tables.Point.run_id == tables.Run.id)
                            .group_by(tables.Run.uuid)
                        ).all()
                    )
                ),
                dict(
                    session.execute(
                        select(tables.Job.state, func.count()).group_by(
                            tables.Job.state
                        )
                    ).all()
                ),
            )
    except SQLAlchemyError:  # it has just come back
        return Stored([], Counter(), {"queued": 1})
