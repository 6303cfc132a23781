import pytest

from scalewatch_agent.mpi.mpiexec import (
    ENOUGH,
    memory_counts,
    timed_counts,
)


@pytest.mark.parametrize(
    ("cores", "counts"),
    [
        (1, ()),
        (2, (2,)),
        (4, (2, 3, 4)),
        (6, (2, 3, 4, 5, 6)),
        (7, (2, 3, 4, 5, 6, 7)),
        (8, (2, 3, 4, 6, 8)),
        (10, (2, 3, 4, 6, 8)),
        (12, (2, 3, 4, 6, 8, 12)),
        (16, (2, 3, 4, 6, 8, 16)),
        (48, (2, 3, 4, 6, 8, 16, 32, 48)),
        (128, (2, 3, 4, 6, 8, 16, 32, 64, 128)),
    ],
)
def test_times_are_measured_up_to_the_cores(cores, counts):
    assert timed_counts(cores) == counts


@pytest.mark.parametrize("cores", range(ENOUGH, 300))
def test_six_cores_are_enough_for_five_settings_without_sharing(cores):
    counts = timed_counts(cores)

    assert len(counts) >= 5
    assert max(counts) <= cores < 2 * max(counts)
    assert list(counts) == sorted(set(counts))


def test_memory_is_measured_with_more_processes_than_cores():
    assert memory_counts(2) == (2, 4, 8, 16, 32)
    assert memory_counts(128) == (2, 4, 8, 16, 32, 64, 128)
