"""Measurements about their mean logarithm, ready to be compared with any curve.

A curve f(x) = e^a·g(x) of any form is compared by its logarithm, so that its level a
drops out: with l = log g less its weighted mean, R = Σ ω (m - l)², and what is known
of log f at another setting is normal with

    mean  m̄ + log g(x*) - mean log g,   variance  E / ((ν - 2) Σ ω).

A term that settings do not show would make bounds far beyond them those of the prior:
of a cubic term of 3 % at the largest setting nothing is seen under 10 % noise, and it
is a million times the constant at 512 times that setting. So a term is *held* at its
value at the largest setting unless it changes the curve visibly, by

    z² = Σ ω (d - mean d)² / (E/ν) ≥ `SEEN`,

d the difference of log g with and without it. A bound then means: if nothing appears
that these measurements could not show.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.likelihood import Likelihood
from scalewatch.modelling.rules.evidence.mixture import Mixture

SEEN = 2.0
"""z² from which on a term is seen: √2 standard deviations."""


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
class Centred:
    """Locations of n points of S series.

    Parameters
    ----------
    level
        Weighted mean of the log-locations, shape (S,).
    logs
        Log-locations less `level`, shape (n, S).
    weight, mass
        ω, shape (n, S), and its sum over the points, shape (S,).
    level_variance
        What `level` is uncertain by besides, shape (S,).
    likelihood
        φ.
    """

    level: Reals
    logs: Reals
    weight: Reals
    mass: Reals
    level_variance: Reals
    likelihood: Likelihood

    @classmethod
    def of(cls, location: Location, noise: Noise) -> "Centred":
        """Centre locations."""
        mass = total(location.weight)
        level = total(location.weight * location.log) / mass
        return cls(
            level=level,
            logs=location.log - level,
            weight=location.weight,
            mass=mass,
            level_variance=location.level_variance,
            likelihood=Likelihood.of(location, noise),
        )

    def mean(self, curves: Reals) -> Reals:
        """Return the weighted mean of logarithms, shape (n, …, S), over the points."""
        pairs = zip(self.weight, curves, strict=True)
        return total(weight * curve for weight, curve in pairs) / self.mass

    def misfit(self, curves: Reals, mean: Reals) -> Reals:
        """Return R of the logarithms of curves, shape (n, …, S), and their `mean`."""
        return total(
            weight * (logs - (curve - mean)) ** 2
            for weight, logs, curve in zip(self.weight, self.logs, curves, strict=True)
        )

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
        whole = curves
        if base is not None:
            whole = curves + base.settings[:, np.newaxis]
        mean = self.mean(whole)
        phi, energy = self.phi(self.misfit(whole, mean))
        held = np.where(self.is_seen(curves, energy), targets, curves[-1])
        if base is not None:
            held += base.targets[:, np.newaxis]
        variance = energy / (self.likelihood.freedom - 2) / self.mass
        variance += self.level_variance
        series = len(self.level)
        return Mixture(
            log_weight=(log_weight + phi).reshape(-1, series),
            mean=(self.level + held - mean).reshape(len(targets), -1, series),
            deviation=np.sqrt(variance).reshape(-1, series),
        )

    def is_seen(self, changes: Reals, energy: Reals) -> NDArray[np.bool_]:
        """Tell which changes of logarithms, shape (n, …, S), the settings show."""
        mean = self.mean(changes)
        squares = total(
            weight * (change - mean) ** 2
            for weight, change in zip(self.weight, changes, strict=True)
        )
        return np.asarray(squares * self.likelihood.freedom >= SEEN * energy)

    def phi(self, misfit: Reals) -> tuple[Reals, Reals]:
        """Return φ and E, shape of `misfit`."""
        phi, energy = self.likelihood(misfit)
        return phi.astype(np.float64), energy.astype(np.float64)
