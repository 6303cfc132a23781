"""A and B of one code: from its measurements, or from its model beyond them.

Measurements are times by scale and problem size. From a model every pair has an
error, and those that need a time beyond the measured scales or sizes are marked as
extrapolated.

Weak scaling has gaps. Every pair of scales needs a run of the problem size k at n₁ and
one of k·n₂/n₁ at n₂: sizes that a study planned for strong scaling seldom has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import NothingToScale, SizeUnknown
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.scaling_errors.errors import (
    ScalingErrors,
    ScalingKind,
    checked_scales,
    known_times,
    needed_sizes,
    strong_errors,
    weak_errors,
)

NEEDED_SCALES = 2
"""Scales without which there is no pair."""


@dataclass(frozen=True, slots=True)
class Times:
    """Times to solution of one code on one machine in one configuration.

    Parameters
    ----------
    scales
        Numbers of processes, rising, shape (n,).
    sizes
        Problem sizes, rising, shape (m,); None if nobody recorded them.
    seconds
        Shape (m, n), or (1, n) without sizes; NaN where not measured. Any unit will
        do, errors are ratios.
    """

    scales: Reals
    sizes: Reals | None
    seconds: Reals

    @classmethod
    def of(cls, seconds: Mapping[tuple[float, float | None], float]) -> "Times":
        """Order times by (scale, problem size); all sizes are None, or none is.

        Raises
        ------
        BadScale
            If a scale or size is not positive.
        NothingToScale
            If no time is positive and finite.
        SizeUnknown
            If only some of the sizes are known.
        """
        known = {
            at: float(time)
            for at, time in seconds.items()
            if np.isfinite(known_times(time))
        }
        if not known:
            raise NothingToScale
        sizes = {size for _, size in known}
        if None in sizes and len(sizes) > 1:
            raise SizeUnknown
        scales = sorted({scale for scale, _ in known})
        rows: Sequence[float | None] = sorted(size for size in sizes if size) or [None]
        table = [
            [known.get((scale, size), np.nan) for scale in scales] for size in rows
        ]
        is_sized = None not in sizes
        return cls(
            checked_scales(scales),
            checked_scales(sorted(sizes), "problem size") if is_sized else None,
            np.array(table),
        )

    def at(self, size: float | None) -> Reals:
        """Return the times of a problem size by scale, NaN where not measured."""
        if self.sizes is None:
            return np.asarray(self.seconds[0])
        rows = self.seconds[np.isclose(self.sizes, size or 0.0, rtol=1e-9, atol=0.0)]
        return np.asarray(rows[0] if len(rows) else np.full(self.scales.size, np.nan))


def strong_scaling_errors(times: Times, size: float | None = None) -> ScalingErrors:
    """Return A as measured, over the scales at which the problem size was.

    Raises
    ------
    NothingToScale
        If it was measured at fewer than two scales.
    """
    seconds = times.at(size)
    is_there = np.isfinite(seconds)
    if is_there.sum() < NEEDED_SCALES:
        raise NothingToScale(int(is_there.sum()), size)
    scales = times.scales[is_there]
    errors = strong_errors(scales, seconds[is_there])
    return _measured(ScalingKind.STRONG, size, scales, errors)


def weak_scaling_errors(times: Times, size: float) -> ScalingErrors:
    """Return B as measured; pairs without both runs are NaN.

    Raises
    ------
    SizeUnknown
        If problem sizes were not recorded.
    NothingToScale
        If fewer than two scales were measured.
    """
    if times.sizes is None:
        raise SizeUnknown
    if times.scales.size < NEEDED_SCALES:
        raise NothingToScale(times.scales.size, None)
    errors = weak_errors(times.scales, times.sizes, times.seconds, size)
    return _measured(ScalingKind.WEAK, size, times.scales, errors)


def modelled_scaling_errors(  # noqa: PLR0913, a pair of names for what the model calls them
    kind: ScalingKind,
    model: Model,
    scales: Reals,
    times: Times,
    size: float | None = None,
    *,
    scale_name: str = "p",
    size_name: str = "n",
) -> ScalingErrors:
    """Return A or B as a model predicts it, over any scales.

    Parameters
    ----------
    kind
        Which of them.
    model
        Time to solution over scale and, if sizes matter, problem size.
    scales
        Where to evaluate it, rising.
    times
        What it was fitted to: where it does not extrapolate.
    size
        k, at n₁.
    scale_name, size_name
        Parameters of the model.

    Raises
    ------
    SizeUnknown
        If weak scaling is asked of a model that does not know the problem size.
    MissingParameter, OutsideDomain
        As the model does.
    """
    n = checked_scales(scales)
    knows_size = size is not None and any(
        size_name in term.growth.parameters for term in model.terms
    )
    if kind is ScalingKind.WEAK and not knows_size:
        raise SizeUnknown(model.formula)
    beyond = _outside(n, times.scales)
    is_extrapolated = beyond[:, np.newaxis] | beyond
    if kind is ScalingKind.STRONG or size is None:
        at = {} if size is None else {size_name: size}
        errors = strong_errors(n, model({**at, scale_name: n}) + np.zeros(n.size))
    else:
        sizes = needed_sizes(n, size)
        second = known_times(model({size_name: sizes, scale_name: n + 0 * sizes}))
        errors = 1.0 - np.diagonal(second)[:, np.newaxis] / second
        if times.sizes is not None:
            is_extrapolated |= _outside(sizes, times.sizes)
    return ScalingErrors(kind, size, n, errors, True, is_extrapolated)  # noqa: FBT003


def _measured(
    kind: ScalingKind, size: float | None, scales: Reals, errors: Reals
) -> ScalingErrors:
    nowhere = np.zeros(errors.shape, dtype=bool)
    return ScalingErrors(
        kind, size, scales, errors, is_modelled=False, is_extrapolated=nowhere
    )


def _outside(wanted: Reals, measured: Reals) -> NDArray[np.bool_]:
    """Tell what lies beyond the measurements, up to rounding."""
    low, high = measured.min() * (1 - 1e-9), measured.max() * (1 + 1e-9)
    return np.asarray((wanted < low) | (wanted > high))


@dataclass(frozen=True, slots=True)
class NeededRun:
    """A run that weak scaling lacks.

    Parameters
    ----------
    scale, size
        Where to run.
    pairs
        How many pairs of scales need it.
    """

    scale: float
    size: float
    pairs: int


@dataclass(frozen=True, slots=True)
class WeakGaps:
    """Which pairs weak scaling lacks, of all pairs n₁ < n₂, and what would fill them.

    Parameters
    ----------
    runs
        Those that most pairs need first.
    missing
        Pairs that the runs would fill.
    indivisible
        Pairs (n₁, n₂) that no run can fill: k·n₂/n₁ is no whole problem size.
    """

    runs: tuple[NeededRun, ...]
    missing: tuple[tuple[float, float], ...]
    indivisible: tuple[tuple[float, float], ...]


def weak_gaps(times: Times, size: float, base: float | None = None) -> WeakGaps:
    """Find what B lacks.

    Parameters
    ----------
    times
        What was measured.
    size
        k, at n₁.
    base
        Only pairs of this n₁; all of them unless given.

    Raises
    ------
    SizeUnknown
        If problem sizes were not recorded.
    """
    if times.sizes is None:
        raise SizeUnknown
    measured = {
        (times.scales[column], Fraction(float(times.sizes[row])))
        for row, column in np.argwhere(np.isfinite(times.seconds))
    }
    needs: dict[tuple[float, Fraction], int] = {}
    missing, indivisible = [], []
    k = Fraction(size)
    for n1 in times.scales.tolist() if base is None else [base]:
        for n2 in times.scales[times.scales > n1].tolist():
            grown = k * Fraction(n2) / Fraction(n1)
            if grown.denominator != 1:
                indivisible.append((n1, n2))
                continue
            lacking = {(n1, k), (n2, grown)} - measured
            for run in lacking:
                needs[run] = needs.get(run, 0) + 1
            if lacking:
                missing.append((n1, n2))
    runs = [NeededRun(scale, float(n), pairs) for (scale, n), pairs in needs.items()]
    runs.sort(key=lambda run: (-run.pairs, run.scale, run.size))
    return WeakGaps(tuple(runs), tuple(missing), tuple(indivisible))
