"""Whether a later version grows faster, from what is known of each by itself.

`regression` weighs the repetitions of both versions together. Where only the posteriors
of their growths are at hand, they still tell with which probability the later growth
dominates the earlier: both are drawn independently, and the orders compared,

    P(faster) = Σ_g P(before = g) · Σ_{h > g} P(after = h).

A growth selected by a hair's breadth changes its name without changing these sums much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scalewatch.modelling.growth import Growth


@dataclass(frozen=True, slots=True)
class GrowthOdds:
    """Probability that a later version grows faster, or slower, than an earlier."""

    faster: float
    slower: float


def growth_odds(
    before: Mapping[Growth, float], after: Mapping[Growth, float]
) -> GrowthOdds | None:
    """Compare the posteriors of two versions; None where one of them is unknown.

    Parameters
    ----------
    before, after
        Probability by growth, of the likeliest ones at least.
    """
    return all_growth_odds([(before, after)])[0]


def all_growth_odds(
    pairs: Sequence[tuple[Mapping[Growth, float], Mapping[Growth, float]]],
) -> list[GrowthOdds | None]:
    """Compare the posteriors of two versions of many series, as `growth_odds`.

    Few growths occur in all of them: they are put in order once.
    """
    named = {growth for pair in pairs for one in pair for growth in one}
    rank = {growth: place for place, growth in enumerate(sorted(named))}
    return [
        _odds(
            {rank[growth]: share for growth, share in before.items()},
            {rank[growth]: share for growth, share in after.items()},
        )
        for before, after in pairs
    ]


def _odds(before: Mapping[int, float], after: Mapping[int, float]) -> GrowthOdds | None:
    """Compare posteriors by the rank of each growth."""
    whole = sum(before.values()) * sum(after.values())
    if not whole:
        return None
    faster = slower = 0.0
    for growth, share in before.items():
        for later, later_share in after.items():
            if later > growth:
                faster += share * later_share
            elif later < growth:
                slower += share * later_share
    return GrowthOdds(faster / whole, slower / whole)
