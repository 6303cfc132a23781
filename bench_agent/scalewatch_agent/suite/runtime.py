"""The runtime suite: how long operations take, and what measuring adds."""

from array import array
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from mpi4py import MPI

from scalewatch_agent.kernels import KERNELS, Operation, Unfit, load_kernels, seconds
from scalewatch_agent.loops import Loop, Spans, compiled, interpreted
from scalewatch_agent.loops.compiled import CompiledLoop, Library, load, step
from scalewatch_agent.loops.interpreted import InterpretedLoop
from scalewatch_agent.plan import Announce, Plan, announce_start
from scalewatch_agent.suite.clocks import Clocks
from scalewatch_agent.suite.statistics import first_quartile, median
from scalewatch_agent.suite.suites import SUITES
from scalewatch_agent.suite.timing import RepetitionLimits, Team, TimedOperation

CALLS = 1_000
DOUBLES = 1


class Overheads(NamedTuple):
    """Nanoseconds per repetition, medians of the process that has most.

    Parameters
    ----------
    timer
        One reading of the clock, which every repetition contains.
    call
        An operation that does nothing, in the loop that is used, less the timer.
    python
        What an Allreduce on COMM_SELF takes longer from Python than from the compiled
        loop; None where there is none.
    """

    timer: float
    call: float
    python: float | None


def measure_overheads(comm: MPI.Intracomm, library: Library | None) -> Overheads:
    """Measure what the loop in use adds to each repetition; collective over `comm`."""
    itself = MPI.COMM_SELF
    send, receive = array("d", [1.0]), array("d", [0.0])
    both = (send, receive, DOUBLES, MPI.DOUBLE, MPI.SUM, itself)
    alone = Operation(
        lambda: itself.Allreduce([send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM),
        steps=(step("MPI_Allreduce", *both),),
    )
    python: float | None = None
    loop: Loop
    if library is None:
        readings = interpreted.read_clock(CALLS)
        loop = InterpretedLoop(lambda: None, itself)
    else:
        readings = compiled.read_clock(library, CALLS)
        loop = CompiledLoop([step("nothing")], itself, library)
        assert alone.steps is not None
        python = _duration(InterpretedLoop(alone.call, itself)) - _duration(
            CompiledLoop(alone.steps, itself, library)
        )
    timer: float = median(later - earlier for earlier, later in pairwise(readings))
    mine = array("d", [timer, _duration(loop) - timer, python or 0.0])
    comm.Allreduce(MPI.IN_PLACE, [mine, MPI.DOUBLE], MPI.MAX)
    timer, call, slowest = (max(value, 0.0) for value in mine)
    return Overheads(timer, call, None if python is None else slowest)


def _duration(loop: Loop) -> float:
    loop.behind_barriers(CALLS // 10)
    spans: Spans = loop.behind_barriers(CALLS)
    return median(
        end - begin for begin, end in zip(spans.begun, spans.ended, strict=True)
    )


CLOCK_SHARE = 0.1
"""Share of the latency above which the uncertainty of the clocks is worth a word."""

SHORT = 20_000
"""Nanoseconds below which what Python costs is worth a word."""

SYNCHRONISE_EVERY = 1_000_000_000
"""Nanoseconds after which clocks are compared again."""


class Task(NamedTuple):
    """A region at one message size, and its measurement."""

    region: str
    message_bytes: int
    operation: Operation
    measurement: TimedOperation


def measure(plan: Plan) -> None:
    """Time the regions of `plan` at each message size, turn by turn."""
    comm = MPI.COMM_WORLD
    announce = announce_start(comm)
    load_kernels(SUITES[plan.suite].families, plan.regions)
    library = load(plan.loop) if plan.loop else None
    if not comm.allreduce(library is not None, MPI.LAND):
        library = None
    overheads = measure_overheads(comm, library)
    clocks = Clocks(comm, library=library)
    clocks.synchronise()
    team = Team(comm, clocks, plan.oversubscribed)
    tasks = list(_warmed_up(plan, team, library, announce))
    measurements = [task.measurement for task in tasks]
    clocks.synchronise()
    random = Random(plan.seed)  # noqa: S311 - an order, no secret
    tell = Teller(plan, overheads, announce)
    turns = 0
    while tasks:
        random.shuffle(tasks)
        for task in tasks:
            tell.announce("measuring", region=task.region)
            task.measurement.take_turn()
            if task.measurement.is_done:
                tell.result(task, "measured")
                if task.operation.free is not None:
                    task.operation.free()
        tasks = [task for task in tasks if not task.measurement.is_done]
        turns += 1
        # A job that dies still leaves half of what it measured, and says so rarely.
        if turns.bit_count() == 1:
            for task in tasks:
                tell.result(task, "partly")
        if clocks.is_stale(SYNCHRONISE_EVERY):
            clocks.synchronise()
    in_loops = sum(measurement.spent_in_all for measurement in measurements)
    announce("finished", seconds=seconds(in_loops))


def _warmed_up(
    plan: Plan, team: Team, library: Library | None, announce: Announce
) -> Iterator[Task]:
    """Yield a task per region and message size; say which ones there cannot be."""
    effort = RepetitionLimits(plan.repetitions, plan.warm_ups, plan.budget)
    for message_bytes in plan.message_bytes:
        for region in plan.regions:
            announce("measuring", region=region)
            try:
                operation = KERNELS[region](team.comm, message_bytes)
            except Unfit as unfit:
                announce("failed", region=region, reason=str(unfit))
                continue
            loop: Loop = InterpretedLoop(operation.call, team.comm)
            if library is not None and operation.steps is not None:
                loop = CompiledLoop(operation.steps, team.comm, library)
            measurement = TimedOperation(operation, loop, team, effort)
            measurement.warm_up()
            yield Task(region, message_bytes, operation, measurement)


class Teller(NamedTuple):
    """Says what was measured, and how."""

    plan: Plan
    overheads: Overheads
    announce: Announce

    def result(self, task: Task, event: str) -> None:
        """Say what a task has measured so far."""
        timing = task.measurement.timing
        if not timing.values:
            return
        self.announce(
            event,
            region=task.region,
            message_bytes=task.message_bytes,
            metric=task.operation.metric,
            unit=task.operation.unit,
            better=task.operation.better,
            values=[task.operation.value(value) for value in timing.values],
            procedure=self._procedure(task),
        )

    def _procedure(self, task: Task) -> dict[str, Any]:
        timing, overheads = task.measurement.timing, self.overheads
        late, error = timing.late, timing.clock_error
        made = len(timing.values)
        in_rounds = timing.synchronisation == "round-time"
        return {
            "synchronisation": timing.synchronisation,
            "repetitions_asked": self.plan.repetitions,
            "warm_ups": timing.warm_ups,
            "late": late,
            "valid_share": made / (made + late)
            if in_rounds and late is not None
            else None,
            "clock_error": None if error is None else seconds(error),
            "loop": task.measurement.loop.kind,
            "timer_overhead": seconds(overheads.timer),
            "call_overhead": seconds(overheads.call),
            "python_overhead": (
                None if overheads.python is None else seconds(overheads.python)
            ),
            "caveats": list(self._caveats(task)),
        }

    def _caveats(self, task: Task) -> Iterator[str]:
        timing = task.measurement.timing
        latency = first_quartile(timing.values)
        if (
            timing.clock_error is not None
            and timing.clock_error > CLOCK_SHARE * latency
        ):
            yield "clock"
        if task.measurement.loop.kind == "interpreted" and latency < SHORT:
            yield "interpreted"
