"""The runtime suite: how long operations take."""

from mpi4py import MPI

from scalewatch_agent.announcements import announce_start
from scalewatch_agent.kernels import KERNELS, load_kernels
from scalewatch_agent.plan import Plan
from scalewatch_agent.timing import Effort, Timing, time_operation


def measure(plan: Plan) -> None:
    """Time the regions of `plan` one after the other, for each message size."""
    comm = MPI.COMM_WORLD
    announce = announce_start(comm)
    load_kernels()
    effort = Effort(plan.repetitions, plan.warm_ups, plan.budget)
    for message_bytes in plan.message_bytes:
        for region in plan.regions:
            announce("measuring", region=region)
            timing = time_operation(
                KERNELS[region](comm, message_bytes),
                comm,
                effort,
                oversubscribed=plan.oversubscribed,
            )
            announce(
                "measured",
                region=region,
                message_bytes=message_bytes,
                metric="time",
                unit="s",
                values=[_seconds(value) for value in timing.values],
                procedure=_procedure(plan, timing),
            )


def _procedure(plan: Plan, timing: Timing) -> dict[str, object]:
    error = timing.clock_error
    return {
        "synchronisation": timing.synchronisation,
        "repetitions_asked": plan.repetitions,
        "warm_ups": timing.warm_ups,
        "late": timing.late,
        "clock_error": None if error is None else _seconds(error),
    }


def _seconds(nanoseconds: int) -> float:
    # Division by a power of ten rounds to the shortest decimal.
    return nanoseconds / 1e9
