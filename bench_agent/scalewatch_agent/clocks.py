"""Offsets between the clocks of the processes, and how they drift.

Processes of one host read one clock, so the first process of each host compares for
all of them. It compares its clock with another one by ping-pong: it sends at t0, the
other one answers with its own time, the answer is there at t1. The other clock then
showed its time at (t0 + t1) / 2, give or take half of the round trip; the quickest of
several round trips says it best. The hosts form a binomial tree below that of rank 0,
so that h clocks are compared in log2(h) steps; offsets and errors add up along a path.

References
----------
T. Hoefler, T. Schneider, A. Lumsdaine: Accurately measuring collective operations at
massive scale (2008). S. Hunold, A. Carpen-Amarie: Hierarchical clock synchronization in
MPI (2018).
"""

from array import array
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from time import perf_counter_ns

from mpi4py import MPI

from scalewatch_agent.drift import Clock, Comparison

EXCHANGES = 50
TAG = 2

IDENTITY = (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/time"))
"""Files that are the same for all processes that read one monotonic clock."""

Now = Callable[[], int]


def host() -> bytes:
    """Return what is the same for all processes that read one clock."""
    facts = []
    for path in IDENTITY:
        try:
            facts.append(
                str(path.readlink() if path.is_symlink() else path.read_text())
            )
        except OSError:
            facts.append(MPI.Get_processor_name())
    return "\n".join(facts).encode()


class Clocks:
    """Compares the clocks of all processes of a communicator.

    Parameters
    ----------
    comm
        Who compares; making and synchronising are collective over it.
    identity
        The same for processes whose clocks need no comparison.
    now
        Reads the clock, in nanoseconds.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        identity: bytes | None = None,
        now: Now = perf_counter_ns,
    ) -> None:
        self.comm = comm
        self.now = now
        self.clock = Clock()
        self.own = comm.Split(_first_like(comm, identity or host()), comm.rank)
        self.leads = self.own.rank == 0
        leaders = comm.Split(0 if self.leads else MPI.UNDEFINED, comm.rank)
        self.leaders = leaders if self.leads else None

    def synchronise(self, exchanges: int = EXCHANGES) -> None:
        """Compare all clocks with that of rank 0, once more."""
        result = array("q", [0, 0, 0])
        if self.leaders is not None:
            compared = _compare_tree(self.leaders, exchanges, self.now)
            result = array("q", [compared.at, compared.offset, compared.error])
        self.own.Bcast([result, MPI.INT64_T])
        self.clock.learn(Comparison(*result))

    def offset(self) -> int:
        """Return what to add to local time now to get that of rank 0."""
        return self.clock.offset(self.now())

    def is_stale(self, age: int) -> bool:
        """Tell whether the last comparison is so old; rank 0's clock decides."""
        stale = array("b", [self.now() - self.clock.comparisons[-1].at > age])
        self.comm.Bcast([stale, MPI.SIGNED_CHAR])
        return bool(stale[0])

    def largest_error(self) -> int:
        """Return the largest error of any process now; collective."""
        error = array("q", [self.clock.error(self.now())])
        self.comm.Allreduce(MPI.IN_PLACE, [error, MPI.INT64_T], MPI.MAX)
        return error[0]

    def free(self) -> None:
        """Give the communicators back; collective."""
        self.own.Free()
        if self.leaders is not None:
            self.leaders.Free()


def _first_like(comm: MPI.Intracomm, identity: bytes) -> int:
    """Return the lowest rank with the same identity."""
    mine = blake2b(identity, digest_size=8).digest()
    everyone = bytearray(8 * comm.size)
    comm.Allgather([mine, MPI.BYTE], [everyone, 8, MPI.BYTE])
    return next(
        rank for rank in range(comm.size) if everyone[8 * rank : 8 * rank + 8] == mine
    )


def _compare_tree(comm: MPI.Comm, exchanges: int, now: Now) -> Comparison:
    """Compare with rank 0 of `comm` along a binomial tree."""
    mine = Comparison(now(), 0, 0)
    distance = 1 << max(comm.size - 1, 0).bit_length() >> 1
    while distance:
        place = comm.rank % (2 * distance)
        if place == distance:
            mine = _compare(comm, comm.rank - distance, exchanges, now)
        elif place == 0 and comm.rank + distance < comm.size:
            _answer(comm, comm.rank + distance, exchanges, mine, now)
        distance >>= 1
    return mine


def _compare(comm: MPI.Comm, reference: int, exchanges: int, now: Now) -> Comparison:
    reply = array("q", [0, 0])
    message = [reply, MPI.INT64_T]
    quickest: tuple[int, Comparison] | None = None
    for _ in range(exchanges):
        sent = now()
        comm.Send(message, reference, TAG)
        comm.Recv(message, reference, TAG)
        round_trip = now() - sent
        if quickest is None or round_trip < quickest[0]:
            there, error = reply
            half = (round_trip + 1) // 2
            at = sent + half
            quickest = round_trip, Comparison(at, there - at, error + half)
    assert quickest is not None
    return quickest[1]


def _answer(
    comm: MPI.Comm, asker: int, exchanges: int, mine: Comparison, now: Now
) -> None:
    reply = array("q", [0, 0])
    message = [reply, MPI.INT64_T]
    question = [array("q", [0, 0]), MPI.INT64_T]
    for _ in range(exchanges):
        comm.Recv(question, asker, TAG)
        moment = now()
        reply[0] = moment + mine.offset
        reply[1] = mine.error_at(moment)
        comm.Send(message, asker, TAG)
