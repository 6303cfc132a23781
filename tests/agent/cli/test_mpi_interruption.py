"""What remains of a sweep that was interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from scalewatch_agent.delivery.spool import SpooledRun

TEST = "SCALEWATCH_TEST"


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.thorough)]
)
def test_interrupted_sweep_leaves_no_process_and_no_half_written_run(
    number, openmpi, nobody, tmp_path
):
    mark = str(uuid4())
    processes = 4
    endless = ("--repetitions", "20000", "--budget", "600")
    agent = subprocess.Popen(
        [
            *(sys.executable, "-m", "scalewatch_agent", "mpi", "--server", nobody),
            *("--mpiexec", openmpi.mpiexec, "-p", f"1,{processes}"),
            *("--regions", "MPI_Barrier", *endless),
        ],
        env=os.environ | {"SCALEWATCH_AGENT_HOME": str(tmp_path), TEST: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert agent.stderr is not None
        agent.stderr.readline()  # p = 1 is measured
        until(lambda: len(marked(mark)) >= processes + 2)  # agent and mpiexec, too
        agent.send_signal(number)
        _, complaint = agent.communicate(timeout=60)
    finally:
        agent.kill()
        agent.wait()

    assert agent.returncode == 130
    assert str(tmp_path / "spool") in complaint
    until(lambda: marked(mark) == [])
    kept = [path for path in (tmp_path / "spool").iterdir() if path.is_file()]
    assert [SpooledRun.read(path).run["coordinate"] for path in kept] == [{"p": 1}]


def marked(mark):
    """Return the processes that inherited the mark of a test."""
    return [path for path in Path("/proc").glob("[0-9]*") if carries(path, mark)]


def carries(process, mark):
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{TEST}={mark}".encode() in variables


def until(holds):
    """Wait until something holds, at most a minute."""
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    assert holds()
