"""Run under mpiexec: how wrong clocks of one host are when they are compared."""

import sys

import mpi4py

mpi4py.rc.thread_level = "single"

from mpi4py import MPI  # noqa: E402 - after the thread level

from scalewatch_agent.loops.compiled import load  # noqa: E402 - imports MPI
from scalewatch_agent.suite.clocks import Clocks  # noqa: E402 - imports MPI


def main() -> None:
    """Compare each process as if it were a host; the true offset is 0."""
    comm = MPI.COMM_WORLD
    library = load(sys.argv[1])
    clocks = Clocks(comm, identity=str(comm.rank).encode(), library=library)
    clocks.synchronise()
    moment = clocks.now()
    mine = abs(clocks.clock.offset(moment)), clocks.clock.error(moment)
    wrong, admitted = (comm.allreduce(each, MPI.MAX) for each in mine)
    if comm.rank == 0:
        print(wrong, admitted)


if __name__ == "__main__":
    main()
