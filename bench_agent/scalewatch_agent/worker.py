"""What runs under mpiexec: measures the regions of a plan.

Rank 0 writes one JSON object per line to standard output: that the job started, which
region it measures, and what it measured. So a job that dies has told how far it came.
"""

import gc
import json
import signal
import sys
from collections.abc import Callable
from typing import Any

import mpi4py

from scalewatch_agent.plan import Plan
from scalewatch_agent.suites import SUITES

Announce = Callable[..., None]


def main(argument: str) -> None:
    """Measure what the plan in `argument` asks for."""
    plan = Plan.from_json(argument)
    # The default action ends the process, wherever it hangs.
    signal.alarm(plan.time_limit)
    mpi4py.rc.thread_level = plan.thread_level
    from mpi4py import MPI  # noqa: PLC0415 - initialises MPI with that thread level

    announce = _write if MPI.COMM_WORLD.rank == 0 else _ignore
    announce(
        "started",
        processes=MPI.COMM_WORLD.size,
        library=MPI.Get_library_version().splitlines()[0].strip("\0"),
        thread_level=_LEVELS[MPI.Query_thread()],
    )
    _measure(plan, MPI.COMM_WORLD, announce)


_LEVELS = ("single", "funneled", "serialized", "multiple")


def _measure(plan: Plan, comm: "mpi4py.MPI.Intracomm", announce: Announce) -> None:
    from scalewatch_agent.kernels import KERNELS  # noqa: PLC0415 - imports MPI
    from scalewatch_agent.timing import Effort, time_operation  # noqa: PLC0415 - same

    SUITES[plan.suite].load()
    effort = Effort(plan.repetitions, plan.warm_ups, plan.budget)
    gc.disable()
    for region in plan.regions:
        announce("measuring", region=region)
        operation = KERNELS[region](comm, plan.message_bytes)
        timing = time_operation(
            operation, comm, effort, oversubscribed=plan.oversubscribed
        )
        announce(
            "measured",
            region=region,
            values=timing.values,
            synchronisation=timing.synchronisation,
            warm_ups=timing.warm_ups,
            late=timing.late,
            clock_error=timing.clock_error,
        )


def _write(event: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"event": event} | fields) + "\n")
    sys.stdout.flush()


def _ignore(event: str, **fields: Any) -> None:
    pass


if __name__ == "__main__":
    main(sys.argv[1])
