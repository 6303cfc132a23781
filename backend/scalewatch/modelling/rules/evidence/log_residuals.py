"""Measurements about their mean logarithm, ready to be compared with any curve.

A curve f(x) = e^a·g(x) of any form is compared by its logarithm, so that its level a
drops out: with the residuals r = m - log g less their weighted mean and the precision P
of `discrepancy`, R = rᵀPr. What is known of log f at another setting is normal; what
the residuals tell about D at x* is added to the mean,

    m̄ + log g(x*) - mean log g + κᵀr,   κ = P·cov(D, D*)/s²,
    variance  E / (ν - 2) · (1/ΣP + c* - κᵀcov(D, D*) + …),

the simple kriging of D with the level unknown. The last residuals tell most, so that
a forecast goes on from the last points.

So a forecast is a mixture of normal densities. Of these the `KEPT` heaviest parts are
enough; a quantile is found by bisection of the distribution function, with Φ(z) ≈ ½ (1
+ tanh(√(2/π) (z + 0.044715 z³))), which is within 0.0002.

References
----------
N. A. C. Cressie, "Statistics for Spatial Data", 1993, section 3.4 (kriging with an
unknown mean).
D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415 (Φ).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import (
    Departing,
    covariance,
    innovation,
    logarithms_over,
)
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.weighing import Likelihood

KEPT: Final = ASSUMED.kept


@dataclass(frozen=True, slots=True)
class Mixture:
    """C normal densities for each of T targets and S series, weights in common.

    Parameters
    ----------
    log_weight
        But for a summand per series, shape (C, S).
    mean
        Shape (T, C, S).
    deviation
        Standard deviations, shape (T, C, S).
    """

    log_weight: Reals
    mean: Reals
    deviation: Reals

    @classmethod
    def joined(cls, parts: Sequence["Mixture"]) -> "Mixture":
        """Put mixtures together whose weights are relative to each other."""
        return cls(
            np.concatenate([part.log_weight for part in parts]),
            np.concatenate([part.mean for part in parts], axis=1),
            np.concatenate([part.deviation for part in parts], axis=1),
        )

    def weighted(self, log_factor: Reals | float) -> "Mixture":
        """Return it with other weights, factors of shape (), (C, 1) or (C, S)."""
        return replace(self, log_weight=self.log_weight + log_factor)

    def heaviest(self) -> "Mixture":
        """Return the heaviest parts of each series."""
        if len(self.log_weight) <= KEPT:
            return self
        lightness = -self.log_weight.T
        kept = np.argpartition(lightness, KEPT, axis=1)[:, :KEPT].T
        return Mixture(
            np.take_along_axis(self.log_weight, kept, axis=0),
            np.take_along_axis(self.mean, kept[np.newaxis], axis=1),
            np.take_along_axis(self.deviation, kept[np.newaxis], axis=1),
        )

    def quantiles(self, levels: Sequence[float]) -> Reals:
        """Return quantiles, shape (T, len(levels), S)."""
        # Series first: a sum along the last axis does not depend on other series.
        weight = np.exp(self.log_weight - self.log_weight.max(axis=0)).T.copy()
        weight /= weight.sum(axis=1, keepdims=True)
        at_once = max(1, ASSUMED.at_once // (weight.size * len(levels)))
        starts = range(at_once, len(self.mean), at_once)
        parts = zip(
            np.split(self.mean, starts), np.split(self.deviation, starts), strict=True
        )
        return np.concatenate(
            [
                _quantiles(
                    weight,
                    mean.transpose(0, 2, 1).copy(),
                    deviation.transpose(0, 2, 1).copy(),
                    levels,
                )
                for mean, deviation in parts
            ]
        )


def _quantiles(
    weight: Reals, mean: Reals, deviation: Reals, levels: Sequence[float]
) -> Reals:
    """Return quantiles, shape (T, len(levels), S), of parts of shape (T, S, C)."""
    centre = (weight * mean).sum(axis=2, keepdims=True)
    sharpness = (math.sqrt(2 / math.pi) / deviation).astype(np.float32)
    shares = weight.astype(np.float32)
    place = (mean - centre).astype(np.float32)
    counts = weight > ASSUMED.unweighty
    lowest = np.where(counts, place - ASSUMED.farthest_normal * deviation, np.inf).min(
        axis=2
    )
    highest = np.where(
        counts, place + ASSUMED.farthest_normal * deviation, -np.inf
    ).max(axis=2)
    wanted = np.array(levels, dtype=np.float32)[:, np.newaxis]
    low, high = (
        np.repeat(end[:, np.newaxis], len(levels), axis=1) for end in (lowest, highest)
    )
    for _ in range(ASSUMED.halvings):
        middle = (low + high) / 2
        z = middle[..., np.newaxis].astype(np.float32) - place[:, np.newaxis]
        z *= sharpness[:, np.newaxis]
        z += (0.044715 * math.pi / 2) * z * z * z
        np.tanh(z, out=z)
        z *= shares
        is_above = (z.sum(axis=3) + 1) / 2 < wanted
        low = np.where(is_above, middle, low)
        high = np.where(is_above, high, middle)
    return np.asarray((low + high) / 2 + centre[..., 0][:, np.newaxis])


@dataclass(frozen=True, slots=True)
class Base:
    """Logarithms of what curves of H kinds are multiples of.

    Parameters
    ----------
    settings, targets
        Shapes (n, H, 1) and (T, H, 1).
    """

    settings: Reals
    targets: Reals


@dataclass(frozen=True, slots=True)
class Kriging:
    """Knowledge of D at T targets, in units of the variance of a location.

    Parameters
    ----------
    weights
        κ, shape (T, n, S).
    known
        Variance of D at the targets that is left, but for what comes behind the last
        setting, shape (T, S).
    level
        What the level of a curve is unsure of there, shape (T, S).
    innovation
        What comes there, shape (T, S).
    least
        The least of it, a variance, shape (T, 1).
    """

    weights: Reals
    known: Reals
    level: Reals
    innovation: Reals
    least: Reals

    @classmethod
    def of(cls, location: Departing, places: "Places", future: float) -> "Kriging":
        """Return it under one size of the discrepancy; nothing where none is known."""
        size, unit = location.size, location.variance
        at, targets = places.settings, places.targets
        beyond = targets - at.max(axis=1, keepdims=True)
        least = innovation(beyond, future if places.is_known else 0.0)[:, np.newaxis]
        cross = covariance(targets, at, size)
        # Sums whose order does not depend on the series beside.
        rows = cross.T[:, :, np.newaxis, np.newaxis]
        weights = total(map(np.multiply, rows, location.precision)) / unit
        comes = innovation(beyond, size)[:, np.newaxis] / unit
        there = np.diag(covariance(targets, targets, size))[:, np.newaxis]
        columns = zip(weights.swapaxes(0, 1), cross.T, strict=True)
        known = total(each * column[:, np.newaxis] for each, column in columns)
        left = (there - known) / unit
        left += innovation(np.zeros(1), size) / unit
        mass = total(total(location.precision))
        level = (1 - total(weights.swapaxes(0, 1).copy())) ** 2 / mass
        known = np.maximum(left - comes, LEAST_VARIANCE)
        return cls(weights, known, level, comes, least)

    def only(self, series: int) -> "Kriging":
        """Return that of one series."""
        here = slice(series, series + 1)
        return Kriging(
            self.weights[..., here],
            self.known[:, here],
            self.level[:, here],
            self.innovation[:, here],
            self.least,
        )


LEAST_VARIANCE: Final = ASSUMED.least_variance


@dataclass(frozen=True, slots=True)
class Centred:
    """Locations of n points of S series.

    Parameters
    ----------
    level
        Weighted mean of the log-locations, shape (S,).
    logs
        Log-locations less `level`, shape (n, S).
    weight, mass
        Sums of the rows of P, shape (n, S), and its sum, shape (S,).
    root
        L of P = L Lᵀ, a lower triangle, shape (n, n, S).
    level_variance
        What `level` is uncertain by besides, shape (S,).
    likelihood
        φ.
    kriging
        Of the targets.
    """

    level: Reals
    logs: Reals
    weight: Reals
    mass: Reals
    root: Reals
    level_variance: Reals
    likelihood: Likelihood
    kriging: Kriging

    @classmethod
    def of(cls, location: Departing, noise: Noise, places: "Places") -> "Centred":
        """Centre locations."""
        weight = total(location.precision)
        # A point that is missing has no precision at all.
        stacked = location.precision.transpose(2, 0, 1)
        stacked = stacked + LEAST_VARIANCE * np.eye(len(weight))
        mass = total(weight)
        level = total(weight * location.log) / mass
        return cls(
            level=level,
            logs=location.log - level,
            weight=weight,
            mass=mass,
            root=np.asarray(np.linalg.cholesky(stacked)).transpose(1, 2, 0),
            level_variance=location.level_variance,
            likelihood=Likelihood.of(location, noise),
            kriging=Kriging.of(location, places, noise.future),
        )

    def mean(self, curves: Reals) -> Reals:
        """Return the weighted mean of logarithms, shape (n, …, S), over the points."""
        pairs = zip(self.weight, curves, strict=True)
        return total(weight * curve for weight, curve in pairs) / self.mass

    def square(self, rows: Reals) -> Reals:
        """Return rᵀPr of rows, shape (n, …, S)."""
        columns = enumerate(self.root.transpose(1, 0, 2))
        return total(
            total(map(np.multiply, column[k:], rows[k:])) ** 2 for k, column in columns
        )

    def left(self, curves: Reals, mean: Reals) -> Reals:
        """Return what curves, shape (n, …, S), leave of the logarithms."""
        shape = (len(self.logs), *[1] * (curves.ndim - 2), len(self.level))
        return np.asarray(self.logs.reshape(shape) - (curves - mean))

    def mixture(
        self,
        curves: Reals,
        targets: Reals,
        log_weight: Reals,
        base: Base | None = None,
    ) -> Mixture:
        """Return what curves say about targets.

        Parameters
        ----------
        curves
            log g at the settings, shape (n, …, S), over a base.
        targets
            log g at the targets, shape (T, …, S), over it.
        log_weight
            Of each curve before it is compared, shape (…, S).
        base
            Of the last kinds but for the series, shape (…, H, S); none is constant.
        """
        series = len(self.level)
        if base is not None:
            curves = curves + base.settings[:, np.newaxis]
            targets = targets + base.targets[:, np.newaxis]
        mean = self.mean(curves)
        left = self.left(curves, mean)
        phi, energy = self.phi(self.square(left))
        unit = (energy / (self.likelihood.freedom - 2)).reshape(1, -1, series)
        place = (self.level + targets - mean).reshape(len(targets), -1, series)
        kriging = self.kriging
        left = left.reshape(len(left), -1, series)
        for column, residual in zip(kriging.weights.swapaxes(0, 1), left, strict=True):
            place += column[:, np.newaxis] * residual
        comes = unit * kriging.innovation[:, np.newaxis]
        variance = unit * (kriging.known + kriging.level)[:, np.newaxis]
        variance += np.maximum(comes, kriging.least[:, np.newaxis])
        return Mixture(
            log_weight=(log_weight + phi).reshape(-1, series),
            mean=place,
            deviation=np.sqrt(variance + self.level_variance),
        )

    def phi(self, misfit: Reals) -> tuple[Reals, Reals]:
        """Return φ and E, shape of `misfit`."""
        phi, energy = self.likelihood(misfit)
        return phi.astype(np.float64), energy.astype(np.float64)


def at_last(location: Departing, settings: Mapping[str, Reals], left: Reals) -> Reals:
    """Return what residuals say about a curve at the last setting, shape (S,).

    Parameters
    ----------
    location
        Of S series, under one size of the discrepancy.
    settings
        Where they were measured.
    left
        Logarithms of the locations less those of the curve, shape (n, S).
    """
    last = {name: x[-1:] for name, x in settings.items()}
    weight = total(location.precision)
    level = total(weight * left) / total(weight)
    (toward,) = Kriging.of(location, Places.of(settings, last), 0.0).weights
    return np.asarray(level + total(toward * (left - level)))


@dataclass(frozen=True, slots=True)
class Places:
    """Logarithms of settings and targets over the first setting, by parameter.

    Parameters
    ----------
    settings, targets
        Shapes (parameters, n) and (parameters, T); zeros where one is not positive.
    is_known
        Whether all are positive.
    """

    settings: Reals
    targets: Reals
    is_known: bool

    @classmethod
    def of(
        cls, settings: Mapping[str, Reals], targets: Mapping[str, Reals]
    ) -> "Places":
        """Take the logarithms."""
        at, beyond = (logarithms_over(settings, each) for each in (settings, targets))
        if at is not None and beyond is not None:
            return cls(at, beyond, is_known=True)
        n, wanted = (len(next(iter(each.values()))) for each in (settings, targets))
        return cls(np.zeros((1, n)), np.zeros((1, wanted)), is_known=False)
