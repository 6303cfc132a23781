"""A PostgreSQL of our own, in a temporary folder, reached by a socket in it."""

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg import sql

from .programs import give, identity, postgres_folder

PATIENCE = 60.0
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
"""For tests that do not kill it: nothing needs to be on disk in time."""


class PostgreSQL:
    """A server with a cluster of its own; `start` begins where `kill` has ended it.

    Parameters
    ----------
    settings
        Further settings, such as `fsync=off`.
    folder
        Where the cluster is, a temporary one by default; one that was stopped there
        goes on.
    """

    def __init__(
        self, settings: tuple[str, ...] = FAST, folder: Path | None = None
    ) -> None:
        self.programs = postgres_folder()
        self.settings = settings
        self.folder = folder or Path(tempfile.mkdtemp(prefix="scalewatch-pg-"))
        self.log = self.folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        if not (self.folder / "data" / "PG_VERSION").exists():
            self._create_cluster()

    def _create_cluster(self) -> None:
        give(self.folder)
        subprocess.run(
            [
                self.programs / "initdb",
                *("-A", "trust", "-U", "postgres", "-E", "UTF8"),
                *("--locale=C.UTF-8", "--no-sync", "-D", self.folder / "data"),
            ],
            cwd="/",
            check=True,
            capture_output=True,
            **identity(),
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = (
            f"unix_socket_directories={self.folder}",
            "listen_addresses=",
            "max_connections=200",
            *self.settings,
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            # After a crash it gives up while children of the last one still end.
            if self.process is None or self.process.poll() is not None:
                self.process = self._started(options)
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(self.log.read_text())

    def stop(self) -> None:
        """End the server in order; clients are turned away."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End the server as a crash does, its children included."""
        self._end(signal.SIGKILL)

    def remove(self) -> None:
        """End the server and delete its cluster."""
        if self.process is not None:
            self.stop()
        shutil.rmtree(self.folder)

    def url(self, database: str) -> str:
        """Return the address of a database for SQLAlchemy."""
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"

    def execute(self, statement: str | sql.Composed) -> None:
        """Do something outside any transaction and any database of ours."""
        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def create(self, database: str, template: str | None = None) -> str:
        """Create a database, empty or as a copy; return its address."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(database), sql.Identifier(template or "template0")
        )
        self.execute(statement)
        return self.url(database)

    def drop(self, database: str) -> None:
        """Drop a database; whoever is connected to it is turned out."""
        statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        self.execute(statement.format(sql.Identifier(database)))

    def has(self, database: str) -> bool:
        """Tell whether there is a database of this name."""
        with psycopg.connect(self._address) as connection:
            found = connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", (database,)
            )
            return found.fetchone() is not None

    def rename(self, database: str, name: str) -> None:
        """Call a database something else; nobody may be connected to it."""
        statement = sql.SQL("ALTER DATABASE {} RENAME TO {}")
        self.execute(statement.format(sql.Identifier(database), sql.Identifier(name)))

    @property
    def _address(self) -> str:
        return f"host={self.folder} user=postgres dbname=postgres"

    def _started(self, options: tuple[str, ...]) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [
                    self.programs / "postgres",
                    *("-D", self.folder / "data"),
                    *(part for option in options for part in ("-c", option)),
                ],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **identity(),
            )

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
            self.process = None
