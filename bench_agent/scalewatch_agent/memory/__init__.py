"""The memory suite: what communicators, windows and MPI itself occupy.

Two questions, as in the study that this follows. How many bytes does a constructor
allocate? Counted to the byte; the first object stands apart, since it pays for what
all later ones share. And how much of a process does MPI occupy, once everything was
used and freed? Read from the system, before MPI is initialised and before it ends.

References
----------
S. Shudler et al., "Exascaling Your Library", ICS 2015, section 3.2.
"""

import mpi4py

from scalewatch_agent.memory.allocations import counted, is_available
from scalewatch_agent.memory.footprint import Footprint, footprint
from scalewatch_agent.plan import Plan

REHEARSALS = 20
"""Constructions after which counting them needs no more memory itself."""


def measure(plan: Plan) -> None:
    """Measure the memory of the regions of `plan`, and that of MPI around them."""
    _footprint()
    if is_available():
        with counted() as allocations:
            for _ in range(REHEARSALS):
                allocations.mark(object)
    mpi4py.rc.initialize = False
    before_loading = _footprint()
    from mpi4py import MPI  # noqa: PLC0415 - what this adds is measured

    before = _footprint()
    MPI.Init_thread(_LEVELS[plan.thread_level](MPI))
    from scalewatch_agent.memory.use import use  # noqa: PLC0415 - needs MPI

    use(plan, before_loading, before)


_LEVELS = {
    "single": lambda mpi: mpi.THREAD_SINGLE,
    "multiple": lambda mpi: mpi.THREAD_MULTIPLE,
}


def _footprint() -> Footprint | None:
    try:
        return footprint()
    except OSError:  # not a Linux, or one without /proc
        return None
