"""Messages of a running job: one JSON object per line on rank 0's output."""

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

Announce = Callable[..., None]

LEVELS = ("single", "funneled", "serialized", "multiple")


def announce_start(comm: "Intracomm") -> Announce:
    """Say that the job has come up, and return what says more on rank 0."""
    from mpi4py import MPI  # noqa: PLC0415 - the caller decides when MPI starts

    announce = _write if comm.rank == 0 else _ignore
    announce(
        "started",
        processes=comm.size,
        library=MPI.Get_library_version().splitlines()[0].strip("\0"),
        thread_level=LEVELS[MPI.Query_thread()],
    )
    return announce


def _write(event: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"event": event} | fields) + "\n")
    sys.stdout.flush()


def _ignore(event: str, **fields: Any) -> None:
    pass
