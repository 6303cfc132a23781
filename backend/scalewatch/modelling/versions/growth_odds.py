"""Whether a later version grows faster, from what is known of each by itself.

`regression` weighs the repetitions of both versions together. Where only the posteriors
of their growths are at hand, they still tell with which probability the later growth
dominates the earlier: both are drawn independently, and the orders compared,

    P(faster) = Σ_g P(before = g) · Σ_{h > g} P(after = h).

A growth selected by a hair's breadth changes its name without changing these sums much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.growths.growth import Growth


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
    named = set[Growth]().union(*(one for pair in pairs for one in pair))
    rank = {growth: place for place, growth in enumerate(sorted(named))}
    before = _shares([pair[0] for pair in pairs], rank)
    after = _shares([pair[1] for pair in pairs], rank)
    whole = before.sum(axis=1) * after.sum(axis=1)
    faster = (after * (before.cumsum(axis=1) - before)).sum(axis=1)
    slower = (before * (after.cumsum(axis=1) - after)).sum(axis=1)
    return [
        GrowthOdds(up / all_of_it, down / all_of_it) if all_of_it else None
        for up, down, all_of_it in zip(
            faster.tolist(), slower.tolist(), whole.tolist(), strict=True
        )
    ]


def _shares(
    posteriors: Sequence[Mapping[Growth, float]], rank: Mapping[Growth, int]
) -> NDArray[np.float64]:
    """Return the probability by posterior and by rank of the growth."""
    shares = np.zeros((len(posteriors), len(rank)))
    rows = [row for row, each in enumerate(posteriors) for _ in each]
    columns = [rank[growth] for each in posteriors for growth in each]
    shares[rows, columns] = [share for each in posteriors for share in each.values()]
    return shares
