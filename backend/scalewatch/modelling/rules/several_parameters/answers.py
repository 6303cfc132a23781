"""Answers of a contest of several parameters for one series."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.verdict import Verdict, decide
from scalewatch.modelling.rules.evidence.posterior import verdict_posterior
from scalewatch.modelling.rules.evidence.prior import RANKS, Prior
from scalewatch.modelling.rules.quality import adjusted_r2_of, smape
from scalewatch.modelling.rules.rule import Hypothesis, Sample
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.contest import Contest
from scalewatch.modelling.rules.several_parameters.elimination import Weights
from scalewatch.modelling.rules.several_parameters.intervals import (
    Targets,
    forecast,
    likeliest,
)


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
