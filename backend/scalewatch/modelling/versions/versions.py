"""Two versions of a code, measured at the same settings, side by side.

Whether the later version grows faster, whichever growths these are, follows from the
tilt. The tilt is the slope of the logarithm of their ratio over log₂ x: with d the
logarithms at n settings of weight w and x̄ the weighted mean of log₂ x,

    slope = Σ w (log₂ x - x̄) d / Σ w (log₂ x - x̄)²,

and slope / √(v / Σ w (log₂ x - x̄)²), v the variance of a difference of weight 1,
follows Student's distribution where the versions grow alike.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from scalewatch.modelling.arrays import Indices, Reals, total
from scalewatch.modelling.measurements.location import Location, locate


@dataclass(frozen=True, slots=True)
class Versions:
    """Locations of two versions of each series, with one variance.

    Only settings at which both were measured have a weight.

    Parameters
    ----------
    before, after
        Locations at n settings.
    both
        The same one after the other, 2n points.
    """

    before: Location
    after: Location
    both: Location

    @classmethod
    def of(cls, before: Reals, after: Reals) -> "Versions":
        """Locate two versions from all their repetitions.

        Parameters
        ----------
        before, after
            Repetitions, shape (S, n, R), R may differ; positive, NaN where missing.
        """
        series, points, _ = before.shape
        values = np.full(
            (series, 2, points, max(before.shape[2], after.shape[2])), np.nan
        )
        values[:, 0, :, : before.shape[2]] = before
        values[:, 1, :, : after.shape[2]] = after
        is_missing = np.asarray(np.isnan(values).all(axis=3))
        is_missing |= is_missing[:, ::-1]
        values[is_missing] = np.nan
        both = locate(values.reshape(series, 2 * points, -1))
        return cls(_part(both, slice(points)), _part(both, slice(points, None)), both)

    @property
    def difference(self) -> Reals:
        """Logarithm of the ratio of after to before, shape (n, S)."""
        return self.after.log - self.before.log

    @property
    def weight(self) -> Reals:
        """Weight of the differences, shape (n, S)."""
        product = self.before.weight * self.after.weight
        both = self.before.weight + self.after.weight
        return np.divide(product, both, out=np.zeros_like(both), where=both > 0)

    @property
    def log_factor(self) -> Reals:
        """Mean of the differences, log κ, shape (S,)."""
        mean: Reals = total(self.weight * self.difference) / total(self.weight)
        return mean

    def only(self, series: Indices) -> "Versions":
        """Return some of the series."""
        return Versions(
            self.before.only(series), self.after.only(series), self.both.only(series)
        )

    def levelled(self) -> Location:
        """Return both, after the later version was divided by κ."""
        log = np.concatenate([self.before.log, self.after.log - self.log_factor])
        return replace(self.both, log=np.where(self.both.weight > 0, log, 0.0))


def _part(location: Location, points: slice) -> Location:
    return replace(location, log=location.log[points], weight=location.weight[points])


def tilts(
    doublings: Reals, difference: Reals, weight: Reals, variance: Reals, freedom: Reals
) -> tuple[Reals, Reals]:
    """Return the tilts, and the probabilities that they are positive, shape (S,).

    Parameters
    ----------
    doublings
        log₂ of the settings, shape (n,).
    difference, weight
        Logarithm of later over earlier version, and its weight, shape (n, S).
    variance, freedom
        Of a difference of weight 1, shape (S,); degrees of freedom are infinite where
        the variance is known.

    Returns
    -------
    tuple
        Exponents of the ratio, it doubles in 1/tilt doublings of x, and
        probabilities. Where all settings are the same: 0 and 1/2.
    """
    place = doublings[:, np.newaxis]
    centred = place - total(weight * place) / total(weight)
    spread = total(weight * centred**2)
    is_spread = spread > 0
    spread = np.where(is_spread, spread, 1.0)
    slope = total(weight * centred * difference) / spread
    slope = np.where(is_spread, slope, 0.0)
    faster: Reals = stdtr(freedom, slope / np.sqrt(variance / spread))
    return slope / np.log(2), faster
