from scalewatch_agent.clocks import Clock, largest_error, synchronise


def test_clock_of_rank_0_is_the_reference(comm):
    clock = synchronise(comm)

    if comm.rank == 0:
        assert clock == Clock(0, 0)


def test_offset_on_one_host_is_nil_within_its_error(comm):
    # All processes of a host read one monotonic clock.
    clock = synchronise(comm)

    assert abs(clock.offset) <= clock.error


def test_all_processes_know_the_largest_error(comm):
    clock = synchronise(comm)

    assert largest_error(comm, clock) == max(comm.allgather(clock.error))
