"""Order regions by what they will cost at scale.

Regions are extrapolated to a target scale, or to infinity by their asymptotic
behaviour; a scalability bug can be any region with a model worse than a threshold,
such as anything that scales worse than linearly (section 2 of the reference).

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

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
