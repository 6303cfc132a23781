"""Forecasts of a mixture of hypotheses.

Each hypothesis predicts f(x*) with the covariance of its coefficients, s²·(AᵀPA)⁻¹
with A the columns over y and s² the variance about it. Where curves depart from
growths, the residuals of its logarithms go on to the target as of one parameter, see
`evidence.log_residuals`: what κᵀ carries of them is added to log f(x*), less what the
coefficients would move there with them, and so is the variance of D, beyond the largest
settings at least that of the size `Noise.future`. The logarithm of the metric at the
target is then a mixture of normal densities, weighted by the posterior. Its median is
the value; the interval cuts off equal probabilities on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.rules.evidence.log_residuals import LEAST_VARIANCE
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.contest import Contest
from scalewatch.modelling.rules.several_parameters.elimination import Weights


@dataclass(frozen=True, slots=True)
class Targets:
    """Where forecasts are wanted.

    Parameters
    ----------
    log2
        Logarithm of τ of each column there, shape (C, T).
    level
        Probability that an interval should hold.
    """

    log2: Reals
    level: float


@dataclass(frozen=True, slots=True)
class Contenders:
    """The likeliest hypotheses, L of them.

    Parameters
    ----------
    members
        Columns of each.
    has_constant
        Whether a constant is beside them, shape (L,).
    share
        Their probability, shape (L,), the sum is 1.
    """

    members: tuple[Indices, ...]
    has_constant: NDArray[np.bool_]
    share: Reals

    @classmethod
    def of(cls, contest: Contest, probability: Reals) -> "Contenders":
        """Pick them by their posterior."""
        best = likeliest(probability, ASSUMED.most_contenders)
        share = probability[best]
        return cls(
            members=tuple(map(contest.competitors.of, best.tolist())),
            has_constant=best < contest.competitors.structured,
            share=share / share.sum(),
        )


def likeliest(probability: Reals, most: int) -> Indices:
    """Return the positions of the largest probabilities, falling, none negligible."""
    top = np.flatnonzero(probability > ASSUMED.negligible * probability.max())
    if len(top) > most:
        top = top[np.argpartition(probability[top], -most)[-most:]]
    return top[np.argsort(-probability[top], kind="stable")]


def forecast(
    contest: Contest, parts: Reals, sizes: Sequence[Weights], targets: Targets
) -> Reals:
    """Return value, low and high of a series at targets, shape (T, 3).

    Parameters
    ----------
    parts
        Probability of each hypothesis under each size, shape (sizes, H).
    sizes
        How much points count under them.
    """
    if not targets.log2.shape[1]:
        return np.empty((0, 3))
    levels = (0.5, (1 - targets.level) / 2, (1 + targets.level) / 2)
    mixtures = [
        _predict(contest, Contenders.of(contest, part), weights, targets.log2).weighted(
            np.log(part.sum())
        )
        for part, weights in zip(parts, sizes, strict=True)
        if part.sum() > ASSUMED.negligible
    ]
    log = Mixture.joined(mixtures).quantiles(levels)[..., 0]
    return np.asarray(np.exp(np.minimum(log, ASSUMED.largest_log)))


def _predict(
    contest: Contest, contenders: Contenders, weights: Weights, log2_targets: Reals
) -> Mixture:
    """Fit the hypotheses again, for the covariance of their coefficients."""
    members = contenders.members
    width = 1 + max(map(len, members))
    inverse, ahead = weights.inverse, weights.ahead
    columns = np.zeros((len(members), width, len(inverse)))
    log2_target = np.full((len(members), width, log2_targets.shape[1]), -np.inf)
    columns[contenders.has_constant, 0] = inverse
    log2_target[contenders.has_constant, 0] = 0.0
    for row, columns_of in enumerate(members):
        columns[row, 1 : 1 + len(columns_of)] = contest.tau[columns_of] * inverse
        log2_target[row, 1 : 1 + len(columns_of)] = log2_targets[columns_of]
    coefficients, covariance = _solve(columns, weights)
    is_negative = coefficients[:, 0] < 0
    if is_negative.any():
        columns[is_negative, 0] = 0.0
        log2_target[is_negative, 0] = -np.inf
        coefficients, covariance = _solve(columns, weights)

    fitted = np.einsum("lk,lkn->ln", coefficients, columns)
    relative = (((1 - fitted) @ weights.root) ** 2).sum(axis=1)
    fitted = np.maximum(fitted, ASSUMED.tiny)
    misfit = weights.misfits(fitted, relative)
    energy = weights.variance * weights.freedom + misfit
    variance = (energy / (weights.freedom + len(inverse) - 1))[:, np.newaxis]
    largest = np.maximum(log2_target.max(axis=1), ASSUMED.least_log2)
    target = np.exp2(log2_target - largest[:, np.newaxis])
    value = np.maximum(np.einsum("lk,lkt->lt", coefficients, target), ASSUMED.tiny)
    toward = ahead.weights[..., 0]
    moved = target / value[:, np.newaxis]
    moved -= np.einsum("lkn,tn->lkt", columns / fitted[:, np.newaxis], toward)
    ratio = variance * np.einsum("lkt,lkj,ljt->lt", moved, covariance, moved)
    comes = np.maximum(variance * ahead.innovation[:, 0], ahead.least[:, 0])
    spread = np.log1p(ratio) + variance * ahead.known[:, 0] + comes
    log = np.log(value) + largest * np.log(2.0) - np.log(fitted) @ toward.T
    # Of one series: its axis is the last one.
    return Mixture(
        log_weight=np.log(contenders.share)[:, np.newaxis],
        mean=log.T[..., np.newaxis],
        deviation=np.sqrt(np.maximum(spread, LEAST_VARIANCE)).T[..., np.newaxis],
    )


def _solve(columns: Reals, weights: Weights) -> tuple[Reals, Reals]:
    """Return coefficients and (AᵀPA)⁻¹; columns of zeros get zeros."""
    seen = columns @ weights.root
    size = np.sqrt(np.einsum("lkn,lkn->lk", seen, seen))
    scale = np.divide(1, size, out=np.zeros_like(size), where=size > 0)
    pairs = scale[:, :, np.newaxis] * scale[:, np.newaxis]
    correlation = np.einsum("lkn,ljn->lkj", seen, seen) * pairs
    diagonal = range(correlation.shape[1])
    correlation[:, diagonal, diagonal] = 1 + ASSUMED.ridge
    covariance = np.linalg.inv(correlation) * pairs
    coefficients = np.einsum("lkj,lj->lk", covariance, seen @ weights.target)
    return coefficients, covariance
