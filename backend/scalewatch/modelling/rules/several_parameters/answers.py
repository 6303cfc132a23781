"""Answers of a contest of several parameters for one series, forecasts among them.

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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.verdict import Verdict, decide
from scalewatch.modelling.rules.evidence.log_residuals import LEAST_VARIANCE, Mixture
from scalewatch.modelling.rules.evidence.posterior import (
    RANKS,
    Prior,
    verdict_posterior,
)
from scalewatch.modelling.rules.rule import Hypothesis, Sample, adjusted_r2_of, smape
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


@dataclass(frozen=True, slots=True)
class SelectedHypothesis:
    """Hypothesis selected for one series, with its posterior and forecasts.

    Parameters
    ----------
    hypothesis
        The likeliest.
    coefficients
        Its c₀ … c_K.
    quality
        Adjusted R² and SMAPE, shape (2,).
    growths, probability
        The likeliest leading-order terms and their posterior, at most `listed`.
    verdicts
        Posterior of match, approximate and mismatch, zeros without an expectation.
    forecasts
        Value, low and high at each target, shape (targets, 3).
    """

    hypothesis: Hypothesis
    coefficients: Reals
    quality: Reals
    growths: tuple[Growth, ...]
    probability: Reals
    verdicts: Reals
    forecasts: Reals

    def times(self, size: float) -> "SelectedHypothesis":
        """Return it in another unit."""
        return replace(
            self,
            coefficients=self.coefficients * size,
            forecasts=self.forecasts * size,
        )


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions of a sample to a contest.

    Parameters
    ----------
    contest
        The hypotheses.
    growths
        Leading-order terms, the columns of the contest and the constant, C + 1.
    prior
        Of each growth, and the verdict it would mean.
    log_prior
        Of each hypothesis, shape (H,).
    log2_scale
        Logarithm of what each column was divided by, shape (C,).
    targets
        Where forecasts are wanted.
    """

    contest: Contest
    growths: tuple[Growth, ...]
    prior: Prior
    log_prior: Reals
    log2_scale: Reals
    targets: Targets

    @classmethod
    def of(cls, sample: Sample, contest: Contest) -> "Questions":
        """Read them from a sample."""
        growths = (*contest.columns, CONSTANT)
        share = contest.share(sample.noise.shapes)
        usual = contest.by_growth(share)
        prior = Prior.given(usual, growths, sample.expectation, sample.deviation_limit)
        change = np.ones(len(growths))
        np.divide(prior.share, usual, out=change, where=usual > 0)
        at_targets = np.zeros((len(contest.columns), len(sample.targets)))
        for place, target in enumerate(sample.targets):
            at_targets[:, place] = contest.log2_at(target) - contest.log2_scale()
        return cls(
            contest=contest,
            growths=growths,
            prior=prior,
            log_prior=np.log(share) + np.log(change)[contest.competitors.leading],
            log2_scale=contest.log2_scale(),
            targets=Targets(at_targets, sample.level),
        )

    def answer(self, sizes: Sequence[Weights]) -> SelectedHypothesis:
        """Return what is found about a series under all sizes of its discrepancy."""
        contest = self.contest
        weighed = [contest.weigh(each) for each in sizes]
        scores = np.stack(
            [of.score + each.log_share for of, each in zip(weighed, sizes, strict=True)]
        )
        beliefs = scores + self.log_prior
        parts = np.exp(beliefs - beliefs.max())
        parts /= parts.sum()
        by_growth = contest.by_growth(parts.sum(axis=0))
        verdicts = verdict_posterior(by_growth[np.newaxis], self.prior)
        structured = np.arange(parts.shape[1]) < self.contest.competitors.structured
        is_sum = parts[:, structured].sum() < 1 / 2
        score = np.logaddexp.reduce(scores)
        chosen = self._chosen(np.where(structured == is_sum, -np.inf, score), verdicts)
        heaviest = int(scores[:, chosen].argmax())
        members = contest.competitors.of(chosen)
        constant, *factors = weighed[heaviest].coefficients(chosen)
        fitted = constant + factors @ contest.tau[members]
        listed = likeliest(by_growth, ASSUMED.listed)
        hypothesis, coefficients = self._model(
            members, np.append(constant, factors * np.exp2(-self.log2_scale[members]))
        )
        actual = 1 / sizes[heaviest].inverse[:, np.newaxis]
        predicted = fitted[:, np.newaxis]
        return SelectedHypothesis(
            hypothesis=hypothesis,
            coefficients=coefficients,
            quality=np.concatenate(
                [
                    adjusted_r2_of(actual, predicted, len(members)),
                    smape(actual, predicted),
                ]
            ),
            growths=tuple(self.growths[each] for each in listed.tolist()),
            probability=by_growth[listed],
            verdicts=np.zeros(3) if verdicts is None else verdicts[0],
            forecasts=forecast(contest, parts, sizes, self.targets),
        )

    def _model(self, members: Indices, coefficients: Reals) -> tuple[Hypothesis, Reals]:
        """Return a constant and terms, a column of ones among them, as a hypothesis."""
        constant, *factors = coefficients.tolist()
        parts: dict[Growth, float] = {}
        for member, factor in zip(members.tolist(), factors, strict=True):
            parts[self.growths[member]] = factor
        constant += parts.pop(CONSTANT, 0.0)
        return tuple(parts), np.array([constant, *parts.values()])

    def _chosen(self, score: Reals, verdicts: Reals | None) -> int:
        """Return the best hypothesis, of those with the verdict if it is settled."""
        if verdicts is None or self.prior.ranks is None:
            return int(score.argmax())
        shares = dict(zip(RANKS, verdicts[0].tolist(), strict=True))
        verdict = decide(shares, self.targets.level)
        if verdict is Verdict.UNDECIDED:
            return int(score.argmax())
        ranks = self.prior.ranks[self.contest.competitors.leading]
        return int(np.where(ranks == RANKS.index(verdict), score, -np.inf).argmax())
