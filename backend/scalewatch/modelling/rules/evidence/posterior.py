"""Prior and posterior of growths and verdicts, and the growth that is selected by them.

With the prior q_g of a growth and its evidence Z_g (`laplace`)

    P(g) = q_g Z_g / Σ q Z,    P(verdict) = Σ P(g) over the growths that have it.

The prior is one of growths, their shapes, and those beside a falling base. Without an
expectation the constant has the prior probability `CONSTANT_SHARE` and the others share
the rest: most regions do not grow until they are seen to, and 42 terms against one
would find growth in noise. That prior makes probabilities come true.

An expectation is stated by people who know the code: with the probability
`EXPECTATION_SHARE` it is met for that reason alone, else it holds as often as any
growth would. Growths that are acceptable and those that are not share the rest in equal
parts, each in proportion to the prior without expectation; so neither a fine space nor
a wide deviation limit decides a verdict.

Beside work that is shared, 1/p, the laws of textbooks have the share `law_share`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Singles, total
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.verdict import Verdict, judge_all
from scalewatch.modelling.measurements.discrepancy import Departing
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.model import Frame
from scalewatch.modelling.rules.evidence.weighing import Weighed

CONSTANT_SHARE: Final = ASSUMED.constant_share

EXPECTATION_SHARE: Final = ASSUMED.expectation_share


RANKS: Final = (Verdict.MATCH, Verdict.APPROXIMATE, Verdict.MISMATCH)


@dataclass(frozen=True, slots=True)
class Prior:
    """Probability of each growth before it is measured.

    Parameters
    ----------
    share
        Probability, shape (H,), positive.
    ranks
        Index in `RANKS` of the verdict that the growth would have, shape (H,); None
        without an expectation.
    """

    share: Reals
    ranks: Indices | None = None

    @classmethod
    def of(
        cls, space: Space, expectation: Growth | None, deviation_limit: Growth | None
    ) -> "Prior":
        """Return the prior of the growths of a space."""
        shares = _shares(space.growths, CONSTANT)
        return cls.given(shares, space.growths, expectation, deviation_limit)

    @classmethod
    def among(
        cls,
        hypotheses: Hypotheses,
        shapes: float,
        expectation: Growth | None,
        deviation_limit: Growth | None,
    ) -> "Prior":
        """Return the prior of all curves that compete, in their order.

        Of each growth its shapes have the share `shapes`. Growths that rise have one
        half together, those beside a falling base the other.
        """
        return _among(hypotheses, shapes, expectation, deviation_limit)

    @classmethod
    def given(
        cls,
        share: Reals,
        growths: Sequence[Growth],
        expectation: Growth | None,
        deviation_limit: Growth | None,
    ) -> "Prior":
        """Return the prior of growths that had other shares but for an expectation."""
        if expectation is None or deviation_limit is None:
            return cls(share / share.sum())
        verdicts = judge_all(tuple(growths), expectation, deviation_limit)
        ranks = np.array([RANKS.index(verdict) for verdict in verdicts])
        present = np.bincount(ranks, share, len(RANKS))
        expected = (
            EXPECTATION_SHARE + (1 - EXPECTATION_SHARE) * present[0] / present.sum()
        )
        parts = np.where(present > 0, [expected, 1.0, 1.0], 0.0)
        parts[1:] *= (1 - expected) / max(parts[1:].sum(), 1.0)
        shares = share * (parts / np.where(present > 0, present, 1.0))[ranks]
        return cls(shares / shares.sum(), ranks)


def shares_of(hypotheses: Hypotheses, shapes: float) -> Reals:
    """Return the prior of each curve, shape (H,)."""
    growths = hypotheses.rising.growths
    rising = _shares(growths, growths[hypotheses.rising.alone])
    share_of = dict(zip(growths, rising.tolist(), strict=True))
    taken_off, added = (
        [growth for frame in frames for growth in frame.growths]
        for frames in (hypotheses.differences, hypotheses.sums)
    )
    number = Counter((*taken_off, *added))
    rising *= [1 - shapes if each in number else 1.0 for each in growths]
    before, after = (
        np.array([share_of[each] * shapes / number[each] for each in led])
        for led in (taken_off, added)
    )
    together = np.concatenate([before, rising, after])
    if hypotheses.falling:
        together /= 2
    fallen = [
        _shares_beside(frame) / (2 * len(hypotheses.falling))
        for frame in hypotheses.falling
    ]
    return np.concatenate([together, *fallen])


# Small batches would spend more on their prior than on all else that is not by series.
@lru_cache(maxsize=128)
def _among(
    hypotheses: Hypotheses,
    shapes: float,
    expectation: Growth | None,
    deviation_limit: Growth | None,
) -> Prior:
    shares = shares_of(hypotheses, shapes)
    return Prior.given(shares, hypotheses.growths, expectation, deviation_limit)


def _shares_beside(frame: Frame) -> Reals:
    """Return the prior of curves with a falling base."""
    shares = _shares(frame.growths, frame.growths[frame.alone])
    is_law = frame.is_law
    is_other = ~is_law
    is_other[frame.alone] = False
    if is_law.any() and is_other.any():
        rest = shares[is_law].sum() + shares[is_other].sum()
        shares[is_law] = ASSUMED.law_share * rest / is_law.sum()
        shares[is_other] = (1 - ASSUMED.law_share) * rest / is_other.sum()
    return shares


def _shares(growths: Sequence[Growth], alone: Growth) -> Reals:
    """Return the prior of growths of which one, `alone`, has no term beside it."""
    is_alone = np.array([growth == alone for growth in growths])
    rest = (1 - CONSTANT_SHARE) / max(len(is_alone) - 1, 1)
    return np.where(is_alone, CONSTANT_SHARE, rest)


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
    locations: Sequence[Departing], weighed: Sequence[Weighed], prior: Prior
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
        parts.append(probability)
        logs.append(log_mass + location.log_share)
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
    weight[constant] *= ASSUMED.caution
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
