"""Files of a server are those of its owner alone, whatever the umask says."""

import os
import stat
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from scalewatch.cli import main
from scalewatch.services.access import policies
from scalewatch.services.access.policies import Policy
from scalewatch.storage import tables
from scalewatch.storage.database.session import connect, sessions_of
from support.builders import sweep_reports
from support.recorded import record_runs


@pytest.fixture
def home(tmp_path, environment_variables):
    """The folder of a server, which is not there yet, of a user whose umask is 0."""
    environment_variables.setenv("SCALEWATCH_HOME", str(tmp_path / "data" / "home"))
    before = os.umask(0)
    yield tmp_path / "data"
    os.umask(before)


def run(*arguments):
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def open_to_others(folder):
    """Return what others could read or write, of a folder and all below it."""
    return [
        path.relative_to(folder).as_posix()
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]


def test_everything_that_a_server_makes_is_its_owners_alone(home):
    run("migrate")
    engine = connect(f"sqlite:///{home}/home/scalewatch.db")
    with sessions_of(engine).writing.begin() as session:
        record_runs(session, sweep_reports(repetitions=20))
        policies.change(session, "mpich", Policy(retention_days=1, kept_repetitions=5))
        session.execute(
            update(tables.Run).values(received_at=datetime(2026, 1, 1, tzinfo=UTC))
        )
    run("backup", str(home / "backup.zst"))
    run("thin")

    made = {path.suffix for path in home.rglob("*") if path.is_file()}
    assert made >= {".db", ".db-wal", ".db-shm", ".zst"}
    assert open_to_others(home) == []
    engine.dispose()


def test_database_that_others_could_read_is_closed_to_them(home):
    run("migrate")
    database = home / "home" / "scalewatch.db"
    database.chmod(0o664)

    run("status")

    assert open_to_others(home) == []
