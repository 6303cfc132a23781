"""Time an operation across all processes of a communicator, a few repetitions a turn.

Operations take turns in random order, so that what disturbs a machine for a while does
not hit all repetitions of one and none of another.
"""

from array import array
from typing import Literal, NamedTuple

from mpi4py import MPI

from scalewatch_agent.kernels import Operation
from scalewatch_agent.loops import Loop
from scalewatch_agent.suite.clocks import Clocks
from scalewatch_agent.suite.rounds import TOLERANCE, Pace, is_hopeless
from scalewatch_agent.suite.statistics import median

TURN = 50
"""Repetitions that an operation makes before it is another one's turn."""

ENOUGH = 20
"""Punctual repetitions without which rounds have failed."""

LONG_AGO = -(2**62)

Synchronisation = Literal["round-time", "barrier"]


class RepetitionLimits(NamedTuple):
    """How often an operation is repeated, and the seconds after which it has to do."""

    repetitions: int
    warm_ups: int
    budget: float


class Team(NamedTuple):
    """Processes that measure together, and how their clocks compare."""

    comm: MPI.Intracomm
    clocks: Clocks
    oversubscribed: bool


class Timing(NamedTuple):
    """Nanoseconds per repetition, and how they were taken.

    The slowest process counts. Repetitions between barriers do not start together:
    where all data come from one process, they count from its start to the last end,
    since processes that leave the barrier later find their data waiting.
    """

    values: tuple[int, ...]
    synchronisation: Synchronisation
    warm_ups: int
    late: int | None
    clock_error: int | None


class TimedOperation:
    """An operation whose repetitions are being made; all methods are collective.

    Rounds need a core per process: where there are more processes, or where another
    load makes nearly all starts late, barriers separate the repetitions instead.
    """

    def __init__(
        self, operation: Operation, loop: Loop, team: Team, effort: RepetitionLimits
    ) -> None:
        self.operation = operation
        self.loop = loop
        self.comm, self.clocks, oversubscribed = team
        self.effort = effort
        self.budget = round(effort.budget * 1e9)
        self.synchronisation: Synchronisation = (
            "barrier" if oversubscribed else "round-time"
        )
        self.values: list[int] = []
        self.warm_ups = 0
        self.late: int | None = None if oversubscribed else 0
        self.clock_error = 0
        self.spent = 0
        self.spent_in_all = 0
        self.is_done = False
        self.pace = Pace(0)
        self._cost = 0

    def warm_up(self) -> None:
        """Make the repetitions that do not count; they tell how long one takes."""
        made: list[int] = []
        while len(made) < self.effort.warm_ups and self.spent < self.budget:
            missing = self.effort.warm_ups - len(made)
            made += self._behind_barriers(min(missing, 1 if not made else TURN))
            self._cost = median(made)
        self.warm_ups = len(made)
        if self.operation.prepare is not None:
            self._cost += self.operation.prepare(self._cost)
        self.pace = Pace.for_duration(self._cost)
        self.spent = 0

    def take_turn(self) -> None:
        """Make some repetitions; between barriers if rounds have failed."""
        missing = self.effort.repetitions - len(self.values)
        cost = self._cost + (self.pace.lead if self.late is not None else 0)
        affordable = (self.budget - self.spent) // max(cost, 1)
        batch = max(min(TURN, missing, affordable), 1)
        if self.synchronisation == "barrier":
            self.values += self._behind_barriers(batch)
        else:
            began = self.clocks.now()
            offset = self.clocks.offset()
            rounds = self.loop.in_rounds(batch, self.pace.lead, offset)
            largest = self._largest(rounds.lasted + rounds.late, began)
            is_late = [delay > TOLERANCE for delay in largest[batch:]]
            self.values += [
                value
                for value, late in zip(largest[:batch], is_late, strict=True)
                if not late
            ]
            self.late = (self.late or 0) + sum(is_late)
            self.pace = self.pace.after(sum(is_late), batch)
        is_over = self.spent >= self.budget
        if self.synchronisation == "barrier" or not self._has_failed(is_over=is_over):
            self.is_done = is_over or len(self.values) >= self.effort.repetitions
        else:
            self.synchronisation = "barrier"
            self.values = []
            self.spent = 0

    @property
    def timing(self) -> Timing:
        """Repetitions so far."""
        in_rounds = self.synchronisation == "round-time"
        return Timing(
            tuple(self.values),
            self.synchronisation,
            self.warm_ups,
            self.late,
            self.clock_error
            if in_rounds or self.operation.source is not None
            else None,
        )

    def _has_failed(self, *, is_over: bool) -> bool:
        made, late = len(self.values), self.late or 0
        is_short = made < min(ENOUGH, self.effort.repetitions)
        return is_hopeless(made, late) or (is_over and is_short)

    def _behind_barriers(self, batch: int) -> list[int]:
        began = self.clocks.now()
        spans = self.loop.behind_barriers(batch)
        pairs = zip(spans.begun, spans.ended, strict=True)
        if (source := self.operation.source) is None:
            lasted = array("q", (end - begin for begin, end in pairs))
            return list(self._largest(lasted, began))
        offset = self.clocks.offset()
        is_source = self.comm.rank == source
        begun = (begin + offset if is_source else LONG_AGO for begin in spans.begun)
        ended = (end + offset for end in spans.ended)
        largest = self._largest(array("q", (*begun, *ended)), began)
        return [
            max(end - begin, 0)
            for begin, end in zip(largest[:batch], largest[batch:], strict=True)
        ]

    def _largest(self, mine: "array[int]", began: int) -> "array[int]":
        """Return the largest number of any process at each place.

        What the slowest spent since `began`, and the clocks' error, go the same way.
        """
        now = self.clocks.now()
        mine.extend((now - began, self.clocks.clock.error(now)))
        self.comm.Allreduce(MPI.IN_PLACE, [mine, MPI.INT64_T], MPI.MAX)
        self.clock_error = max(self.clock_error, mine.pop())
        elapsed = mine.pop()
        self.spent += elapsed
        self.spent_in_all += elapsed
        return mine
