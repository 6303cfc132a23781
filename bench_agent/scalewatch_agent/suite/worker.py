"""The process under mpiexec: it measures the regions of a plan.

Rank 0 writes one JSON object per line to standard output: that the job started, which
region it measures, and what it measured. So a job that dies has told how far it came.
"""

import gc
import signal
import sys
from importlib import import_module

import mpi4py

from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.suites import SUITES


def main(argument: str) -> None:
    """Measure what the plan in `argument` asks for."""
    plan = Plan.from_json(argument)
    # The default action ends the process, wherever it hangs.
    signal.alarm(plan.time_limit)
    gc.disable()
    # A suite imports MPI, which starts it, when it is ready for that.
    mpi4py.rc.thread_level = plan.thread_level
    import_module(SUITES[plan.suite].module).measure(plan)
    # MPICH 4 over TCP forgets messages of a process that ends before they are received.
    from mpi4py import MPI  # noqa: PLC0415 - see above

    MPI.COMM_WORLD.Barrier()


if __name__ == "__main__":
    main(sys.argv[1])
