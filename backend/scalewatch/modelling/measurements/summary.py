"""Reduce the repetitions of a measurement to one value.

The first quartile is the choice of the reference (section 3.3): it shifts the focus
from the average case toward the best case where noise is high. `robust` is the
M-estimate of `scalewatch.modelling.measurements.location`, which ignores outliers.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import total
from scalewatch.modelling.measurements.location import locate

Summary = Literal["q1", "median", "min", "mean", "robust"]

SUMMARIES: Final[tuple[Summary, ...]] = get_args(Summary)
"""All summaries by name."""

_QUANTILES: Final[dict[Summary, float]] = {"q1": 0.25, "median": 0.5, "min": 0.0}


def summarise(values: NDArray[np.float64], summary: Summary) -> NDArray[np.float64]:
    """Return one value per measurement.

    Parameters
    ----------
    values
        Repetitions along the last axis; NaN where one is missing, never all.
    summary
        `q1`, `median` or `min`, interpolated linearly between repetitions, `mean`, or
        `robust`, which is the median for a series with a value that is not positive.
    """
    if summary == "mean":
        return _mean(values)
    if summary == "robust":
        summarised = _quantile(values, 0.5)
        is_positive = np.fmin.reduce(values, axis=(1, 2)) > 0
        summarised[is_positive] = np.exp(locate(values[is_positive]).log.T)
        return summarised
    return _quantile(values, _QUANTILES[summary])


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # Dividing first keeps a sum of values near the largest number finite. Repetitions
    # are few and measurements many: adding them up row by row is the fast way.
    mean = total(np.moveaxis(values / values.shape[-1], -1, 0))
    has_gaps = np.isnan(mean)
    if has_gaps.any():
        gappy = values[has_gaps]
        count = (~np.isnan(gappy)).sum(axis=-1, keepdims=True)
        mean[has_gaps] = np.nansum(gappy / count, axis=-1)
    return mean


def _quantile(values: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Interpolate between order statistics; NaN sorts last."""
    ordered = np.sort(values, axis=-1)
    missing = np.isnan(ordered[..., -1])
    if not missing.any():
        position = q * (values.shape[-1] - 1)
        below = int(position)
        low = ordered[..., below]
        weight = position - below
        if not weight:
            return low
        return _between(low, ordered[..., below + 1], weight)
    count = np.sum(~np.isnan(ordered), axis=-1)
    positions = q * (count - 1)
    lower = positions.astype(np.intp)
    upper = np.minimum(lower + 1, count - 1)
    low = np.take_along_axis(ordered, lower[..., np.newaxis], axis=-1)[..., 0]
    high = np.take_along_axis(ordered, upper[..., np.newaxis], axis=-1)[..., 0]
    return _between(low, high, positions - lower)


def _between(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    weight: float | NDArray[np.float64],
) -> NDArray[np.float64]:
    return low * (1 - weight) + high * weight
