"""The default rule: the likeliest growth, from the scatter of the repetitions.

Robust locations of the repetitions (`measurements.location`), the evidence of each
growth under relative noise whose size the repetitions show (`laplace`), and the prior
give every growth a probability (`posterior`). The model is the likeliest growth, fitted
by relative least squares. With an expectation the verdict comes first, and the model is
the likeliest growth that has it, so that the two never contradict each other.

Where measurements fall with p although the space has only growths that rise, those of
strong scaling compete as well, see `model.frames_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Scratch, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import sizes
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.last_step import (
    last_exponents,
    level_of_mismatch,
)
from scalewatch.modelling.rules.evidence.log_residuals import at_last
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.posterior import (
    Prior,
    cautious,
    likeliest,
    posterior_of_sizes,
    verdict_posterior,
)
from scalewatch.modelling.rules.evidence.prediction import Forecaster
from scalewatch.modelling.rules.evidence.weighing import Likelihood
from scalewatch.modelling.rules.rule import Rule, Sample, Selection, adjusted_r2, smape
from scalewatch.reasons import NOT_POSITIVE

BLOCK: Final = 1000
"""Series that are weighed together: enough to make little of what a block costs, few
enough for the cache. A power of two would put all arrays at the same places of it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Growths selected for S series, and what follows from them.

    Parameters
    ----------
    chosen
        Row of the growth, shape (S,).
    coefficients
        Of a constant and the terms of its hypothesis, shape (S, 3).
    quality
        Adjusted R² and SMAPE, shape (2, S).
    probability
        Of all growths that lead, shape (G, S).
    forecasts
        Value, low and high, shape (S, T, 3).
    exponents
        Bounds of the local exponent at the last settings, shape (S, 2).
    """

    chosen: Indices
    coefficients: Reals
    quality: Reals
    probability: Reals
    forecasts: Reals
    exponents: Reals | None


@dataclass(frozen=True, slots=True)
class Likeliest:
    """H curves that compete.

    Parameters
    ----------
    hypotheses
        The curves.
    prior
        Of the curves.
    of_growths
        Of the growths that lead them.
    forecaster
        None without targets.
    sample
        What is asked.
    """

    hypotheses: Hypotheses
    prior: Prior
    of_growths: Prior
    forecaster: Forecaster | None
    sample: Sample

    @classmethod
    def of(cls, sample: Sample, hypotheses: Hypotheses) -> "Likeliest":
        """Return the curves that compete for a sample, with their priors."""
        expected = sample.expectation, sample.deviation_limit
        prior = Prior.among(hypotheses, sample.noise.shapes, *expected)
        growths = hypotheses.leading
        forecaster = None
        if sample.targets:
            forecaster = Forecaster.of(
                hypotheses, prior, sample.settings, sample.targets
            )
        return cls(
            hypotheses=hypotheses,
            prior=prior,
            of_growths=Prior.given(np.ones(len(growths)), growths, *expected),
            forecaster=forecaster,
            sample=sample,
        )

    def choose(self, location: Location, noise: Noise, scratch: Scratch) -> Choice:
        """Choose for as many series as the scratch is made for."""
        hypotheses = self.hypotheses
        settings, level = self.sample.settings, self.sample.level
        locations = sizes(location, settings, noise)
        weighed = hypotheses.weigh_sizes(locations, noise, scratch)
        parts, heaviest = posterior_of_sizes(locations, weighed, self.prior)
        probability = total(parts)
        by_growth = hypotheses.by_growth(probability)
        variance = np.choose(
            heaviest,
            [
                Likelihood.of(at, noise).variance(each.misfit)
                for at, each in zip(locations, weighed, strict=True)
            ],
        )
        exponents = last_exponents(settings, location, variance)
        constant = int(hypotheses.leads[hypotheses.constant])
        growth = likeliest(
            cautious(by_growth, constant, exponents),
            self.of_growths,
            verdict_posterior(by_growth.T, self.of_growths),
            level,
            level_of_mismatch(exponents, self.sample),
        )
        chosen = self._likeliest_of(growth, probability)
        coefficients = np.stack([each.coefficients(chosen) for each in weighed])
        model, fitted = self._centred(
            coefficients[heaviest, :, np.arange(len(chosen))].T,
            chosen,
            locations,
            heaviest,
        )
        forecasts = np.zeros((len(chosen), 0, 3))
        if self.forecaster:
            forecasts = self.forecaster.forecasts(
                locations,
                noise,
                [each.fits for each in weighed],
                level,
            )
        for curves in weighed:
            curves.give_back(scratch)
        contributions = hypotheses.contributions[chosen]
        return Choice(
            chosen=chosen,
            coefficients=model[0, :, np.newaxis] * contributions[:, 0]
            + model[1, :, np.newaxis] * contributions[:, 1],
            quality=self._quality(fitted, chosen, location),
            probability=by_growth,
            forecasts=forecasts,
            exponents=exponents,
        )

    def _likeliest_of(self, growth: Indices, probability: Reals) -> Indices:
        """Return the likeliest curve of each selected growth, shape (S,)."""
        curves = self.hypotheses.of_leading[:, growth]
        series = np.arange(len(growth))
        among = probability.take(curves * len(growth) + series)
        return np.asarray(curves[among.argmax(axis=0), series])

    def _centred(
        self,
        model: Reals,
        chosen: Indices,
        locations: Sequence[Location],
        heaviest: Indices,
    ) -> tuple[Reals, Reals]:
        """Return the models as forecasts run at the last setting, in logarithms.

        Of a curve that departs from its growth that is near the last measurement, from
        which it goes on, and a reader asks for what lies there and beyond; of one that
        does not it is the middle of all.

        Relative least squares pays at most 1 for any point far above the curve, so
        that a growth which fits badly would lie below nearly all of its measurements.
        With them come the values at the settings of the curve through their middle,
        shape (n, S): how well it explains them is asked of its shape.

        Parameters
        ----------
        model
            c₀ and c₁, shape (2, S).
        chosen
            Which curve, shape (S,).
        locations, heaviest
            Under each size of the discrepancy, and the likeliest size, shape (S,).
        """
        curves = self.hypotheses.curves
        fitted: Reals = model[0] + model[1] * curves.tau[chosen].T
        if curves.base is not None:
            fitted *= curves.base[chosen].T
        log = np.log(fitted, out=np.full_like(fitted, np.nan), where=fitted > 0)
        left = locations[0].log - log  # log p is 0 at p = 1
        of_sizes = [at_last(each, self.sample.settings, left) for each in locations]
        factor = np.exp(np.choose(heaviest, of_sizes))
        even = replace(locations[0], precision=None)
        middle = np.exp(at_last(even, self.sample.settings, left))
        return model * factor, fitted * middle

    def _quality(self, fitted: Reals, chosen: Indices, location: Location) -> Reals:
        """Return adjusted R², NaN for a constant, and SMAPE, shape (2, S)."""
        actual = np.exp(location.log)
        variation = total((actual - total(actual) / len(actual)) ** 2)
        residual = total((actual - fitted) ** 2)
        unexplained = np.ones_like(variation)
        np.divide(residual, variation, out=unexplained, where=variation > 0)
        fit = adjusted_r2(1 - unexplained, len(actual), terms=1)
        fit[chosen == self.hypotheses.constant] = np.nan
        return np.stack([fit, smape(actual, fitted)])


def select(sample: Sample) -> Selection:
    """Select for each series the likeliest growth."""
    noise = sample.noise
    if sample.summary != EVIDENCE.summary:
        noise = replace(noise, summary=sample.summary, level=None)
    is_positive = ~(sample.values <= 0).any(axis=(1, 2))
    blocks = [
        (rows, located(sample.values[_place(rows)], noise))
        for rows in _blocks(np.flatnonzero(is_positive))
    ]
    falling: list[Indices] = []
    if sample.may_fall:
        falling = [rows[falls(location)] for rows, location in blocks]
    may_fall = any(map(len, falling))
    rising = Likeliest.of(sample, Hypotheses.of(sample.space, sample.settings))
    competing = rising
    if may_fall:
        more = Hypotheses.of(sample.space, sample.settings, may_fall=True)
        competing = Likeliest.of(sample, more)
    choices = _Choices.empty(len(sample.values), competing, len(sample.targets))
    scratch = rising.hypotheses.scratch(BLOCK)
    for rows, location in blocks:
        if len(rows) < BLOCK:
            scratch = rising.hypotheses.scratch(len(rows))
        choices.put(rows, rising.choose(location, noise, scratch))
    if may_fall:
        for rows in _blocks(np.concatenate(falling)):
            location = located(sample.values[rows], noise)
            scratch = competing.hypotheses.scratch(len(rows))
            choices.put(rows, competing.choose(location, noise, scratch))
    return choices.selection(competing, np.flatnonzero(~is_positive))


@dataclass(frozen=True, slots=True)
class _Choices:
    """Choices for all series of a sample, see `Choice`."""

    chosen: Indices
    coefficients: Reals
    quality: Reals
    probability: Reals
    forecasts: Reals
    exponents: Reals

    @classmethod
    def empty(cls, series: int, competing: Likeliest, targets: int) -> "_Choices":
        return cls(
            chosen=np.full(series, -1),
            coefficients=np.zeros((series, 3)),
            quality=np.full((2, series), np.nan),
            probability=np.zeros((len(competing.hypotheses.leading), series)),
            forecasts=np.zeros((series, targets, 3)),
            exponents=np.tile([-np.inf, np.inf], (series, 1)),
        )

    def put(self, rows: Indices, choice: Choice) -> None:
        """Enter the choice for some series."""
        place = _place(rows)
        self.chosen[place] = choice.chosen
        self.coefficients[place] = choice.coefficients
        self.quality[:, place] = choice.quality
        self.probability[: len(choice.probability), place] = choice.probability
        self.forecasts[place] = choice.forecasts
        if choice.exponents is not None:
            self.exponents[place] = choice.exponents

    def selection(self, competing: Likeliest, refused: Indices) -> Selection:
        """Return the answer of the rule."""
        return Selection(
            hypotheses=competing.hypotheses.terms,
            leading=competing.hypotheses.leading,
            chosen=self.chosen,
            coefficients=self.coefficients,
            adjusted_r2=self.quality[0],
            smape=self.quality[1],
            hypothesis_probability=self.probability.T,
            verdict_probability=verdict_posterior(
                self.probability.T, competing.of_growths
            ),
            forecasts=self.forecasts if competing.forecaster else None,
            exponents=self.exponents,
            reasons=dict.fromkeys(refused.tolist(), NOT_POSITIVE),
        )


def _blocks(rows: Indices) -> list[Indices]:
    """Return rows that are weighed together."""
    return [rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK)]


def _place(rows: Indices) -> Indices | slice:
    """Return rows as a slice, which copies less, where each follows the other."""
    is_run = len(rows) and rows[-1] - rows[0] == len(rows) - 1
    return slice(rows[0], rows[-1] + 1) if is_run else rows


EVIDENCE = Rule("evidence", summary="robust", auto_space="both", select=select)
"""The likeliest growth, from the scatter of the repetitions."""
