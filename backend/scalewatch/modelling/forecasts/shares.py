"""Shares of regions in their sum, over scales, as far as nothing that matters lacks.

The share of region r at scale p is t_r(p) / Σ t(p), the sum over all regions. A region
without a value at p counts by its share where it is known next; where such regions
hold more than `NEGLIGIBLE` together, no share is told.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals

NEGLIGIBLE: Final = 0.01
"""Share of the sum that may lack."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Shares of regions over scales.

    Parameters
    ----------
    shares
        Shape (regions, scales), 0 … 1; NaN where a region or the sum is not known.
    lacking
        Share of regions without a value, by where it is known next, shape (regions,
        scales); 0 where there is a value.
    is_told
        Where the regions that lack are negligible, shape (scales,).
    """

    shares: Reals
    lacking: Reals
    is_told: NDArray[np.bool_]

    @property
    def end(self) -> int | None:
        """Position of the last scale at which shares are told; None if at none."""
        told = np.flatnonzero(self.is_told)
        return int(told[-1]) if told.size else None

    def lacking_at(self, scale: int) -> list[int]:
        """Return positions of the regions without a value at a scale, largest first."""
        lacking = self.lacking[:, scale]
        order = np.argsort(-lacking, kind="stable")
        return [int(region) for region in order if lacking[region] > 0]


def shares_of(values: Reals) -> Shares:
    """Return the shares of regions in their sum at each scale.

    Parameters
    ----------
    values
        Shape (regions, scales), scales ascending, none negative; NaN where unknown.
    """
    is_known = np.isfinite(values)
    total = np.nansum(values, axis=0)
    has_sum = is_known.any(axis=0) & (total > 0)
    shares = np.full(values.shape, np.nan)
    np.divide(values, total, out=shares, where=is_known & has_sum)
    lacking = np.where(is_known, 0.0, _nearest(shares))
    is_told = has_sum & (lacking.sum(axis=0) <= NEGLIGIBLE)
    return Shares(np.where(is_told, shares, np.nan), lacking, is_told)


def _nearest(shares: Reals) -> Reals:
    """Return the share of each region where it is known next; 0 where it is nowhere."""
    is_known = np.isfinite(shares)
    nearest = np.where(is_known, shares, 0.0)
    scales = np.arange(shares.shape[1])
    has_gaps = is_known.any(axis=1) & ~is_known.all(axis=1)
    for region in np.flatnonzero(has_gaps):
        known = np.flatnonzero(is_known[region])
        away = np.abs(scales[:, np.newaxis] - known)
        nearest[region] = shares[region, known[away.argmin(axis=1)]]
    return nearest
