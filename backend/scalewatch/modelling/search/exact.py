"""Findings about exact counts: formula, verdict and forecasts of one series each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.counts import (
    Counts,
    Outcome,
    exponents,
    outlook,
    separating_setting,
)
from scalewatch.modelling.exact_counts.exactness import independent_of, without
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.growths.verdict import Verdict, decide, judge
from scalewatch.modelling.misfit import ExponentInterval
from scalewatch.modelling.rules.rule import adjusted_r2_of, smape
from scalewatch.modelling.search.finding import (
    Candidate,
    Exactness,
    Finding,
    Forecast,
)
from scalewatch.modelling.search.findings import is_told
from scalewatch.reasons import NO_EXPECTATION, NoFormula, PossibleFormulas

EXACT = "exact"
"""Name of the rule."""


@dataclass(frozen=True, slots=True)
class ExactQuestion:
    """Question about series of exact counts.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,).
    expectation, deviation_limit
        E and D where given, both or none.
    targets
        Where forecasts are wanted.
    level
        Probability that settles a growth and a verdict.
    """

    settings: Mapping[str, Reals]
    expectation: Growth | None
    deviation_limit: Growth | None
    targets: Sequence[Mapping[str, float]]
    level: float

    def answer(self, y: Reals, repetitions: int) -> Finding:
        """Return the finding about counts, shape (n,).

        A parameter on which they do not depend takes no part in the search.
        """
        idle = independent_of(self.settings, y)
        expected = self.expectation.parameters if self.expectation else ()
        left = [name for name in self.settings if name not in idle]
        question, rows = self, np.arange(len(y))
        if idle and left and not set(expected) & set(idle):
            settings, rows = without(self.settings, idle)
            question = replace(self, settings=settings)
        return replace(
            question._about(y[rows], repetitions, idle),  # noqa: SLF001 - its own
            points=len(y),
        )

    def _about(self, y: Reals, repetitions: int, idle: tuple[str, ...]) -> Finding:
        counts = Counts.of(self.settings, y)
        outcome = counts.outcome(self.level)
        model = None if outcome is Outcome.NONE else counts.formulas[0].model
        interval = exponents(counts)
        probability = self._verdict_probability(counts)
        verdict = self._verdict(probability, counts.unexplained)
        if model is None:
            verdict, probability = self._verdict_by_exponent(interval), {}
        fit = error = None
        if model is not None:
            fitted = np.broadcast_to(model(self.settings), y.shape)
            pair = y[:, np.newaxis], fitted[:, np.newaxis]
            r2, error = adjusted_r2_of(*pair, len(model.terms))[0], smape(*pair)[0]
            fit = None if np.isnan(r2) else float(r2)
        return Finding(
            model=model,
            growth=model.growth if model else None,
            points=len(y),
            repetitions=repetitions,
            adjusted_r2=fit,
            smape=None if error is None else float(error),
            class_probability=counts.class_probability,
            expectation=self.expectation,
            deviation_limit=self.deviation_limit,
            divergence=self._divergence(model),
            verdict=verdict,
            verdict_probability=probability,
            forecasts=self._forecasts(counts),
            reason=self._reason(counts, outcome, verdict, interval),
            rule=EXACT,
            unexplained=counts.unexplained,
            exactness=Exactness(
                outcome=outcome,
                candidates=_candidates(counts),
                separating=separating_setting(counts)
                if outcome is Outcome.AMBIGUOUS
                else None,
                excepted=_excepted(counts, self.settings),
                independent=idle,
            ),
        )

    def _divergence(self, model: Model | None) -> Growth | None:
        if model is None or self.expectation is None:
            return None
        return model.growth / self.expectation

    def _verdict_probability(self, counts: Counts) -> dict[Verdict, float]:
        if self.expectation is None or self.deviation_limit is None:
            return {}
        shares = dict.fromkeys(
            (Verdict.MATCH, Verdict.APPROXIMATE, Verdict.MISMATCH), 0.0
        )
        for growth, share in counts.class_probability.items():
            shares[judge(growth, self.expectation, self.deviation_limit)] += share
        return shares

    def _verdict(
        self, probability: Mapping[Verdict, float], unexplained: float
    ) -> Verdict:
        """Settle the verdict; what no formula explains may be anything."""
        if not probability:
            return Verdict.UNDECIDED
        verdict = decide(probability, self.level)
        doubt = probability[Verdict.MISMATCH] + unexplained
        if verdict is not Verdict.MISMATCH and doubt > 1 - self.level:
            return Verdict.UNDECIDED
        return verdict

    def _verdict_by_exponent(self, interval: ExponentInterval | None) -> Verdict:
        """Settle it where the local exponent alone does."""
        if interval is None or self.expectation is None or self.deviation_limit is None:
            return Verdict.UNDECIDED
        ((_, x),) = self.settings.items()
        return interval.verdict(self.expectation, self.deviation_limit, (x[-2], x[-1]))

    def _forecasts(self, counts: Counts) -> tuple[Forecast, ...]:
        if not self.targets:
            return ()
        targets = {
            name: np.array([target[name] for target in self.targets])
            for name in self.settings
        }
        with np.errstate(over="ignore", invalid="ignore"):
            bounds = outlook(counts, targets)
        if bounds is None:
            return ()
        return tuple(
            Forecast(at, value, low, high, self.level)
            for at, (value, low, high) in zip(
                self.targets, bounds.T.tolist(), strict=True
            )
            if np.isfinite([value, low, high]).all() and is_told((value, low, high))
        )

    def _reason(
        self,
        counts: Counts,
        outcome: Outcome,
        verdict: Verdict,
        interval: ExponentInterval | None,
    ) -> str | None:
        if outcome is Outcome.NONE:
            bounds = None if interval is None else (interval.low, interval.high)
            return str(NoFormula(bounds))
        if outcome is Outcome.EXACT and self.expectation is None:
            return NO_EXPECTATION
        if outcome is Outcome.EXACT and verdict is not Verdict.UNDECIDED:
            return None
        likely = [
            (each.model.formula, each.probability)
            for each in _candidates(counts)[: ASSUMED.listed_formulas]
        ]
        is_doubtful = counts.unexplained > 1 - self.level
        unknown = counts.unexplained if is_doubtful else None
        return str(PossibleFormulas(likely, unknown))


def _excepted(
    counts: Counts, settings: Mapping[str, Reals]
) -> tuple[Mapping[str, float], ...]:
    if counts.excepted is None:
        return ()
    return ({name: float(x[counts.excepted]) for name, x in settings.items()},)


def _candidates(counts: Counts) -> tuple[Candidate, ...]:
    """Return formulas once each, whatever their coefficients leave open."""
    candidates: dict[str, Candidate] = {}
    for formula, weight in zip(counts.formulas, counts.weights.tolist(), strict=True):
        model = formula.model
        known = candidates.get(model.formula)
        share = weight + (known.probability if known else 0.0)
        candidates[model.formula] = Candidate(known.model if known else model, share)
    return tuple(
        sorted(candidates.values(), key=lambda candidate: -candidate.probability)
    )
