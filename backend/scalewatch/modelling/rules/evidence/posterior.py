"""Posterior of growths and of verdicts, and the growth that is selected by it.

With the prior q_g of a growth (`prior`) and its evidence Z_g (`laplace`)

    P(g) = q_g Z_g / Σ q Z,    P(verdict) = Σ P(g) over the growths that have it.

A false growth costs more than a missed one, so a growth is selected only if it is
`CAUTION` times as likely as the constant. The least repetition errs to one side: now
and then one setting alone lies far above the others, which at the largest looks like
steep growth, so that where it locates the repetitions more is required,
`CAUTION_OF_LEAST`. And so it is of a series that does not fall and was modelled alone,
`CAUTION_ALONE`: scatter that the repetitions of a job have in common looks like growth
at a few settings, and only other series show how large it is. Residuals beyond
`MOST_SHARED` are no such scatter but a curve.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Indices, Reals, Singles, total
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.rules.evidence.prior import RANKS, Prior

CAUTION: Final = 2.0
"""How much likelier than the constant a growth has to be to be selected."""

CAUTION_OF_LEAST: Final = 6.0
"""The same where the least repetition tells the curve."""

CAUTION_ALONE: Final = 10.0
"""The same where no other series told what repetitions of a job share."""

MOST_SHARED: Final = 12.0
"""Mean square of residuals, in variances of a location, up to which jobs scatter."""


def posterior(log_evidence: Singles, prior: Prior) -> Reals:
    """Return the probability of each growth, shape (H, S).

    Parameters
    ----------
    log_evidence
        But for a summand per series, shape (H, S); overwritten.
    prior
        Of the same growths.
    """
    log_evidence += np.log(prior.share)[:, np.newaxis].astype(np.float32)
    log_evidence -= log_evidence.max(axis=0)
    probability = np.exp(log_evidence, out=log_evidence).astype(np.float64)
    probability *= 1 / total(probability)  # to divide takes three times as long
    return probability


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


def caution_of(noise: Noise, excess: Reals | None = None) -> Reals:
    """Return how much likelier than the constant a growth has to be, shape () or (S,).

    `excess` is the mean square of residuals of the best curve in variances of a
    location, shape (S,); None where an expectation or a fall tells more.
    """
    caution = CAUTION_OF_LEAST if noise.summary == "min" else CAUTION
    if excess is None or noise.shares != USUAL.shares:
        return np.asarray(caution)
    return np.where(excess < MOST_SHARED, CAUTION_ALONE, caution)


def likeliest(
    probability: Reals,
    prior: Prior,
    level: float,
    constant: int,
    caution: ArrayLike = CAUTION,
) -> Indices:
    """Return the likeliest growth of the verdict that is settled, shape (S,).

    It is the likeliest of all where none is settled, see `verdict.decide`, and
    without an expectation.

    Parameters
    ----------
    probability
        Of each growth, shape (H, S).
    prior
        Of the same growths.
    level
        Probability that settles a verdict.
    constant
        Row of the constant.
    caution
        By what factor a growth has to exceed it, shape () or (S,).
    """
    verdicts = verdict_posterior(probability.T, prior)
    weight = probability.copy()
    weight[constant] *= caution
    chosen: Indices = weight.argmax(axis=0)
    if prior.ranks is None or verdicts is None:
        return chosen
    match, approximate, mismatch = verdicts.T
    is_clear = mismatch <= 1 - level
    settled = (
        is_clear & (match >= approximate),
        is_clear & (match < approximate),
        mismatch >= level,
    )
    for rank, is_settled in enumerate(settled):
        candidates = np.flatnonzero(prior.ranks == rank)
        if len(candidates) and is_settled.any():
            among = weight[np.ix_(candidates, is_settled)]
            chosen[is_settled] = candidates[among.argmax(axis=0)]
    return chosen
