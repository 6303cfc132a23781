"""Order regions by what they will cost at scale.

Regions are extrapolated to a target scale, or to infinity by their asymptotic
behaviour; a scalability bug can be any region with a model worse than a threshold,
such as anything that scales worse than linearly (section 2 of the reference).

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from scalewatch.modelling.growth import Growth
from scalewatch.modelling.model import Model


@dataclass(frozen=True, slots=True)
class RankedRegion:
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

    region: str
    model: Model
    value: float | None
    share: float | None
    exceeds_threshold: bool


def rank_regions(
    models: Mapping[str, Model],
    target: Mapping[str, float] | None = None,
    threshold: Growth | None = None,
) -> tuple[RankedRegion, ...]:
    """Return regions, most expensive first.

    Parameters
    ----------
    models
        By region, all of one metric.
    target
        Settings to extrapolate to; without, regions are ordered by growth and, where
        that is the same, by the coefficient of the leading-order term.
    threshold
        Growth that is still acceptable; every growth is unless given.
    """
    values = {
        region: None if target is None else float(model(target))
        for region, model in models.items()
    }
    total = sum(value for value in values.values() if value is not None)
    ranked = (
        RankedRegion(
            region=region,
            model=model,
            value=(value := values[region]),
            share=value / total if value is not None and total else None,
            exceeds_threshold=threshold is not None and model.growth > threshold,
        )
        for region, model in models.items()
    )
    return tuple(sorted(ranked, key=_cost, reverse=True))


def _cost(ranked: RankedRegion) -> tuple[float, Growth, float]:
    model = ranked.model
    return ranked.value or 0.0, model.growth, model.leading_coefficient
