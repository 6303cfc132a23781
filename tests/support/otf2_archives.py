"""Archives of OTF2, written by the format's own library."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

WITHOUT_COMMUNICATOR = frozenset({"mpi_irecv_request", "mpi_isend_complete"})


def write_archive(
    folder: Path,
    processes: Sequence[Sequence[tuple[Any, ...]]],
    *,
    resolution: int = 10**9,
    files: dict[str, str] | None = None,
    members: Sequence[int] | None = None,
) -> Path:
    """Return the anchor of an archive in a new folder.

    Parameters
    ----------
    processes
        For each rank, its events: method of the writer, time in ticks, and the rest of
        the arguments; a name stands for its region.
    files
        Source files of regions by name.
    members
        Ranks in the communicator of all messages; everybody where that is None.
    """
    otf2 = pytest.importorskip("otf2", reason="the package otf2 is not installed")
    with otf2.writer.open(str(folder), timer_resolution=resolution) as archive:
        known = archive.definitions
        node = known.system_tree_node("node")
        locations = []
        for rank in range(len(processes)):
            group = known.location_group(f"rank {rank}", system_tree_parent=node)
            locations.append(known.location(f"thread {rank}", group=group))
        mpi = otf2.enums.Paradigm.MPI
        kinds = otf2.enums.GroupType
        known.group("mpi", kinds.COMM_LOCATIONS, mpi, members=locations)
        ranks = list(range(len(processes)) if members is None else members)
        everybody = known.group("all", kinds.COMM_GROUP, mpi, members=ranks)
        world = known.comm("MPI_COMM_WORLD", group=everybody)
        regions: dict[str, Any] = {}
        for location, events in zip(locations, processes, strict=True):
            writer = archive.event_writer_from_location(location)
            for method, time, *rest in events:
                arguments = rest
                if method in {"enter", "leave"}:
                    (name,) = rest
                    file = (files or {}).get(name, "")
                    if name not in regions:
                        regions[name] = known.region(name, source_file=file)
                    arguments = [regions[name]]
                elif method not in WITHOUT_COMMUNICATOR:
                    arguments = [rest[0], world, *rest[1:]]
                getattr(writer, method)(time, *arguments)
    return folder / "traces.otf2"
