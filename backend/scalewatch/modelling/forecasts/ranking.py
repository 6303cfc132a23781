"""Rank regions by their cost at scale, and their shares over scales.

Regions are extrapolated to a target scale, or to infinity by their asymptotic
behaviour; a scalability bug can be any region with a model worse than a threshold,
such as anything that scales worse than linearly (section 2 of the reference).

The share of region r at scale p is t_r(p) / Σ t(p), the sum over all regions. A region
without a value at p counts by its share where it is known next; where such regions
hold more than `NEGLIGIBLE` together, no share is told.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model

Region = TypeVar("Region", bound=Hashable)


@dataclass(frozen=True, slots=True)
class RankedRegion(Generic[Region]):
    """A region and its place.

    Parameters
    ----------
    region
        Its name.
    model
        Its model.
    value
        Predicted at the target; None where the order is asymptotic.
    share
        Of the sum over all regions at the target; None likewise, or for a sum of 0.
    exceeds_threshold
        Whether it grows faster than the threshold.
    """

    region: Region
    model: Model
    value: float | None
    share: float | None
    exceeds_threshold: bool


def rank_regions(
    models: Mapping[Region, Model],
    predicted: Mapping[Region, float] | None = None,
    threshold: Growth | None = None,
) -> tuple[RankedRegion[Region], ...]:
    """Return regions, most expensive first.

    Parameters
    ----------
    models
        By region, all of one metric.
    predicted
        What each costs at the target; a region that is not there comes last. Without,
        regions are ordered by growth and, where that is the same, by the coefficient
        of the leading-order term.
    threshold
        Growth that is still acceptable; every growth is unless given.
    """
    values = predicted or {}
    total = sum(values.values())
    ranked = (
        RankedRegion(
            region=region,
            model=model,
            value=(value := values.get(region)),
            share=value / total if value is not None and total else None,
            exceeds_threshold=threshold is not None and model.growth > threshold,
        )
        for region, model in models.items()
    )
    return tuple(sorted(ranked, key=_cost, reverse=True))


def _cost(ranked: RankedRegion[Region]) -> tuple[bool, float, Growth, float]:
    model, value = ranked.model, ranked.value
    return value is not None, value or 0.0, model.growth, model.leading_coefficient


NEGLIGIBLE: Final = ASSUMED.lacking_share


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
        scales = np.flatnonzero(self.is_told)
        return int(scales[-1]) if scales.size else None

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
