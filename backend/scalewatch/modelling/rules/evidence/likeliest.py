"""The likeliest growth of several bases, for blocks of series."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Scratch, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.misfit import Misfits
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.prediction import Forecaster
from scalewatch.modelling.rules.evidence.prior import (
    Prior,
    caution_of,
    likeliest,
    posterior,
)
from scalewatch.modelling.rules.quality import adjusted_r2, smape
from scalewatch.modelling.rules.rule import Sample


@dataclass(frozen=True, slots=True)
class Choice:
    """What is found about S series.

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
    misfits
        How far the series lie from all growths; None where settings cannot tell.
    """

    chosen: Indices
    coefficients: Reals
    quality: Reals
    probability: Reals
    forecasts: Reals
    misfits: Misfits | None


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
    level
        Probability that settles a verdict and that an interval holds.
    settings
        Where series were measured.
    beyond
        How many times as large as the largest setting the targets are, by parameter,
        shape (T,).
    """

    hypotheses: Hypotheses
    prior: Prior
    of_growths: Prior
    forecaster: Forecaster | None
    level: float
    settings: Mapping[str, Reals]
    beyond: Mapping[str, Reals]

    @classmethod
    def of(cls, sample: Sample, hypotheses: Hypotheses) -> "Likeliest":
        """Return curves that are to be asked about a sample."""
        question = sample.expectation, sample.deviation_limit
        prior = Prior.among(hypotheses, sample.noise.shapes, *question)
        growths = hypotheses.leading
        forecaster = None
        if sample.targets:
            in_forecasts = Prior.of_forecasts(
                hypotheses, sample.noise.shapes, *question
            )
            forecaster = Forecaster.of(
                hypotheses, in_forecasts, sample.settings, sample.targets
            )
        return cls(
            hypotheses=hypotheses,
            prior=prior,
            of_growths=Prior.given(np.ones(len(growths)), growths, *question),
            forecaster=forecaster,
            level=sample.level,
            settings=sample.settings,
            beyond=sample.beyond(),
        )

    def choose(self, location: Location, noise: Noise, scratch: Scratch) -> Choice:
        """Choose for as many series as the scratch is made for."""
        weighed = self.hypotheses.weigh(location, noise, scratch)
        probability = posterior(weighed.log_evidence, self.prior)
        by_growth = self.hypotheses.by_growth(probability)
        caution = caution_of(noise, self._excess(weighed.misfit, location))
        chosen = self._chosen(probability, by_growth, caution)
        coefficients = weighed.coefficients(chosen)
        model, fitted = self._centred(coefficients, chosen, location)
        forecasts = np.zeros((len(chosen), 0, 3))
        if self.forecaster:
            forecasts = self.forecaster.forecasts(
                location,
                noise,
                weighed.fits,
                self.level,
                self.hypotheses.leads[chosen],
            )
        misfits = self._misfits(weighed.misfit, location, noise)
        if misfits is not None:
            misfits.widen(forecasts, self.beyond)
        weighed.give_back(scratch)
        return Choice(
            chosen=chosen,
            coefficients=self._coefficients(model, chosen),
            quality=self._quality(fitted, chosen, location),
            probability=by_growth,
            forecasts=forecasts,
            misfits=misfits,
        )

    def _excess(self, least: Reals, location: Location) -> Reals | None:
        """Return how far series that rise lie from all curves, without expectation."""
        if self.prior.ranks is not None or self.hypotheses.falling:
            return None
        return np.asarray(least / (total(location.weight) * location.variance))

    def _chosen(self, probability: Reals, by_growth: Reals, caution: Reals) -> Indices:
        """Return the likeliest curve of the likeliest growth, shape (S,)."""
        hypotheses = self.hypotheses
        growth = likeliest(
            by_growth,
            self.of_growths,
            self.level,
            int(hypotheses.leads[hypotheses.constant]),
            caution,
        )
        curves = hypotheses.of_leading[:, growth]
        series = np.arange(len(growth))
        among = probability.take(curves * len(growth) + series)
        return np.asarray(curves[among.argmax(axis=0), series])

    def _misfits(
        self, least: Reals, location: Location, noise: Noise
    ) -> Misfits | None:
        """Test for misfit where one parameter varies above 0."""
        if len(self.settings) > 1 or min(map(np.min, self.settings.values())) <= 0:
            return None
        return Misfits.of(self.settings, location, least, noise)

    def _fitted(self, model: Reals, chosen: Indices) -> Reals:
        """Return the models at the settings, shape (n, S)."""
        curves = self.hypotheses.curves
        fitted: Reals = model[0] + model[1] * curves.tau[chosen].T
        if curves.base is not None:
            fitted *= curves.base[chosen].T
        return fitted

    def _centred(
        self, model: Reals, chosen: Indices, location: Location
    ) -> tuple[Reals, Reals]:
        """Return the models through the middle of the logarithms, as forecasts run.

        Relative least squares pays at most 1 for any point far above the curve, so
        that a growth which fits badly would lie below nearly all of its measurements.
        With them come their values at the settings, shape (n, S).
        """
        fitted = self._fitted(model, chosen)
        weight = np.where(fitted > 0, location.weight, 0)  # log p is 0 at p = 1
        logarithm = np.log(fitted, out=np.zeros_like(fitted), where=fitted > 0)
        middle = total(weight * (location.log - logarithm)) / total(weight)
        factor = np.exp(middle)
        return model * factor, fitted * factor

    def _coefficients(self, model: Reals, chosen: Indices) -> Reals:
        """Return the coefficients of a constant and of the terms, shape (S, 3)."""
        contributions = self.hypotheses.contributions[chosen]
        return np.asarray(
            model[0, :, np.newaxis] * contributions[:, 0]
            + model[1, :, np.newaxis] * contributions[:, 1]
        )

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
