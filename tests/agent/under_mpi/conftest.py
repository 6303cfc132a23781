"""Bodies for any number of processes; each runs on several communicators.

A process whose test fails aborts the job: the others would wait for it forever.
"""

import sys

import mpi4py
import pytest

mpi4py.rc.thread_level = "single"

from mpi4py import MPI  # noqa: E402 - after the thread level


def parts() -> dict[str, MPI.Intracomm]:
    world = MPI.COMM_WORLD
    found = {"self": MPI.COMM_SELF, "world": world}
    if world.size > 3:  # or the first three would be all
        found["threes"] = world.Split(world.rank // 3, world.rank)
    return found


COMMUNICATORS = parts()


@pytest.fixture(params=list(COMMUNICATORS))
def comm(request: pytest.FixtureRequest) -> MPI.Intracomm:
    return COMMUNICATORS[request.param]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        rank = MPI.COMM_WORLD.rank
        sys.stderr.write(f"rank {rank}: {report.nodeid}\n{report.longreprtext}\n")
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)
