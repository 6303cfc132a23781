"""The folder of counters lives as long as its server, even of one that was killed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scalewatch.cli.server.serve import metrics_folder

SERVER = """
import sys
from scalewatch.cli.server.serve import metrics_folder
with metrics_folder() as folder:
    (folder / "counter_7.db").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_next_start_removes_what_a_killed_server_left_and_nothing_in_use():
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        of_server = Path(server.stdout.readline().strip())

        with metrics_folder() as beside:
            in_use = of_server.exists(), beside.exists()
        server.kill()
        server.wait()
        left = of_server.exists()
        with metrics_folder():
            abandoned = of_server.exists()

    assert in_use == (True, True)
    assert left
    assert not abandoned
    assert not beside.exists()
