"""The likeliest growth of several bases, for blocks of series."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.columns import total
from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Indices, Reals
from scalewatch.modelling.evidence.bases import Frame, by_frame, curves_of
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.evidence import Evidence, weigh
from scalewatch.modelling.evidence.posterior import Prior, likeliest, posterior
from scalewatch.modelling.evidence.quality import adjusted_r2, smape
from scalewatch.modelling.forecasts.prediction import Forecaster
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.misfit import Misfits
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
        Of all growths, shape (H, S).
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
    """H growths that compete.

    Parameters
    ----------
    frames
        Of the growths.
    prior
        Of the growths.
    forecaster
        None without targets.
    level
        Probability that settles a verdict and that an interval holds.
    curves
        All of them.
    log2_scale, places
        Of all frames, see `Frame`, shape (H, 2).
    settings
        Where series were measured.
    beyond
        How many times as large as the largest setting the targets are, shape (T,).
    """

    frames: tuple[Frame, ...]
    prior: Prior
    forecaster: Forecaster | None
    level: float
    curves: ScaledCurves
    log2_scale: Reals
    places: Indices
    settings: Mapping[str, Reals]
    beyond: Reals

    @classmethod
    def of(cls, sample: Sample, frames: tuple[Frame, ...]) -> "Likeliest":
        """Return the growths of some frames, to be asked about a sample."""
        prior = Prior.among(frames, sample.expectation, sample.deviation_limit)
        forecaster = None
        if sample.targets:
            forecaster = Forecaster.of(frames, prior, sample.settings, sample.targets)
        return cls(
            frames=frames,
            prior=prior,
            forecaster=forecaster,
            level=sample.level,
            curves=curves_of(frames),
            log2_scale=np.concatenate([frame.log2_scale for frame in frames]),
            places=np.concatenate([frame.places for frame in frames]),
            settings=sample.settings,
            beyond=_beyond(sample),
        )

    def scratch(self, series: int) -> Scratch:
        """Return what `choose` needs for so many series."""
        return Scratch((len(self.curves), series))

    def choose(self, location: Location, noise: Noise, scratch: Scratch) -> Choice:
        """Choose for as many series as the scratch is made for."""
        weighed = weigh(self.curves, location, noise, scratch)
        probability = posterior(weighed.log_evidence, self.prior)
        chosen = likeliest(probability, self.prior, self.level, self.frames[0].alone)
        model = self._centred(_picked(weighed, chosen), chosen, location)
        forecasts = np.zeros((len(chosen), 0, 3))
        if self.forecaster:
            ratios = by_frame(self.frames, weighed.fit.ratio)
            forecasts = self.forecaster.forecasts(location, noise, ratios, self.level)
        misfits = self._misfits(weighed.fit.misfit.min(axis=0), location, noise)
        if misfits is not None:
            misfits.widen(forecasts, self.beyond)
        scratch.take_back(weighed.log_evidence, *weighed.fit.arrays)
        return Choice(
            chosen=chosen,
            coefficients=self._coefficients(model, chosen),
            quality=self._quality(model, chosen, location),
            probability=probability,
            forecasts=forecasts,
            misfits=misfits,
        )

    def _misfits(
        self, least: Reals, location: Location, noise: Noise
    ) -> Misfits | None:
        """Test for misfit where one parameter varies above 0."""
        if len(self.settings) > 1 or min(map(np.min, self.settings.values())) <= 0:
            return None
        return Misfits.of(self.settings, location, least, noise)

    def _fitted(self, model: Reals, chosen: Indices) -> Reals:
        """Return the models at the settings, shape (n, S)."""
        fitted: Reals = model[0] + model[1] * self.curves.tau[chosen].T
        if self.curves.base is not None:
            fitted *= self.curves.base[chosen].T
        return fitted

    def _centred(self, model: Reals, chosen: Indices, location: Location) -> Reals:
        """Return the models through the middle of the logarithms, as forecasts run.

        Relative least squares pays at most 1 for any point far above the curve, so
        that a growth which fits badly would lie below nearly all of its measurements.
        """
        fitted = self._fitted(model, chosen)
        weight = np.where(fitted > 0, location.weight, 0)  # log p is 0 at p = 1
        logarithm = np.log(fitted, out=np.zeros_like(fitted), where=fitted > 0)
        middle = total(weight * (location.log - logarithm)) / total(weight)
        centred: Reals = model * np.exp(middle)
        return centred

    def _coefficients(self, model: Reals, chosen: Indices) -> Reals:
        """Return the coefficients of a constant and of the terms, shape (S, 3)."""
        scaled = model.T * np.exp2(-self.log2_scale[chosen])
        coefficients = np.zeros((len(chosen), 3))
        series = np.arange(len(chosen))
        for column, places in zip(scaled.T, self.places[chosen].T, strict=True):
            coefficients[series, places] += column
        return coefficients

    def _quality(self, model: Reals, chosen: Indices, location: Location) -> Reals:
        """Return adjusted R², NaN for a constant, and SMAPE, shape (2, S)."""
        actual, fitted = np.exp(location.log), self._fitted(model, chosen)
        variation = total((actual - total(actual) / len(actual)) ** 2)
        residual = total((actual - fitted) ** 2)
        unexplained = np.ones_like(variation)
        np.divide(residual, variation, out=unexplained, where=variation > 0)
        fit = adjusted_r2(1 - unexplained, len(actual), terms=1)
        fit[chosen == self.frames[0].alone] = np.nan
        return np.stack([fit, smape(actual, fitted)])


def _beyond(sample: Sample) -> Reals:
    """Return how many times as large as the largest setting targets are."""
    (name, x), *several = sample.settings.items()
    if several:
        return np.ones(len(sample.targets))
    targets = np.array([target[name] for target in sample.targets])
    return np.asarray(np.maximum(targets, 0) / x[-1])


def _picked(weighed: Evidence, chosen: Indices) -> Reals:
    """Return c₀ and c₁ of the chosen growths, shape (2, S)."""
    series, fit = np.arange(len(chosen)), weighed.fit
    relative = np.stack([fit.constant[chosen, series], fit.slope[chosen, series]])
    return relative * np.exp(weighed.level)
