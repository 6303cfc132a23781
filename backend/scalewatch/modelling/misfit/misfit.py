"""Whether any growth explains the settings, and what can be said if none does.

With R the least misfit of all curves that compete, relative and over n settings, and s²
the variance of a location with ν degrees of freedom, as repetitions tell it,

    F = R / ((n - 3) s²)

follows the F distribution with n - 3 and ν degrees of freedom where one of the curves
is right: a constant, a slope, and the choice among curves are fitted. Where the
variance has an excess λ of learned shares q_λ, the probability of a larger F is the
mean of those of F/λ.

A series is flagged where that is below `FLAGGED`. Its probabilities then keep a share
for "no growth of the space", by the bound -e·p·log p on the odds that a p-value leaves
to the null hypothesis; its intervals reach as far as the local exponents, and so does
its verdict.

References
----------
T. Sellke, M. J. Bayarri and J. O. Berger, "Calibration of p values for testing precise
null hypotheses", The American Statistician 55, 2001.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.measurements.assumptions import EXCESSES, USUAL, Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.local_exponents import ExponentInterval

FLAGGED: Final = 0.01
"""Probability of so large a misfit by chance below which a series is flagged."""

FITTED: Final = 3
"""Degrees of freedom that a curve takes: constant, slope, and the choice of it."""

NO_GROWTH: Final = 0.1
"""Prior probability that a series follows no growth of the space."""

EXPLAINED: Final = 1.0
"""F up to which repetitions explain all, however sure their variance is."""

MEASURED: Final = 2.0
"""Degrees of freedom of a variance that repetitions have shown."""

SMALLEST: Final = 1e-300
LARGEST_LOG: Final = 700.0


@dataclass(frozen=True, slots=True)
class Misfit:
    """How far the settings of a flagged series lie from every growth of the space.

    Parameters
    ----------
    ratio
        How many times as far from the best curve as repetitions explain.
    probability
        Of a larger misfit by chance.
    exponents
        Of the curve beyond the largest setting.
    """

    ratio: float
    probability: float
    exponents: ExponentInterval

    @property
    def unexplained(self) -> float:
        """Posterior that no growth of the space explains the series."""
        p = max(self.probability, SMALLEST)
        odds = NO_GROWTH / (1 - NO_GROWTH) / (-np.e * p * np.log(p))
        return float(odds / (1 + odds))

    def __str__(self) -> str:
        return (
            "no growth of the space explains the settings: they lie "
            f"{self.ratio:.2g} times as far from the best one as repetitions do"
        )


@dataclass(frozen=True, slots=True)
class Misfits:
    """Misfits of S series.

    Parameters
    ----------
    statistic, probability
        F, and that of a larger one by chance, 1 where F does not surprise, shape (S,).
    low, high
        Bounds of the exponents beyond the largest setting, shape (S,).
    last
        Logarithm of the values at the largest setting, shape (S,).
    """

    statistic: Reals
    probability: Reals
    low: Reals
    high: Reals
    last: Reals

    @classmethod
    def of(
        cls,
        settings: Mapping[str, Reals],
        location: Location,
        least: Reals,
        noise: Noise,
    ) -> "Misfits":
        """Test series against the curves that compete.

        Parameters
        ----------
        settings
            Of one parameter, positive and rising, shape (n,).
        location
            Of S series.
        least
            R, the least misfit of all curves, shape (S,).
        noise
            What is assumed of the noise.
        """
        (x,) = settings.values()
        freedom = len(x) - FITTED
        statistic = least / freedom / location.variance
        deviation = np.sqrt(
            2 * np.maximum(location.variance, least / (len(x) - 2))
        ) / np.log(x[-1] / x[-2])
        slopes = np.diff(location.log, axis=0) / np.diff(np.log(x))[:, np.newaxis]
        ends = np.stack(
            [slopes[-1], slopes[-2:].mean(axis=0), 2 * slopes[-1] - slopes[-2]]
        )
        return cls(
            statistic=statistic,
            probability=_probability(
                statistic, freedom, location.repeated_freedom, noise
            ),
            low=ends.min(axis=0) - deviation,
            high=ends.max(axis=0) + deviation,
            last=location.log[-1],
        )

    @property
    def is_flagged(self) -> NDArray[np.bool_]:
        """Which series no growth explains, shape (S,)."""
        return np.asarray(self.probability < FLAGGED)

    def one(self, row: int) -> Misfit | None:
        """Return that of a series; None unless it is flagged."""
        if self.probability[row] >= FLAGGED:
            return None
        return Misfit(
            ratio=float(np.sqrt(self.statistic[row])),
            probability=float(self.probability[row]),
            exponents=ExponentInterval(float(self.low[row]), float(self.high[row])),
        )

    def widen(self, forecasts: Reals, ratio: Reals) -> None:
        """Let forecasts of flagged series reach as far as the local exponents.

        Parameters
        ----------
        forecasts
            Value, low and high, shape (S, T, 3); overwritten.
        ratio
            How many times as large as the largest setting the targets are, shape (T,).
        """
        rows = np.flatnonzero(self.is_flagged)
        # Between the settings the curves that compete are near enough.
        beyond = np.flatnonzero(ratio > 1)
        if not len(rows) or not len(beyond):
            return
        steps = np.log(ratio[beyond])
        ends = np.stack([self.low[rows], self.high[rows]])[..., np.newaxis] * steps
        logs = np.clip(self.last[rows, np.newaxis] + ends, -LARGEST_LOG, LARGEST_LOG)
        reach = np.exp(logs)
        places = np.ix_(rows, beyond)
        low, high = forecasts[..., 1], forecasts[..., 2]
        low[places] = np.minimum(low[places], reach.min(axis=0))
        high[places] = np.maximum(high[places], reach.max(axis=0))


def _probability(
    statistic: Reals, freedom: int, measured: Reals, noise: Noise
) -> Reals:
    """Return how probable a larger F is by chance; 1 where it is not surprising."""
    # Shares that nobody learned would explain nearly any misfit.
    shares = (1.0,) if noise.shares == USUAL.shares else noise.shares
    probability = np.ones_like(statistic)
    rows = np.flatnonzero((statistic > EXPLAINED) & (measured >= MEASURED))
    probability[rows] = sum(
        share * fdtrc(freedom, measured[rows], statistic[rows] / excess)
        for excess, share in zip(EXCESSES, shares, strict=False)
    )
    return probability
