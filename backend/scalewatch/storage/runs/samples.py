"""The repetitions of a run as one compressed blob.

Two bytes say how to read it: the type of the numbers and what they are divided by.
The bytes of the numbers follow, all first bytes before all second ones (neighbouring
repetitions agree in their leading bytes), compressed by Zstandard. Whole numbers, and
times that are whole nanoseconds, are kept as integers. Nothing is rounded: decoding
returns the encoded numbers bit by bit.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

_TYPES: Final = (np.dtype("<f8"), np.dtype("<i4"), np.dtype("<i8"))
_DIVISORS: Final = (1.0, 1e9)
_LEVEL: Final = 3


def encode(values: NDArray[np.float64]) -> bytes:
    """Return finite numbers, shape (n,), as a blob."""
    numbers, divisor = _narrowest(values)
    shuffled = numbers.view(np.uint8).reshape(numbers.size, numbers.itemsize).T
    header = bytes((_TYPES.index(numbers.dtype), divisor))
    return header + zstandard.compress(shuffled.tobytes(), _LEVEL)


def decode(blob: bytes) -> NDArray[np.float64]:
    """Return the numbers of a blob, shape (n,)."""
    kind, divisor = _TYPES[blob[0]], _DIVISORS[blob[1]]
    shuffled = np.frombuffer(zstandard.decompress(blob[2:]), np.uint8)
    numbers = shuffled.reshape(kind.itemsize, -1).T.copy().view(kind).ravel()
    return numbers if kind.kind == "f" else numbers / divisor


def of_runs(session: Session, run_ids: Iterable[int]) -> dict[int, NDArray[np.float64]]:
    """Return all repetitions of each run."""
    return dict(run_by_run(session, run_ids))


def run_by_run(
    session: Session, run_ids: Iterable[int]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield runs with all of their repetitions, one decoded at a time."""
    rows = session.execute(
        select(tables.Samples.run_id, tables.Samples.blob).where(
            tables.Samples.run_id.in_(run_ids)
        )
    )
    for run_id, blob in rows:
        yield run_id, decode(blob)


def places(
    session: Session, uuids: Iterable[UUID], region: str, metric: str
) -> Sequence[Row[UUID, int, int, int]]:
    """Return where the repetitions of a region's metric lie in the samples of runs.

    A row holds the uuid and the id of the run, start and count.
    """
    return session.execute(
        select(tables.Run.uuid, tables.Run.id, tables.Point.start, tables.Point.count)
        .join(tables.Point, tables.Point.run_id == tables.Run.id)
        .join(
            tables.Series,
            # A run measures series of its own machine; a region has few of them.
            (tables.Series.id == tables.Point.series_id)
            & (tables.Series.machine_id == tables.Run.machine_id),
        )
        .where(tables.Run.uuid.in_(uuids))
        .where(tables.Series.region == region, tables.Series.metric == metric)
    ).all()


def _narrowest(
    values: NDArray[np.float64],
) -> tuple[NDArray[Any], int]:
    """Return integers that restore the values exactly, or the values themselves."""
    for code, divisor in enumerate(_DIVISORS):
        whole = np.rint(values * divisor)
        largest = np.abs(whole).max(initial=0)
        if largest >= 2**53:
            continue
        numbers: NDArray[Any] = whole.astype(
            _TYPES[1] if largest < 2**31 else _TYPES[2]
        )
        # Compare bits: as an integer a negative zero loses its sign.
        if np.array_equal((numbers / divisor).view(np.int64), values.view(np.int64)):
            return numbers, code
    return np.ascontiguousarray(values, _TYPES[0]), 0
