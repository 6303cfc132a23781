"""Pool what several runs measured of a series at one commit.

Runs at the same coordinate are repetitions of each other, whoever posted them when.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from scalewatch.errors import IncompleteCoordinates, NothingMeasured
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.storage.runs.points import StoredMeasurement

PARAMETER: Final = "p"
"""What a scan is about as long as nothing varies, and what is named first."""

Coordinate = Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class SeriesPool:
    """The repetitions of a series by coordinate.

    Parameters
    ----------
    parameters
        What varies.
    settings
        Its settings in ascending order, shape (n, parameters).
    values
        Repetitions at each of them, shape (n, R); NaN is missing.
    """

    parameters: tuple[str, ...]
    settings: Reals
    values: Reals


def pool(
    measured: Sequence[StoredMeasurement], samples: Mapping[int, Reals]
) -> SeriesPool:
    """Return the pooled repetitions of one series.

    Parameters
    ----------
    samples
        All repetitions of each run, by its id.

    Raises
    ------
    NothingMeasured
        If there is no result, or every one failed.
    IncompleteCoordinates
        If a parameter varies that some of them do not name.
    """
    succeeded = [each for each in measured if each.count]
    if not succeeded:
        raise NothingMeasured(each.reason for each in measured)
    return pooled(
        [each.coordinate for each in succeeded],
        [
            samples[each.run_id][each.start : each.start + each.count]
            for each in succeeded
        ],
    )


def pooled(
    coordinates: Sequence[Coordinate], repetitions: Sequence[Reals]
) -> SeriesPool:
    """Put the repetitions of runs at the same coordinate together.

    Raises
    ------
    IncompleteCoordinates
        If a parameter varies that some of them do not name.
    """
    parameters = modelled_parameters(coordinates)
    together: dict[tuple[float, ...], list[Reals]] = {}
    for at, values in zip(coordinates, repetitions, strict=True):
        place = tuple(float(at[name]) for name in parameters)
        together.setdefault(place, []).append(values)
    places = sorted(together)
    rows = [np.concatenate(together[place]) for place in places]
    return SeriesPool(parameters, np.array(places), stacked(rows))


def modelled_parameters(coordinates: Sequence[Coordinate]) -> tuple[str, ...]:
    """Return what a model of these coordinates is over, p first.

    That is all that varies, but for what rises or falls with p throughout: weak
    scaling is a scan over p, along which growth by p and by n are one.

    Raises
    ------
    IncompleteCoordinates
        If a parameter varies that some of them do not name.
    """
    first = coordinates[0]
    names = sorted(
        set().union(*coordinates), key=lambda name: (name != PARAMETER, name)
    )
    varying = [
        name
        for name in names
        if any(at.get(name) != first.get(name) for at in coordinates)
    ]
    incomplete = [name for name in varying if any(name not in at for at in coordinates)]
    if incomplete:
        raise IncompleteCoordinates(incomplete)
    if not varying:
        return (names[0],)
    leader, *others = varying
    apart = [name for name in others if not _go_together(leader, name, coordinates)]
    return (leader, *others) if apart else (leader,)


def _go_together(one: str, other: str, coordinates: Sequence[Coordinate]) -> bool:
    """Tell whether two parameters rise together, or one falls as the other rises."""
    pairs = sorted({(at[one], at[other]) for at in coordinates})
    steps = {
        (x < next_x, np.sign(next_y - y))
        for (x, y), (next_x, next_y) in pairwise(pairs)
    }
    return len(steps) == 1 and steps <= {(True, 1), (True, -1)}
