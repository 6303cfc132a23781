"""Databases that no command can use: one line says what is wrong and what to do."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from scalewatch.cli import COMMANDS, main
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect

ARGUMENTS = {
    "export": ["--project", "mpich"],
    "token": ["list"],
    "backup": ["backup.zst"],
    "restore": ["/dev/null"],
    "remove": ["project", "mpich", "--yes"],
    "serve": ["--port", "0"],
}
"""Of the commands that need some; all others need none."""

ON_DATABASES = [each.name for each in COMMANDS if ".server." in each.module]

READ_ONLY = """
set -e
mount -t tmpfs tmpfs "$SCALEWATCH_HOME"
if [ "$1" = made ]; then touch "$SCALEWATCH_HOME/scalewatch.db"; fi
mount -o remount,ro "$SCALEWATCH_HOME"
exec "$2" -c "$3"
"""

EACH = """
import json
from click.testing import CliRunner
from scalewatch.cli import main
for arguments in {commands!r}:
    result = CliRunner().invoke(main, arguments)
    print(json.dumps([arguments[0], result.exit_code, result.stderr]))
"""


@pytest.fixture
def home(tmp_path, environment_variables):
    environment_variables.setenv("SCALEWATCH_HOME", str(tmp_path))
    environment_variables.setenv("SCALEWATCH_EMBEDDED_WORKER", "false")
    return tmp_path


def commands():
    return [[name, *ARGUMENTS.get(name, [])] for name in ON_DATABASES]


@pytest.mark.parametrize("arguments", commands(), ids=ON_DATABASES)
def test_database_of_a_later_version_asks_for_that_version(home, arguments):
    engine = connect(f"sqlite:///{home}/scalewatch.db")
    schema.upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()

    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert f"{home}/scalewatch.db: " in line
    assert "schema 9999" in line
    assert "a later version" in line


@pytest.mark.parametrize("state", ["made", "missing"])
def test_read_only_file_system_asks_for_another_folder(home, state):
    each = EACH.format(commands=[*commands(), ["demo", "--home", f"{home}/demo"]])
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh"]
    ended = subprocess.run(
        [*alone, state, sys.executable, each],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in ended.stderr or "mount" in ended.stderr:
        pytest.skip(f"no file system can be mounted here: {ended.stderr}")

    outcomes = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [name for name, _, _ in outcomes] == [*ON_DATABASES, "demo"]
    for name, code, complaint in outcomes:
        (line,) = complaint.splitlines()
        assert (code, name) == (1, name)
        assert str(home) in line
        assert "can be written" in line or "be writable" in line
