"""Use MPI as programs do, and measure what that occupies."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Final, Protocol

from mpi4py import MPI

from scalewatch_agent.kernels import KERNELS, Buffer, load_kernels
from scalewatch_agent.memory.allocations import (
    Allocations,
    MarksLost,
    counted,
    is_available,
)
from scalewatch_agent.memory.footprint import Footprint, footprint, growth
from scalewatch_agent.plan import Announce, Plan, announce_start
from scalewatch_agent.suite.statistics import median
from scalewatch_agent.suite.suites import RUNTIME

EXPOSED = 8
"""Bytes of a window; its memory belongs to the caller."""


class Freed(Protocol):
    """An MPI object that its owner frees."""

    def Free(self) -> None:  # noqa: N802 - MPI's
        """Give it back."""


Constructor = Callable[[], Freed]


def comm_create(comm: MPI.Intracomm) -> Constructor:
    """Create a communicator from the group of all processes."""
    group = comm.Get_group()
    return lambda: comm.Create(group)


def comm_dup(comm: MPI.Intracomm) -> Constructor:
    """Duplicate a communicator."""
    return comm.Dup


def win_create(comm: MPI.Intracomm) -> Constructor:
    """Create a window for one-sided communication over memory of the caller's."""
    memory = bytearray(EXPOSED)
    return lambda: MPI.Win.Create(memory, 1, MPI.INFO_NULL, comm)


def cart_create(comm: MPI.Intracomm) -> Constructor:
    """Create a Cartesian topology of one dimension."""
    return lambda: comm.Create_cart([comm.size], [False])


CONSTRUCTORS: Final[Mapping[str, Callable[[MPI.Intracomm], Constructor]]] = {
    "MPI_Comm_create": comm_create,
    "MPI_Comm_dup": comm_dup,
    "MPI_Win_create": win_create,
    "MPI_Cart_create": cart_create,
}
"""By region."""


MPI_MEMORY = "MPI memory"
OBJECTS = 5
"""Objects per repetition; the median over them forgets what only some of them pay."""

CALLS = 3
"""Calls of each collective, so that connections and buffers are there."""

NO_SMAPS = "the system does not tell what a process occupies: no /proc/self/smaps"


def use(plan: Plan, before_loading: Footprint | None, before: Footprint | None) -> None:
    """Measure the constructors of `plan` and, if it asks for it, MPI's own memory.

    Collective over all processes. The footprints are those of before MPI was loaded,
    and of before it was initialised.
    """
    comm = MPI.COMM_WORLD
    announce = announce_start(comm)
    buffers = list(_call_collectives(comm, plan.message_bytes[0]))
    constructors = [region for region in plan.regions if region in CONSTRUCTORS]
    if constructors:
        _measure_constructors(constructors, plan, comm, announce)
    if MPI_MEMORY in plan.regions:
        announce("measuring", region=MPI_MEMORY)
        # The suite's own buffers are still alive, hence known to the byte.
        occupied = sum(memoryview(buffer).nbytes for buffer in buffers)
        _measure_footprint(comm, before_loading, before, occupied, announce)


def _call_collectives(comm: MPI.Intracomm, message_bytes: int) -> Iterator[Buffer]:
    """Call each collective, and yield the buffers that it needed."""
    load_kernels(RUNTIME.families, RUNTIME.regions)
    for region in RUNTIME.regions:
        operation = KERNELS[region](comm, message_bytes)
        for _ in range(CALLS):
            operation.call()
        comm.Barrier()
        if operation.sent is not None:
            yield operation.sent
        if operation.received is not None and operation.received is not operation.sent:
            yield operation.received


def _measure_constructors(
    regions: Sequence[str], plan: Plan, comm: MPI.Intracomm, announce: Announce
) -> None:
    if not _all(comm, is_available()):
        from scalewatch.errors.operations import pip_install  # noqa: PLC0415 - late

        reason = (
            "memray, which counts allocations, is not installed: "
            f"{pip_install('agent')}; there are wheels for Linux on x86_64 and aarch64"
        )
        for region in regions:
            announce("failed", region=region, reason=reason)
        return
    objects: dict[str, int] = {}
    reason = ""
    try:
        with counted() as allocations:
            for region in regions:
                announce("measuring", region=region)
                construct = CONSTRUCTORS[region](comm)
                objects[region] = _construct(construct, allocations, plan, comm)
    except MarksLost as lost:
        reason = str(lost)
    if not _all(comm, not reason):
        for region in regions:
            announce("failed", region=region, reason=reason or "another process failed")
        return
    sizes = iter(allocations.remaining)
    for region in regions:
        object_sizes = [next(sizes) for _ in range(objects[region])]
        first, later = object_sizes[0], object_sizes[1:]
        medians = [
            median(later[start : start + OBJECTS])
            for start in range(0, len(later), OBJECTS)
        ]
        first, *values = _largest(comm, [first, *medians])
        procedure = {"repetitions_asked": plan.repetitions}
        for metric, bytes_of_it in (
            ("memory", values),
            ("first-object memory", [first]),
        ):
            announce(
                "measured",
                region=region,
                metric=metric,
                unit="B",
                values=bytes_of_it,
                procedure=procedure if metric == "memory" else {},
            )


def _construct(
    construct: Constructor, allocations: Allocations, plan: Plan, comm: MPI.Intracomm
) -> int:
    """Construct the first object, then repetitions of several; return their number.

    Rank 0's clock decides when the budget is used up; one repetition is always made.
    """
    allocations.mark(construct).Free()
    began = perf_counter()
    goes_on = array("b", [1])
    made = 0
    while made < plan.repetitions and goes_on[0]:
        for _ in range(OBJECTS):
            allocations.mark(construct).Free()
        made += 1
        goes_on[0] = perf_counter() - began < plan.budget
        comm.Bcast([goes_on, MPI.SIGNED_CHAR])
    return 1 + made * OBJECTS


def _measure_footprint(
    comm: MPI.Intracomm,
    before_loading: Footprint | None,
    before: Footprint | None,
    occupied: int,
    announce: Announce,
) -> None:
    if not _all(comm, before is not None and before_loading is not None):
        announce("failed", region=MPI_MEMORY, reason=NO_SMAPS)
        return
    assert before is not None
    assert before_loading is not None
    used = growth(before, footprint())
    loaded = growth(before_loading, before)
    bytes_of = {
        "memory": used.total - occupied,
        "anonymous memory": used.anonymous - occupied,
        "shared memory": used.shared,
        "memory of loading": loaded.total,
    }
    largest = _largest(comm, [max(size, 0) for size in bytes_of.values()])
    for metric, size in zip(bytes_of, largest, strict=True):
        announce(
            "measured",
            region=MPI_MEMORY,
            metric=metric,
            unit="B",
            values=[size],
            procedure={},
        )


def _largest(comm: MPI.Intracomm, numbers: Sequence[int]) -> list[int]:
    """Return each number of the process that has most; collective over `comm`."""
    most = array("q", numbers)
    comm.Allreduce(MPI.IN_PLACE, [most, MPI.INT64_T], MPI.MAX)
    return list(most)


def _all(comm: MPI.Intracomm, holds: bool) -> bool:  # noqa: FBT001 - a statement
    """Tell whether something holds on all processes; collective over `comm`."""
    return _largest(comm, [not holds]) == [0]
