"""From the evidence of growths to the posterior of growths and of verdicts.

Without an expectation the constant has the prior probability `CONSTANT_SHARE` and the
others share the rest: most things do not grow until they are seen to, and 42 terms
against one would find growth in noise. That prior makes probabilities come true. As a
false growth costs more than a missed one, a growth is selected only if it is `CAUTION`
times as likely as the constant. The least repetition errs to one side: now and then one
setting alone lies far above the others, which at the largest looks like steep growth,
so that where it tells the curve more is asked, `CAUTION_OF_LEAST`. And so it is of a
series that does not fall and stands for itself, `CAUTION_ALONE`: what repetitions of a
job share looks like growth at a few settings, and only other series could tell how much
that is. What scatters by more than jobs do, `MOST_SHARED`, is no noise but a curve.

An expectation is a promise of people who know the code: with the probability
`EXPECTATION_SHARE` it is kept for that reason alone, else it holds as often as any
growth would. What else would be acceptable and what would not share the rest in equal
parts, each in proportion to the prior without expectation; so neither a fine space nor
a wide deviation limit decides a verdict. A promise is about what leads: beside it there
is a lower-order term more often, with `EXPECTED_SHAPES`.

A forecast asks for the curve, not for its name. There shapes count `IN_FORECASTS` times
as much, as many as growths where nothing was learned; a growth alone that is preferred
for being simple makes intervals too narrow.

Beside work that is shared, 1/p, the laws that textbooks have are `LAW_SHARE` of all.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.arrays import Indices, Reals, Singles, total
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.verdict import Verdict, judge_all
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.model import Frame

CONSTANT_SHARE: Final = 0.2
EXPECTATION_SHARE: Final = 0.6

EXPECTED_SHAPES: Final = 0.2
"""Least share of the shapes of an expectation that grows."""

IN_FORECASTS: Final = 9.0

LAW_SHARE: Final = 0.7
"""Of what stands beside 1/p."""

CAUTION: Final = 2.0
"""How much likelier than the constant a growth has to be to be selected."""

CAUTION_OF_LEAST: Final = 6.0
"""The same where the least repetition tells the curve."""

CAUTION_ALONE: Final = 10.0
"""The same where no other series told what repetitions of a job share."""

MOST_SHARED: Final = 12.0
"""Mean square of residuals, in variances of a location, up to which jobs scatter."""

RANKS: Final = (Verdict.MATCH, Verdict.APPROXIMATE, Verdict.MISMATCH)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is believed of each growth before it is measured.

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
    def of_forecasts(
        cls,
        hypotheses: Hypotheses,
        shapes: float,
        expectation: Growth | None,
        deviation_limit: Growth | None,
    ) -> "Prior":
        """Return the prior of the curves in forecasts; `shapes` as for `among`."""
        odds = IN_FORECASTS * shapes
        share = odds / (1 - shapes + odds)
        return cls.among(hypotheses, share, expectation, deviation_limit)

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


def shares_of(
    hypotheses: Hypotheses, shapes: float, expectation: Growth | None = None
) -> Reals:
    """Return the prior of each curve, shape (H,)."""
    growths = hypotheses.rising.growths
    rising = _shares(growths, growths[hypotheses.rising.alone])
    own = dict(zip(growths, rising.tolist(), strict=True))
    of_shapes = dict.fromkeys(growths, shapes)
    if expectation in own and expectation != CONSTANT:
        of_shapes[expectation] = max(shapes, EXPECTED_SHAPES)
    taken_off, added = (
        [growth for frame in frames for growth in frame.growths]
        for frames in (hypotheses.differences, hypotheses.sums)
    )
    number = Counter((*taken_off, *added))
    rising *= [1 - of_shapes[each] if each in number else 1.0 for each in growths]
    before, after = (
        np.array([own[each] * of_shapes[each] / number[each] for each in led])
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
    shares = shares_of(hypotheses, shapes, expectation)
    return Prior.given(shares, hypotheses.growths, expectation, deviation_limit)


def _shares_beside(frame: Frame) -> Reals:
    """Return the prior of curves with a falling base."""
    shares = _shares(frame.growths, frame.growths[frame.alone])
    is_law = frame.is_law
    is_other = ~is_law
    is_other[frame.alone] = False
    if is_law.any() and is_other.any():
        rest = shares[is_law].sum() + shares[is_other].sum()
        shares[is_law] = LAW_SHARE * rest / is_law.sum()
        shares[is_other] = (1 - LAW_SHARE) * rest / is_other.sum()
    return shares


def _shares(growths: Sequence[Growth], alone: Growth) -> Reals:
    """Return the prior of growths of which one, `alone`, has no term beside it."""
    is_alone = np.array([growth == alone for growth in growths])
    rest = (1 - CONSTANT_SHARE) / max(len(is_alone) - 1, 1)
    return np.where(is_alone, CONSTANT_SHARE, rest)


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
        [_sum_of(probability, prior.ranks == rank) for rank in range(len(RANKS))],
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


def _sum_of(probability: Reals, growths: NDArray[np.bool_]) -> Reals:
    """Add up columns one after the other."""
    return total((np.zeros(len(probability)), *probability.T[growths]))
