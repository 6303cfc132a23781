"""Parallel sorting: a second library under test.

Each process holds equally many keys; in the end they are sorted from the first process
to the last. The algorithms differ in how they find out where a key belongs.

References
----------
S. Shudler et al., "Engineering Algorithms for Scalability through Continuous Validation
of Performance Expectations", IEEE TPDS 2019, which applies the same method to sorting.
L. V. Kale, S. Krishnan, "A comparison based parallel sorting algorithm", ICPP 1993.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from scalewatch_agent.kernels import Operation, Unfit, kernel

Keys = NDArray[np.int64]
Sort = Callable[[Keys, MPI.Intracomm], Keys]

KEY_BYTES = 8
LARGEST_KEY = 2**62
SAMPLES = 32
"""Keys that a process contributes to the sample, whatever the number of processes."""

TOLERANCE = 0.05
"""By how much of its share a process may have more, or fewer, after histograms."""

LARGEST_ROUNDS = 62
"""Halvings after which an interval of keys is empty."""


def sample_sort(keys: Keys, comm: MPI.Intracomm) -> Keys:
    """Sort by splitters out of a random sample that every process sorts.

    The sample holds 32 p keys: p log p, whatever the number of keys.
    """
    rng = np.random.default_rng(comm.rank)
    sample = np.empty(SAMPLES * comm.size, np.int64)
    comm.Allgather(rng.choice(keys, SAMPLES), sample)
    sample.sort()
    return _exchange(np.sort(keys), sample[SAMPLES::SAMPLES], comm)


def histogram_sort(keys: Keys, comm: MPI.Intracomm) -> Keys:
    """Sort by splitters whose ranks are counted until they are good enough.

    A round counts the keys below p - 1 candidates and bisects: p per round, of which
    there are at most as many as a key has bits.
    """
    ordered = np.sort(keys)
    total = len(keys) * comm.size
    wanted = np.arange(1, comm.size) * len(keys)
    low = np.zeros(comm.size - 1, np.int64)
    high = np.full(comm.size - 1, LARGEST_KEY)
    candidates = (low + high) // 2
    for _ in range(LARGEST_ROUNDS):
        below = np.searchsorted(ordered, candidates).astype(np.int64)
        comm.Allreduce(MPI.IN_PLACE, below)
        if (abs(below - wanted) <= TOLERANCE * total / comm.size).all():
            break
        low = np.where(below < wanted, candidates, low)
        high = np.where(below < wanted, high, candidates)
        candidates = (low + high) // 2
    return _exchange(ordered, candidates, comm)


def bitonic_sort(keys: Keys, comm: MPI.Intracomm) -> Keys:
    """Sort by exchanging all keys along a bitonic network: log² p exchanges.

    The number of processes has to be a power of two.
    """
    mine = np.sort(keys)
    other = np.empty_like(mine)
    block = 2
    while block <= comm.size:
        distance = block // 2
        while distance:
            partner = comm.rank ^ distance
            comm.Sendrecv(mine, partner, recvbuf=other, source=partner)
            both = np.concatenate((mine, other))
            both.sort(kind="stable")  # merges two runs
            rises = comm.rank & block == 0
            keeps_small = (comm.rank < partner) == rises
            mine = both[: len(keys)] if keeps_small else both[len(keys) :]
            distance //= 2
        block *= 2
    return mine


def random_keys(rank: int, message_bytes: int) -> Keys:
    """Return keys that differ from process to process and not from run to run."""
    rng = np.random.default_rng((20150608, rank))
    return rng.integers(0, LARGEST_KEY, max(message_bytes // KEY_BYTES, 1))


def _exchange(ordered: Keys, splitters: Keys, comm: MPI.Intracomm) -> Keys:
    """Send each process the keys between its splitters, and merge what arrives."""
    edges = np.searchsorted(ordered, splitters)
    bounds = np.concatenate(([0], edges, [len(ordered)]))
    counts = np.diff(bounds).astype(np.int32)
    coming = np.empty_like(counts)
    comm.Alltoall(counts, coming)
    received = np.empty(coming.sum(), np.int64)
    comm.Alltoallv([ordered, counts], [received, coming])
    received.sort(kind="stable")  # merges p runs
    return received


def _sorting(sort: Sort, comm: MPI.Intracomm, message_bytes: int) -> Operation:
    keys = random_keys(comm.rank, message_bytes)
    return Operation(lambda: sort(keys, comm))


kernel("Sample sort")(partial(_sorting, sample_sort))
kernel("Histogram sort")(partial(_sorting, histogram_sort))


@kernel("Bitonic sort")
def _bitonic_sort(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    if comm.size & (comm.size - 1):
        raise Unfit(comm.size, "a power of two")
    return _sorting(bitonic_sort, comm, message_bytes)
