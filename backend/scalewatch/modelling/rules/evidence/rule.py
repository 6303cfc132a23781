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

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Scratch, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import Departing, sizes
from scalewatch.modelling.measurements.location import Location, located
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
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
from scalewatch.modelling.rules.rule import (
    Rule,
    Sample,
    Selection,
    adjusted_r2_of,
    smape,
)
from scalewatch.reasons import NOT_POSITIVE


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

    def choose(
        self,
        location: Location,
        noise: Noise,
        scratch: Scratch,
        place: Indices | slice,
        into: Selection,
    ) -> None:
        """Choose for as many series as the scratch is made for.

        Parameters
        ----------
        place
            Rows of the selection that are written.
        """
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
        if self.forecaster and into.forecasts is not None:
            into.forecasts[place] = self.forecaster.forecasts(
                locations, noise, [each.fits for each in weighed], level
            )
        for curves in weighed:
            curves.give_back(scratch)
        contributions = hypotheses.contributions[chosen]
        into.chosen[place] = chosen
        into.coefficients[place] = (
            model[0, :, np.newaxis] * contributions[:, 0]
            + model[1, :, np.newaxis] * contributions[:, 1]
        )
        actual = np.exp(location.log)
        terms = np.where(chosen == hypotheses.constant, 0, 1)
        into.adjusted_r2[place] = adjusted_r2_of(actual, fitted, terms)
        into.smape[place] = smape(actual, fitted)
        assert into.hypothesis_probability is not None
        into.hypothesis_probability[place, : len(by_growth)] = by_growth.T
        if exponents is not None and into.exponents is not None:
            into.exponents[place] = exponents

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
        locations: Sequence[Departing],
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
        left = locations[0].log - log
        is_known = np.isfinite(left)  # log p is 0 at p = 1
        known = total(np.where(is_known, left, 0.0)) / total(is_known)
        left = np.where(is_known, left, known)
        of_sizes = [at_last(each, self.sample.settings, left) for each in locations]
        factor = np.exp(np.choose(heaviest, of_sizes))
        weight = locations[0].weight
        middle = np.exp(total(weight * left) / total(weight))
        return model * factor, fitted * middle


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
    series, leading = len(sample.values), competing.hypotheses.leading
    selection = Selection(
        hypotheses=competing.hypotheses.terms,
        leading=leading,
        chosen=np.full(series, -1),
        coefficients=np.zeros((series, 3)),
        adjusted_r2=np.full(series, np.nan),
        smape=np.full(series, np.nan),
        hypothesis_probability=np.zeros((len(leading), series)).T,
        forecasts=np.zeros((series, len(sample.targets), 3))
        if sample.targets
        else None,
        exponents=np.tile([-np.inf, np.inf], (series, 1)),
        reasons=dict.fromkeys(np.flatnonzero(~is_positive).tolist(), NOT_POSITIVE),
    )
    scratch = rising.hypotheses.scratch(ASSUMED.weighed_block)
    for rows, location in blocks:
        if len(rows) < ASSUMED.weighed_block:
            scratch = rising.hypotheses.scratch(len(rows))
        rising.choose(location, noise, scratch, _place(rows), selection)
    if may_fall:
        for rows in _blocks(np.concatenate(falling)):
            location = located(sample.values[rows], noise)
            scratch = competing.hypotheses.scratch(len(rows))
            competing.choose(location, noise, scratch, rows, selection)
    assert selection.hypothesis_probability is not None
    return replace(
        selection,
        verdict_probability=verdict_posterior(
            selection.hypothesis_probability, competing.of_growths
        ),
    )


def _blocks(rows: Indices) -> list[Indices]:
    """Return rows that are weighed together."""
    return [
        rows[start : start + ASSUMED.weighed_block]
        for start in range(0, len(rows), ASSUMED.weighed_block)
    ]


def _place(rows: Indices) -> Indices | slice:
    """Return rows as a slice, which copies less, where each follows the other."""
    is_run = len(rows) and rows[-1] - rows[0] == len(rows) - 1
    return slice(rows[0], rows[-1] + 1) if is_run else rows


EVIDENCE = Rule("evidence", summary="robust", auto_space="both", select=select)
"""The likeliest growth, from the scatter of the repetitions."""
