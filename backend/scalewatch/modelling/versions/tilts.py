"""Whether a version grows faster than an earlier one, whichever growths these are.

The tilt is the slope of the logarithm of their ratio over log₂ x: with d the
logarithms at n settings of weight w and x̄ the weighted mean of log₂ x,

    slope = Σ w (log₂ x - x̄) d / Σ w (log₂ x - x̄)²,

and slope / √(v / Σ w (log₂ x - x̄)²), v the variance of a difference of weight 1,
follows Student's distribution where the versions grow alike.
"""

import numpy as np
from scipy.special import stdtr

from scalewatch.modelling.arrays import Reals, total


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
