from time import perf_counter_ns, sleep

from scalewatch_agent.suite.clocks import Clocks

MILLISECOND = 1_000_000


def strange_clocks(comm, *, drift=0.0):
    """Return clocks of as many hosts as processes: rank r is r ms ahead, and drifts."""
    began = perf_counter_ns()
    ahead = comm.rank * MILLISECOND

    def now():
        true = perf_counter_ns()
        return true + ahead + round(comm.rank * drift * (true - began))

    return Clocks(comm, identity=str(comm.rank).encode(), now=now)


def wrong_by(clocks):
    """Return by how much a converted time is wrong, and what the clock admits."""
    before = perf_counter_ns()
    local = clocks.now()
    after = perf_counter_ns()
    converted = local + clocks.clock.offset(local)
    wrong = max(before - converted, converted - after, 0)
    return wrong, clocks.clock.error(local)


def test_clock_of_rank_0_is_the_reference(comm):
    clocks = strange_clocks(comm)

    clocks.synchronise()

    if comm.rank == 0:
        assert (clocks.offset(), clocks.clock.error(clocks.now())) == (0, 0)
    clocks.free()


def test_processes_of_one_host_read_one_clock(comm):
    clocks = Clocks(comm)

    clocks.synchronise()

    assert (clocks.offset(), clocks.largest_error()) == (0, 0)
    clocks.free()


def test_offset_of_other_clocks_is_found_within_its_error(comm):
    clocks = strange_clocks(comm)

    clocks.synchronise()

    wrong, admitted = wrong_by(clocks)
    assert wrong <= admitted
    if comm.rank:
        assert 0 < admitted < 100 * MILLISECOND
    clocks.free()


def test_offset_of_drifting_clocks_is_found_within_its_error(comm):
    clocks = strange_clocks(comm, drift=10e-6)

    clocks.synchronise()
    sleep(0.05)
    clocks.synchronise()
    sleep(0.05)

    wrong, admitted = wrong_by(clocks)
    assert wrong <= admitted
    clocks.free()


def test_all_processes_know_the_largest_error(comm):
    clocks = strange_clocks(comm)
    clocks.synchronise()

    largest = clocks.largest_error()

    assert len(set(comm.allgather(largest))) == 1
    assert largest >= clocks.clock.comparisons[-1].error
    clocks.free()
