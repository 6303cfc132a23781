"""Exactness of series: repetitions that agree, decimals, and idle parameters."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals, sorted_rows
from scalewatch.modelling.exact_counts.assumptions import ASSUMED


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far exact values may be off.

    Parameters
    ----------
    half_unit
        Half a unit of the last decimal in which all values are given; None for numbers
        of full precision.
    tolerance
        What a computer rounds, shape (n,).
    """

    half_unit: float | None
    tolerance: Reals

    @classmethod
    def of(cls, y: Reals) -> "Rounding":
        """Return that of the values of a series, shape (n,)."""
        tolerance = np.abs(y) * ASSUMED.relative
        return cls(
            half_unit=_half_unit(y),
            tolerance=np.maximum(tolerance, np.abs(y).max() * ASSUMED.beside_largest),
        )

    @property
    def printed(self) -> Reals | None:
        """How far values may be off that were rounded to their digits, shape (n,)."""
        if self.half_unit is None:
            return None
        return np.maximum(self.tolerance, self.half_unit * ASSUMED.slack)

    def unit(self, y: Reals) -> Reals:
        """Return the unit in which values are counted, shape (n,)."""
        if self.half_unit is None:
            return 2 * np.maximum(
                np.abs(y) * ASSUMED.relative, np.finfo(np.float64).tiny
            )
        return np.full(y.shape, 2 * self.half_unit)


def _half_unit(y: Reals) -> float | None:
    for decimals in range(ASSUMED.most_decimals + 1):
        digits = y * 10.0**decimals
        if (
            np.abs(digits - np.round(digits)) <= 1e-9 * np.maximum(1, np.abs(digits))
        ).all():
            return float(0.5 * 10.0**-decimals)
    return None


def exact_series(values: Reals) -> NDArray[np.bool_]:
    """Tell which series were repeated and told the same value each time, shape (S,).

    All repetitions of a setting agree but for what a computer rounds; of whole numbers
    two thirds of them do. Half of the settings or more were repeated.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R); NaN where one is missing.
    """
    with np.errstate(invalid="ignore"):  # from infinite values, which are not exact
        is_exact = np.zeros(len(values), dtype=np.bool_)
        rows = np.flatnonzero(_may_be(values[:, 0])) if len(values) else ()
        if not len(rows) or not values.shape[2]:
            return is_exact
        repeated = values[rows]
        there = ~np.isnan(repeated)
        count = there.sum(axis=2)
        y = exact_values(repeated)
        agrees = (
            np.abs(repeated - y[..., np.newaxis])
            <= ASSUMED.relative * np.abs(y)[..., np.newaxis]
        )
        share = agrees.sum(axis=2) / count
        is_whole = (np.where(there, repeated % 1, 0) == 0).all(axis=(1, 2))
        is_most = (share >= ASSUMED.majority) & (
            (count >= ASSUMED.least_majority) | (share == 1)
        )
        is_repeated = 2 * (count > 1).sum(axis=1) >= count.shape[1]
        is_exact[rows] = is_repeated & (
            (share == 1).all(axis=1) | (is_whole & is_most.all(axis=1))
        )
        return is_exact


def exact_values(values: Reals) -> Reals:
    """Return the value that most repetitions of a setting tell, shape (S, n).

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R); NaN where one is missing.
    """
    ordered = np.sort(values, axis=2)
    middle = (np.maximum((~np.isnan(values)).sum(axis=2), 1) - 1) // 2
    return np.take_along_axis(ordered, middle[..., np.newaxis], axis=2)[..., 0]


def _may_be(first: Reals) -> NDArray[np.bool_]:
    """Tell for which series two repetitions may agree at a setting, or it has but one.

    Hardly any noisy series passes, so that large batches cost next to nothing.
    """
    if first.shape[1] < 2:
        return np.ones(len(first), dtype=np.bool_)
    ordered = np.stack(sorted_rows(list(np.ascontiguousarray(first.T))))
    # Where a repetition is missing, nothing is told apart.
    is_apart = np.diff(ordered, axis=0) > ASSUMED.relative * np.abs(ordered[1:])
    return np.asarray(~is_apart.all(axis=0))


def independent_of(settings: Mapping[str, Reals], y: Reals) -> tuple[str, ...]:
    """Return the parameters that counts of several, shape (n,), do not depend on.

    Wherever one of them alone varies, which it does at two combinations of the others
    or at all there are, the count stays the same. Of one parameter its growth tells.
    """
    if len(settings) < 2:
        return ()
    return tuple(name for name in settings if _is_idle(name, settings, y))


def without(
    settings: Mapping[str, Reals], names: tuple[str, ...]
) -> tuple[Mapping[str, Reals], NDArray[np.intp]]:
    """Return the settings of the other parameters, once each, and their positions."""
    left = [name for name in settings if name not in names]
    table = np.stack([settings[name] for name in left], axis=1)
    _, first = np.unique(table, axis=0, return_index=True)
    return {name: settings[name][first] for name in left}, first


def _is_idle(name: str, settings: Mapping[str, Reals], y: Reals) -> bool:
    others = np.stack([x for each, x in settings.items() if each != name], axis=1)
    combinations, place = np.unique(others, axis=0, return_inverse=True)
    groups = [place.reshape(-1) == number for number in range(len(combinations))]
    varied = [group for group in groups if len(np.unique(settings[name][group])) > 1]
    needed = min(ASSUMED.witnesses, len(combinations))
    return len(varied) >= needed and all(
        len(np.unique(y[group])) == 1 for group in varied
    )
