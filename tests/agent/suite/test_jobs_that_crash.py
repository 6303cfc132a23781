import pytest

from scalewatch_agent.suite.jobs import run_job
from support.agent_sentences import SUITE as SAID

BEGIN = """
import os, pathlib, sys, time, mpi4py
mpi4py.rc.thread_level = "single"
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    print('{"event": "started", "processes": 2}', flush=True)
    print('{"event": "measuring", "region": "MPI_Bcast"}', flush=True)
comm.Barrier()
# mpiexec drops what it has not passed on when a process ends.
while not pathlib.Path("HEARD").exists(): time.sleep(0.01)
"""
END = "\ncomm.Barrier()\n"


@pytest.fixture
def run(launcher, tmp_path):
    """Run code on two processes, once it was heard that they measure."""
    heard = tmp_path / "heard"

    def follow(event):
        if event["event"] == "measuring":
            heard.touch()

    def run(code, time_limit=60):
        return run_job(
            launcher.command(2, "-c", BEGIN.replace("HEARD", str(heard)) + code + END),
            launcher.environment(2),
            processes=2,
            time_limit=time_limit,
            follow=follow,
        )

    return run


@pytest.mark.parametrize(
    "crash",
    [
        "if comm.rank == 1: os._exit(9)",
        "if comm.rank == 1: os.kill(os.getpid(), 11)",
        "if comm.rank == 1: comm.Abort(9)",
    ],
    ids=["exit", "segmentation fault", "abort"],
)
def test_crash_of_one_process_ends_the_job_and_says_where(run, crash):
    outcome = run(crash)

    assert outcome.failure is not None
    assert outcome.failure.startswith(SAID["mpiexec failed"])
    assert " in MPI_Bcast" in outcome.failure


def test_process_that_waits_for_ever_ends_the_job_at_its_limit(run):
    outcome = run("if comm.rank == 1: comm.Recv(bytearray(1), 0)", 10)

    assert outcome.failure == SAID["time limit"].format(10, " in MPI_Bcast")
