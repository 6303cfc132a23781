from time import sleep

import pytest

from scalewatch_agent.kernels import Operation
from scalewatch_agent.loops.interpreted import InterpretedLoop
from scalewatch_agent.suite.clocks import Clocks
from scalewatch_agent.suite.timing import TURN, RepetitionLimits, Team, TimedOperation

STEP = 250_000
"""Nanoseconds that operations take here: rounds that are late a hundred times in a row,
as where processes share cores, are over soon."""


class Sleeper:
    """An operation that takes at least so many steps, and counts its calls."""

    def __init__(self, steps=1.0):
        self.seconds = steps * STEP / 1e9
        self.calls = 0

    def __call__(self):
        self.calls += 1
        sleep(self.seconds)


@pytest.fixture
def clocks(comm):
    compared = Clocks(comm)
    compared.synchronise()
    yield compared
    compared.free()


def measurement(call, clocks, *, crowded=True, source=None, **effort):
    made = TimedOperation(
        Operation(call, source=source),
        InterpretedLoop(call, clocks.comm),
        Team(clocks.comm, clocks, oversubscribed=crowded),
        RepetitionLimits(**{"repetitions": 30, "warm_ups": 4, "budget": 60.0} | effort),
    )
    made.warm_up()
    return made


def finished(*arguments, **options):
    made = measurement(*arguments, **options)
    while not made.is_done:
        made.take_turn()
    return made.timing


@pytest.mark.parametrize("crowded", [True, False])
def test_repetition_lasts_as_long_as_on_the_slowest_process(comm, clocks, crowded):
    mine = Sleeper(steps=comm.rank + 1)

    timing = finished(mine, clocks, crowded=crowded, repetitions=7)

    assert len(timing.values) == 7
    assert min(timing.values) >= comm.size * STEP


@pytest.mark.parametrize("crowded", [True, False])
def test_all_processes_get_the_same(comm, clocks, crowded):
    timing = finished(Sleeper(), clocks, crowded=crowded, repetitions=7)

    assert comm.allgather(timing) == [timing] * comm.size


def test_fewer_repetitions_are_made_where_the_budget_ends(clocks):
    timing = finished(Sleeper(8), clocks, repetitions=400, budget=0.02)

    assert 1 <= len(timing.values) <= TURN


def test_repetition_is_made_even_without_a_budget(clocks):
    assert finished(Sleeper(), clocks, budget=1e-9).values


def test_oversubscribed_processes_are_separated_by_barriers(clocks):
    mine = Sleeper(0)

    timing = finished(mine, clocks)

    assert timing.synchronisation == "barrier"
    assert (timing.late, timing.clock_error) == (None, None)
    assert (len(timing.values), timing.warm_ups) == (30, 4)
    assert mine.calls == 34


def test_what_comes_from_one_process_counts_from_its_start(comm, clocks):
    # What it sends has to wait for those that leave the barrier later.
    mine = Sleeper(20 if comm.rank == 0 else 0)

    from_source = finished(mine, clocks, source=0, repetitions=5)

    assert min(from_source.values) >= 16 * STEP
    assert from_source.clock_error == 0


def test_barriers_step_in_where_rounds_do_not_work(clocks):
    # An hour late, as far as this clock can tell.
    made = measurement(Sleeper(0), clocks, crowded=False, budget=0.5, repetitions=TURN)
    ahead = 3_600 * 1_000_000_000 if clocks.comm.rank or clocks.comm.size == 1 else 0
    rounds = made.loop.in_rounds

    def late(batch, lead, offset):
        found = rounds(batch, lead, offset)
        for i in range(batch):
            found.late[i] += ahead
        return found

    made.loop.in_rounds = late
    while not made.is_done:
        made.take_turn()

    assert made.timing.synchronisation == "barrier"
    assert made.timing.late >= TURN
    assert made.timing.values


def test_late_starts_are_discarded_and_repeated(clocks):
    mine = Sleeper(0)

    made = measurement(mine, clocks, crowded=False, repetitions=2 * TURN)
    before = mine.calls
    made.take_turn()

    unmeasured = 1  # the round in which all arrive
    made_now = mine.calls - before - unmeasured
    assert made_now == made.late + len(made.values) == TURN


def test_operation_makes_a_turn_of_repetitions_at_a_time(clocks):
    made = measurement(Sleeper(0), clocks, repetitions=2 * TURN + 1)

    counts = []
    while not made.is_done:
        made.take_turn()
        counts.append(len(made.timing.values))

    assert counts == [TURN, 2 * TURN, 2 * TURN + 1]
