"""Bring a batch of measurements into the form that rules expect.

Repetitions of a setting that was measured twice are put together, settings are
sorted, series that were measured at the same settings are grouped, and each series
is scaled by a power of two, which is exact and keeps every square finite.

Settings that no rule can model are refused with a reason. Designs of settings have
limits: where parameters were varied one at a time, f·g is as good a sum of functions of
one parameter as f + g is. In general that is so if the indicator columns of the
settings of each parameter reproduce any values at the points, so if their rank is the
number of points. One more point that does not raise the rank, because it completes a
rectangle, ends this.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, cycle, islice, product
from math import prod
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import NotFinite, OutsideDomain, WrongShape
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.terms import log2_table
from scalewatch.modelling.measurements.assumptions import ASSUMED
from scalewatch.reasons import FewSettings, TooLarge, Unresolved


def unresolved(settings: Mapping[str, Reals]) -> str | None:
    """Say in words that products cannot be told from sums, and what would help.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples.

    Returns
    -------
    str or None
        None where the settings can tell.
    """
    varied = {name: column for name, column in settings.items() if np.ptp(column) > 0}
    if len(varied) < 2:
        return None
    points = np.stack(list(varied.values()), axis=1)
    levels = [np.unique(column) for column in points.T]
    if _additive_rank(points, levels) < len(points):
        return None
    point = _resolving_point(points, levels)
    resolving = None if point is None else dict(zip(varied, point, strict=True))
    return str(Unresolved(tuple(varied), resolving))


def never_together(
    settings: Mapping[str, Reals], targets: Sequence[Mapping[str, float]]
) -> list[int]:
    """Return the targets at which parameters are as nobody has seen them together.

    At others there is a point that is the nearest one in the setting of each parameter.
    Where products cannot be told from sums, one may hide in all but these.
    """
    places = []
    for place, target in enumerate(targets):
        distances = [np.abs(x - target[name]) for name, x in settings.items()]
        is_nearest = np.all([each == each.min() for each in distances], axis=0)
        if not is_nearest.any():
            places.append(place)
    return places


def _resolving_point(
    points: Reals, levels: Sequence[Reals]
) -> tuple[float, ...] | None:
    """Return a point that would tell, the largest rectangles first."""
    rank = _additive_rank(points, levels)
    measured = set(map(tuple, points.tolist()))
    ends = product(*((level[-1], level[0]) for level in levels))
    grid = product(*(level[::-1] for level in levels))
    for corner in islice(chain(ends, grid), ASSUMED.most_candidates):
        if corner in measured:
            continue
        if _additive_rank(np.vstack([points, corner]), levels) == rank:
            return corner
    return None


def _additive_rank(points: Reals, levels: Sequence[Reals]) -> int:
    """Count the values that sums of functions of one parameter can reproduce."""
    indicators = [
        column[:, np.newaxis] == level
        for column, level in zip(points.T, levels, strict=True)
    ]
    return int(np.linalg.matrix_rank(np.hstack(indicators).astype(np.float64)))


LEAST: Final = ASSUMED.least_settings


def few_settings_reason(settings: Mapping[str, Reals], needed: int) -> str:
    """Say that settings are too few for a growth, and which others would tell it.

    Parameters
    ----------
    settings
        Per parameter, distinct as tuples.
    needed
        How many a growth needs.
    """
    names = list(settings)
    count = len(settings[names[0]])
    further: Sequence[float] = ()
    if len(names) == 1 and count >= LEAST:
        further = further_settings(settings[names[0]], needed)
    return str(FewSettings(count, needed, names[0], [*map(_text, further)]))


def further_settings(settings: Reals, needed: int) -> Sequence[float]:
    """Return the settings that continue a scan, in ascending order.

    They go on in its mean ratio, downwards and upwards in turn, as small settings cost
    least and large ones tell most; those of whole numbers stay whole numbers from 1.
    """
    known = sorted(set(settings.tolist()))
    if len(known) < LEAST or known[0] <= 0:
        return ()
    ratio = (known[-1] / known[0]) ** (1 / (len(known) - 1))
    is_whole = all(value.is_integer() for value in known)
    low, high, added = known[0], known[-1], list[float]()
    for is_upwards in cycle((True, False)):
        if len(known) + len(added) >= needed:
            return sorted(added)
        candidate = high * ratio if is_upwards else low / ratio
        if is_whole:
            candidate = float(np.rint(candidate))
        if is_upwards:
            high = max(candidate, high + 1 if is_whole else candidate)
            added.append(high)
        elif candidate >= 1 and candidate < low:
            low = candidate
            added.append(low)
    return ()


def _text(setting: float) -> str:
    return f"{setting:.6g}" if setting < 1e6 else f"{setting:.10g}"


@dataclass(frozen=True, eq=False)
class Batch:
    """Measurements of many series.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,); distinct as tuples, rising.
    values
        Repetitions, shape (S, n, R), NaN where missing.
    """

    settings: Mapping[str, Reals]
    values: Reals

    @classmethod
    def of(cls, x: ArrayLike, values: ArrayLike, parameters: Sequence[str]) -> "Batch":
        """Check and sort the settings, and put duplicates together.

        Parameters
        ----------
        x
            Settings, shape (n,) or, for several parameters, (n, parameters).
        values
            Repetitions, shape (S, n, R), NaN where missing.
        parameters
            Their names.

        Raises
        ------
        WrongShape
            If the arrays do not fit each other.
        NotFinite
            If a setting is NaN or infinite.
        """
        points = np.asarray(x, dtype=np.float64)
        points = points.reshape(-1, 1) if points.ndim == 1 else points
        repetitions = np.asarray(values, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != len(parameters):
            expected = f"(points, {len(parameters)})"
            raise WrongShape("x", points.shape, expected)
        if repetitions.ndim != 3 or repetitions.shape[1] != len(points):
            expected = f"(series, {len(points)}, repetitions)"
            raise WrongShape("values", repetitions.shape, expected)
        for name, column in zip(parameters, points.T, strict=True):
            if not np.isfinite(column).all():
                raise NotFinite(name, column[~np.isfinite(column)][0])
        if points.shape[1] == 1 and (points[1:] > points[:-1]).all():
            return cls({parameters[0]: points[:, 0].copy()}, repetitions)
        distinct, place = np.unique(points, axis=0, return_inverse=True)
        return cls(
            dict(zip(parameters, distinct.T, strict=True)),
            _put_together(repetitions, place.reshape(-1), len(distinct)),
        )

    @property
    def points(self) -> int:
        """Number of distinct settings."""
        return int(self.values.shape[1])

    @property
    def is_finite(self) -> NDArray[np.bool_]:
        """Which series hold no infinite value, shape (S,)."""
        return np.isfinite(self._sizes)

    @property
    def is_ordinary(self) -> NDArray[np.bool_]:
        """Which series are far from the ends of the range of numbers, shape (S,)."""
        sizes = self._sizes
        is_between = (sizes > 1 / ASSUMED.ordinary) & (sizes < ASSUMED.ordinary)
        return np.asarray((sizes == 0) | is_between)

    def repetitions(self, row: int) -> int:
        """Return the most repetitions that a series has at one point."""
        return most_repetitions(self.values[row])

    def only(self, series: NDArray[np.bool_]) -> "Batch":
        """Return some of the series."""
        if series.all():
            return self
        return Batch(self.settings, self.values[series])

    def groups(self) -> Iterator[tuple[NDArray[np.intp], "Batch"]]:
        """Yield positions and measurements of series with the same settings."""
        is_missing = np.isnan(self.values)
        if self.values.size and not is_missing.any():
            yield np.arange(len(self.values)), self
            return
        is_there = ~is_missing.all(axis=2)
        patterns, place = np.unique(is_there, axis=0, return_inverse=True)
        for number, points in enumerate(patterns):
            rows = np.flatnonzero(place.reshape(-1) == number)
            yield (
                rows,
                Batch(
                    {name: column[points] for name, column in self.settings.items()},
                    self.values[np.ix_(rows, points)],
                ),
            )

    def scaled(self) -> tuple["Batch", NDArray[np.intc]]:
        """Return series of magnitude [0.5, 1), and the exponents that undo it."""
        exponent = np.frexp(self._sizes)[1]
        values = np.ldexp(self.values, -exponent[:, np.newaxis, np.newaxis])
        return Batch(self.settings, values), exponent

    @cached_property
    def _sizes(self) -> Reals:
        """Largest magnitude in each series, shape (S,); NaN for one without values."""
        series, *measurements = self.values.shape
        flat = self.values.reshape(series, prod(measurements))
        # `fmax`, which passes over NaN, takes six times as long as `max`.
        sizes = np.abs(flat).max(axis=1, initial=0.0)
        has_gaps = np.isnan(sizes)
        gappy = np.abs(flat[has_gaps])
        sizes[has_gaps] = np.fmax.reduce(gappy, axis=1, initial=np.nan)
        return np.asarray(sizes)


def most_repetitions(values: Reals) -> int:
    """Return the most repetitions at one point of a series, shape (n, R)."""
    return int((~np.isnan(values)).sum(axis=1).max(initial=0))


def _put_together(values: Reals, place: NDArray[np.intp], points: int) -> Reals:
    """Sort points; points of the same place share its repetitions."""
    if len(place) == points:
        is_sorted = (place[1:] > place[:-1]).all()
        return values if is_sorted else values[:, np.argsort(place)]
    times = np.bincount(place).max()
    series, _, repetitions = values.shape
    merged = np.full((series, points, times, repetitions), np.nan)
    filled = np.zeros(points, dtype=np.intp)
    for point, where in enumerate(place):
        merged[:, where, filled[where]] = values[:, point]
        filled[where] += 1
    return merged.reshape(series, points, times * repetitions)


NEEDED_SETTINGS: Final = ASSUMED.needed_settings


def obstacle(settings: Mapping[str, NDArray[np.float64]], space: Space) -> str | None:
    """Say in words why no rule can model series measured at these settings.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples.
    space
        Growths that compete.
    """
    points = len(next(iter(settings.values())))
    if points < NEEDED_SETTINGS:
        return few_settings_reason(settings, NEEDED_SETTINGS)
    columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
    return _undefined(columns, space)


# Many batches have the same few settings.
@lru_cache(maxsize=128)
def _undefined(
    columns: tuple[tuple[str, tuple[float, ...]], ...], space: Space
) -> str | None:
    """Say which growth has no value at some settings that can be computed with."""
    settings = {name: np.array(x) for name, x in columns}
    largest = log2_table(space.growths, settings).max(axis=1)
    if (largest <= ASSUMED.largest_term).all():
        return None
    for growth, log2 in zip(space, largest.tolist(), strict=True):
        if log2 <= ASSUMED.largest_term:
            continue
        try:
            growth.log2(settings)
        except OutsideDomain as undefined:
            return str(undefined)
        return str(TooLarge(growth))
    return None
