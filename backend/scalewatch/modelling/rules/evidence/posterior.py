"""Posterior of growths and of verdicts, and the growth that is selected by it.

With the prior q_g of a growth (`prior`) and its evidence Z_g (`laplace`)

    P(g) = q_g Z_g / Σ q Z,    P(verdict) = Σ P(g) over the growths that have it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Singles, total
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.prior import RANKS, Prior
from scalewatch.modelling.rules.evidence.weighing import Weighed

CAUTION: Final = 5.0
"""How much likelier than the constant a growth has to be to be selected: a false growth
costs more than a missed one. At 1, one late setting is called growth in 0.6 % of cases,
and what jobs share in 1 %."""


def posterior(log_evidence: Singles, prior: Prior) -> tuple[Reals, Reals]:
    """Return the probability of each growth, (H, S), and the log evidence of all, (S,).

    Parameters
    ----------
    log_evidence
        But for a summand per series, shape (H, S); overwritten.
    prior
        Of the same growths.
    """
    log_evidence += np.log(prior.share)[:, np.newaxis].astype(np.float32)
    most = log_evidence.max(axis=0)
    log_evidence -= most
    probability = np.exp(log_evidence, out=log_evidence).astype(np.float64)
    whole = total(probability)
    probability *= 1 / whole  # to divide takes three times as long
    return probability, most + np.log(whole)


def posterior_of_sizes(
    locations: Sequence[Location], weighed: Sequence[Weighed], prior: Prior
) -> tuple[Reals, Indices]:
    """Return the probability of each size and growth, and the likeliest size.

    Parameters
    ----------
    locations, weighed
        Of S series under K sizes of the discrepancy; the evidence is overwritten.
    prior
        Of H curves.

    Returns
    -------
    tuple
        Of shapes (K, H, S) and (S,).
    """
    parts, logs = [], []
    for location, curves in zip(locations, weighed, strict=True):
        probability, log_mass = posterior(curves.log_evidence, prior)
        share = 0.0 if location.log_share is None else location.log_share
        parts.append(probability)
        logs.append(log_mass + share)
    log = np.stack(logs)
    share = np.exp(log - log.max(axis=0))
    share /= total(share)
    return np.stack([*map(np.multiply, parts, share)]), log.argmax(axis=0)


def verdict_posterior(probability: Reals, prior: Prior) -> Reals | None:
    """Add up the probabilities, shape (S, H), by verdict to shape (S, 3)."""
    if prior.ranks is None:
        return None
    return np.stack(
        [
            total((np.zeros(len(probability)), *probability.T[(prior.ranks == rank)]))
            for rank in range(len(RANKS))
        ],
        axis=1,
    )


def cautious(probability: Reals, constant: int, exponents: Reals | None) -> Reals:
    """Return the weight of each growth as a model, shape (H, S).

    Where the last settings deny a constant it has to be so likely beside all growths
    together: they are alike then, and any of them tells more of the curve than none.

    Parameters
    ----------
    probability
        Of each growth, shape (H, S).
    constant
        Row of the constant.
    exponents
        Bounds of the exponent at the last settings, shape (S, 2); None where there are
        none.
    """
    weight = probability.copy()
    rest = 1 - weight[constant]
    weight[constant] *= CAUTION
    if exponents is not None:
        low, high = exponents.T
        is_denied = ((low > 0) | (high < 0)) & (weight[constant] < rest)
        weight[constant][is_denied] = 0
    return weight


def likeliest(
    weight: Reals, prior: Prior, verdicts: Reals | None, level: float, alarm: Reals
) -> Indices:
    """Return the likeliest growth of the verdict that is settled, shape (S,).

    It is the likeliest of all where none is settled, see `verdict.decide`, and
    without an expectation.

    Parameters
    ----------
    weight
        Of each growth, shape (H, S).
    prior
        Of the same growths.
    verdicts
        Probability of each, shape (S, 3).
    level
        Probability that settles a verdict.
    alarm
        That which settles a mismatch, shape (S,) or ().
    """
    chosen: Indices = weight.argmax(axis=0)
    if verdicts is None:
        return chosen
    match, approximate, mismatch = verdicts.T
    is_clear = mismatch <= 1 - level
    settled = (
        is_clear & (match >= approximate),
        is_clear & (match < approximate),
        mismatch >= alarm,
    )
    for rank, is_settled in enumerate(settled):
        candidates = np.flatnonzero(prior.ranks == rank)
        if len(candidates) and is_settled.any():
            among = weight[np.ix_(candidates, is_settled)]
            chosen[is_settled] = candidates[among.argmax(axis=0)]
    return chosen
