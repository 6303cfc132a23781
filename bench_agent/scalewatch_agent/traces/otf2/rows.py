"""Rows of the calls of a location, as the collectors write them behind a heading."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.stored.rows import StoredRows

Rows = NDArray[Any]
"""Calls in the order in which they began, and parts behind theirs, of type `ROW`."""

ROW: Final = np.dtype(
    [
        ("start", "<u8"),  # ticks of the archive's clock
        ("took", "<u8"),
        ("bytes", "<u8"),
        ("request", "<u8"),
        ("function", "<u4"),  # a region
        ("caller", "<u4"),  # the region that was open then; NOTHING if none
        ("communicator", "<u4"),  # NOTHING where no event tells it
        ("flags", "<u4"),  # of `records.Flag`, and REQUESTED
        ("peer", "<i4"),  # rank in the communicator: partner or root; -1 if none
        ("tag", "<i4"),
    ]
)

HEADING: Final = np.dtype(
    [
        ("first", "<u8"),  # ticks of the first and the last event of any kind
        ("last", "<u8"),
        ("events", "<u8"),
        ("rows", "<u8"),
        ("left_open", "<u8"),  # calls without an end
        ("backwards", "<u8"),  # calls in which time ran backwards: they took none
        ("unused", "<u8"),
    ]
)

REQUESTED: Final = 16
"""The row has the number of a request that was begun or completed."""

STARTED: Final = 32
"""The call has started a collective that does not block."""

COMPLETED: Final = 64
"""Such a collective is completed: the row has its communicator, root and bytes."""


def read_rows(path: Path) -> tuple[dict[str, int], StoredRows]:
    """Return the heading of a location's file, and its rows."""
    heading = np.fromfile(path, HEADING, count=1)[0]
    numbers = {name: int(heading[name]) for name in HEADING.names or ()}
    return numbers, StoredRows(path, ROW, HEADING.itemsize, numbers["rows"])
