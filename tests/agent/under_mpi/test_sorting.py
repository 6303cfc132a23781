import numpy as np
import pytest

from scalewatch_agent.kernels import KERNELS, Unfit, load_kernels
from scalewatch_agent.kernels.sorting import (
    TOLERANCE,
    bitonic_sort,
    histogram_sort,
    random_keys,
    sample_sort,
)

load_kernels(("sorting",))
KEYS = 500


def fits(sort, comm):
    return sort is not bitonic_sort or comm.size & (comm.size - 1) == 0


@pytest.mark.parametrize("sort", [sample_sort, histogram_sort, bitonic_sort])
def test_keys_are_sorted_from_the_first_process_to_the_last(sort, comm):
    keys = random_keys(comm.rank, 8 * KEYS)
    before = keys.copy()

    parts = comm.allgather(sort(keys, comm) if fits(sort, comm) else None)

    assert (keys == before).all()
    if fits(sort, comm):
        assert (np.concatenate(parts) == np.sort(comm.allgather(keys), axis=None)).all()


@pytest.mark.parametrize("sort", [sample_sort, histogram_sort, bitonic_sort])
def test_equal_keys_are_no_trouble(sort, comm):
    keys = np.full(KEYS, 7)

    parts = comm.allgather(len(sort(keys, comm)) if fits(sort, comm) else KEYS)

    assert sum(parts) == comm.size * KEYS


def test_histograms_share_the_keys_evenly(comm):
    mine = histogram_sort(random_keys(comm.rank, 8 * KEYS), comm)

    # Both ends of a part may be off by the tolerance.
    assert abs(len(mine) - KEYS) <= 2 * TOLERANCE * KEYS + 1


def test_network_needs_a_power_of_two(comm):
    if fits(bitonic_sort, comm):
        KERNELS["Bitonic sort"](comm, 64).call()
    else:
        with pytest.raises(Unfit, match="a power of two"):
            KERNELS["Bitonic sort"](comm, 64)
