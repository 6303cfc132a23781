"""Holdout: the last measurement of a series, predicted from all others."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.estimators import MEASURED, located
from scalewatch.modelling.noise.conformal import deviations
from scalewatch.modelling.noise.pools import Pool
from scalewatch.modelling.rules.evidence.prediction import Forecaster, TargetDensities
from scalewatch.modelling.rules.evidence.prior import Prior

FITTED: Final = 3
"""What a curve is fitted by: constant, coefficient, growth."""


@dataclass(frozen=True, slots=True)
class Endings:
    """The last measurement of S series, and what the others say about it.

    Parameters
    ----------
    outlooks
        Of blocks of series.
    place, variance
        Logarithm of the measurement, and its variance, shape (S,).
    """

    outlooks: tuple[TargetDensities, ...]
    place: Reals
    variance: Reals

    @classmethod
    def of(cls, pool: Pool, noise: Noise) -> "Endings":
        """Forecast the last measurement of each series."""
        ((name, x),) = pool.settings.items()
        rest = pool.but_last()
        location = located(rest.values, noise)
        hypotheses = rest.hypotheses
        forecaster = Forecaster.of(
            hypotheses,
            Prior.of_forecasts(hypotheses, noise.shapes, None, None),
            rest.settings,
            [{name: float(x[-1])}],
        )
        weighed = rest.weigh(location, noise)
        actual = located(pool.values, noise)
        # Without repetitions only what fits leave tells how measurements scatter.
        left = weighed.misfit.mean() / max(len(location.log) - FITTED, 1)
        is_measured = actual.freedom >= MEASURED
        return cls(
            tuple(forecaster.outlooks(location, noise, weighed.fits)),
            place=actual.log[-1],
            variance=np.where(
                is_measured, actual.variance, np.maximum(left, actual.variance)
            ),
        )

    def likelihoods(self) -> Reals:
        """Return how likely each series is as each kind of curve, shape (kinds, S)."""
        ends = np.cumsum([len(each.kinds[0].deviation.T) for each in self.outlooks])
        found = []
        for outlook, place, variance in zip(
            self.outlooks,
            np.split(self.place, ends[:-1]),
            np.split(self.variance, ends[:-1]),
            strict=True,
        ):
            log = [kind.log_density(0, place, variance) for kind in outlook.kinds]
            found.append(np.stack(log))
        logarithm = np.hstack(found)
        return np.asarray(np.exp(logarithm - logarithm.max(axis=0)))

    def scores(self, noise: Noise, interval: float) -> Reals:
        """Return by how much each last measurement misses its forecast."""
        low, middle, high = np.concatenate(
            [each.quantiles(noise.kinds, interval) for each in self.outlooks], axis=2
        )[:, 0]
        error = self.place - middle
        reach = np.where(error > 0, high - middle, middle - low)
        scatter = deviations(noise.shares, interval) ** 2 * self.variance
        return np.asarray(np.abs(error) / np.sqrt(reach**2 + scatter))
