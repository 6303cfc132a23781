from time import sleep

from scalewatch_agent.barriers import FIRST_BATCH, time_behind_barriers
from scalewatch_agent.clocks import synchronise
from scalewatch_agent.kernels import Operation
from scalewatch_agent.timing import Effort, time_operation
from scalewatch_agent.windows import BATCH, LARGEST_STRETCH, Pace, time_in_windows

MILLISECOND = 1_000_000
MINUTE = 60_000 * MILLISECOND


class Sleeper:
    """An operation that takes at least so many milliseconds, and counts its calls."""

    def __init__(self, milliseconds=1.0):
        self.seconds = milliseconds / 1000
        self.calls = 0

    def __call__(self):
        self.calls += 1
        sleep(self.seconds)


def test_repetition_lasts_as_long_as_on_the_slowest_process(comm):
    mine = Sleeper(milliseconds=comm.rank + 1)

    values = time_behind_barriers(mine, comm, 7, MINUTE)

    assert len(values) == 7
    assert min(values) >= comm.size * MILLISECOND


def test_all_processes_get_the_same_values(comm):
    values = time_behind_barriers(Sleeper(), comm, 7, MINUTE)

    assert comm.allgather(values) == [values] * comm.size


def test_fewer_repetitions_are_made_where_the_budget_ends(comm):
    values = time_behind_barriers(Sleeper(2), comm, 400, 20 * MILLISECOND)

    assert 1 <= len(values) <= FIRST_BATCH + 10


def test_repetition_is_made_even_without_a_budget(comm):
    assert time_behind_barriers(Sleeper(), comm, 400, 0)


def test_late_starts_are_discarded_and_repeated(comm):
    # A window is shorter than the operation: of a batch, only the first can be
    # punctual, and on a busy machine not even that.
    mine = Sleeper()
    pace = Pace(shortest_window=MILLISECOND // 100)

    timed = time_in_windows(
        mine, comm, synchronise(comm), repetitions=3, budget=MINUTE, pace=pace
    )

    assert timed.late >= BATCH // LARGEST_STRETCH - 1
    assert mine.calls == len(timed.values) + timed.late
    assert min(timed.values, default=MILLISECOND) >= MILLISECOND


def test_windows_that_all_start_late_are_given_up(comm):
    clock = synchronise(comm)
    # What is an hour late here has not been announced yet.
    hopeless = type(clock)(clock.offset + 60 * MINUTE, clock.error)

    timed = time_in_windows(
        Sleeper(0), comm, hopeless, repetitions=400, budget=MINUTE, pace=Pace(1)
    )

    assert timed.values == []
    assert timed.is_hopeless


def test_windows_end_with_their_budget(comm):
    mine = Sleeper()
    pace = Pace.for_duration(MILLISECOND)

    timed = time_in_windows(
        mine, comm, synchronise(comm), repetitions=400, budget=0, pace=pace
    )

    assert (timed.values, timed.late, mine.calls) == ([], 0, 0)


def test_late_start_makes_batches_shorter_and_windows_longer_until_all_is_well():
    pace = Pace(shortest_window=1000)

    disturbed = pace.after(late=3)

    assert disturbed.batch < pace.batch
    assert disturbed.window > pace.window
    assert disturbed.lead > pace.lead
    assert disturbed.after(late=0) == pace == pace.after(late=0)


def test_oversubscribed_processes_are_separated_by_barriers(comm):
    mine = Sleeper(0)
    effort = Effort(repetitions=30, warm_ups=4, budget=60)

    timing = time_operation(Operation(mine), comm, effort, oversubscribed=True)

    assert timing.synchronisation == "barrier"
    assert (timing.late, timing.clock_error) == (None, None)
    assert len(timing.values) == 30
    assert mine.calls == timing.warm_ups + 30 == 34


def test_barriers_step_in_where_windows_do_not_work(comm):
    # No window fits into this budget.
    effort = Effort(repetitions=30, warm_ups=4, budget=1e-9)

    timing = time_operation(Operation(Sleeper()), comm, effort, oversubscribed=False)

    assert timing.synchronisation == "barrier"
    assert timing.late == 0
    assert len(timing.values) >= 1


def test_each_repetition_is_counted_once(comm):
    mine = Sleeper(0)
    effort = Effort(repetitions=30, warm_ups=4, budget=10)

    timing = time_operation(Operation(mine), comm, effort, oversubscribed=False)

    # More processes than cores may have to fall back to barriers.
    made = timing.warm_ups + timing.late + len(timing.values)
    assert len(timing.values) == 30
    assert mine.calls >= made
    assert (timing.clock_error is None) == (timing.synchronisation == "barrier")
