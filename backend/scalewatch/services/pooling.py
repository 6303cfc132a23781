"""Pool what several runs measured of a series at one commit.

Runs at the same coordinate are repetitions of each other, whoever posted them when.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import NothingMeasured, SeveralParameters
from scalewatch.storage.points import Measurement

PARAMETER: Final = "p"
"""What a scan is about as long as nothing varies."""

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The repetitions of a series by coordinate.

    Parameters
    ----------
    parameter
        What varies.
    settings
        Its settings in ascending order, shape (n, 1).
    values
        Repetitions at each of them, shape (n, R); NaN is missing.
    """

    parameter: str
    settings: Reals
    values: Reals


def pool(measured: Sequence[Measurement], samples: Mapping[int, Reals]) -> Pool:
    """Return the pooled repetitions of one series.

    Parameters
    ----------
    samples
        All repetitions of each run, by its id.

    Raises
    ------
    NothingMeasured
        If every result failed.
    SeveralParameters
        If more than one parameter varies.
    """
    succeeded = [each for each in measured if each.count]
    if not succeeded:
        raise NothingMeasured(each.reason for each in measured)
    parameter = _varying([each.coordinate for each in succeeded])
    repetitions: dict[float, list[Reals]] = {}
    for each in succeeded:
        values = samples[each.run_id][each.start : each.start + each.count]
        repetitions.setdefault(float(each.coordinate[parameter]), []).append(values)
    settings = sorted(repetitions)
    rows = [np.concatenate(repetitions[setting]) for setting in settings]
    values = np.full((len(rows), max(row.size for row in rows)), np.nan)
    for padded, row in zip(values, rows, strict=True):
        padded[: row.size] = row
    return Pool(parameter, np.array(settings)[:, np.newaxis], values)


def _varying(coordinates: Sequence[Mapping[str, float]]) -> str:
    """Return the only parameter that varies; one that is absent somewhere does."""
    first = coordinates[0]
    names = sorted(set().union(*coordinates))
    varying = [
        name
        for name in names
        if any(other.get(name) != first.get(name) for other in coordinates)
    ]
    if len(varying) > 1 or any(varying[0] not in at for at in coordinates if varying):
        raise SeveralParameters(varying)
    if varying:
        return varying[0]
    return PARAMETER if PARAMETER in first else names[0]
