"""Large traces in the formats of others, of pairs that exchange messages."""

from pathlib import Path
from typing import Any, Final

import otf2
from _otf2.EvtWriter import (
    EvtWriter_Enter,
    EvtWriter_Leave,
    EvtWriter_MpiRecv,
    EvtWriter_MpiSend,
)

EVENTS: Final = 5
"""Of each step: a function that computes, and a call with its message."""

TICKS: Final = 10**9
BYTES: Final = 64


def write_archive(folder: Path, processes: int, steps: int) -> Path:
    """Write an archive of OTF2 and return its anchor.

    Events go to libotf2 directly, since the package's own classes are slow.
    """
    kinds, mpi = otf2.enums.GroupType, otf2.enums.Paradigm.MPI
    with otf2.writer.open(str(folder), timer_resolution=TICKS) as archive:
        known = archive.definitions
        node = known.system_tree_node("host")
        locations = []
        for rank in range(processes):
            group = known.location_group(f"rank {rank}", system_tree_parent=node)
            locations.append(known.location("thread 0", group=group))
        known.group("MPI", kinds.COMM_LOCATIONS, mpi, members=locations)
        ranks = list(range(processes))
        everybody = known.group("all", kinds.COMM_GROUP, mpi, members=ranks)
        world = known.comm("MPI_COMM_WORLD", group=everybody)
        regions = [
            known.region(name, source_file="made.c")
            for name in ("main", "compute", "MPI_Send", "MPI_Recv")
        ]
        for rank, location in enumerate(locations):
            writer = archive.event_writer_from_location(location)
            _write_steps(writer, rank, steps, world, regions)
    return folder / "traces.otf2"


def _write_steps(
    writer: Any, rank: int, steps: int, world: Any, regions: list[Any]
) -> None:
    to = writer.handle
    main, compute, send, receive = (region._ref for region in regions)  # noqa: SLF001
    EvtWriter_Enter(to, None, 0, main)
    for step in range(steps):
        time = 100 * step
        EvtWriter_Enter(to, None, time, compute)
        EvtWriter_Leave(to, None, time + 20, compute)
        message = rank ^ 1, world._ref, step % 4, BYTES  # noqa: SLF001
        if (step + rank) % 2 == 0:
            EvtWriter_Enter(to, None, time + 30, send)
            EvtWriter_MpiSend(to, None, time + 31, *message)
            EvtWriter_Leave(to, None, time + 50, send)
        else:
            EvtWriter_Enter(to, None, time + 30, receive)
            EvtWriter_MpiRecv(to, None, time + 59, *message)
            EvtWriter_Leave(to, None, time + 60, receive)
    EvtWriter_Leave(to, None, 100 * steps, main)
