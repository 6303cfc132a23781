"""Regression lines through times, t = a + b·k, with intervals of the coefficients.

Relative least squares over problem sizes: a time scatters in proportion to itself.
Ordinary least squares, as in the reference, gives two machines of equal slope and
intercept another intercept in a quarter to a third of all cases, where its test admits
a twentieth, if sizes double; relative ones in a twentieth. The intervals come from the
scatter about the line, lack of fit included, by Student's distribution.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 4.2.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from scalewatch.errors import TooFewSizes
from scalewatch.modelling.arrays import Reals

NEEDED_FOR_INTERVALS = 3
"""A line through two points has no scatter to learn from."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and the interval that it lies in; None where nothing tells.

    Parameters
    ----------
    value
        The estimate.
    low, high
        Bounds of the interval.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """t = a + b·k by relative least squares.

    Parameters
    ----------
    intercept, slope
        a and b.
    covariance
        Of a and b, shape (2, 2); NaN where two points leave no scatter.
    freedom
        Degrees of freedom of the scatter.
    r2
        Share of the relative variation that the line explains; 1 of none at all.
    """

    intercept: float
    slope: float
    covariance: Reals
    freedom: int
    r2: float

    def __call__(self, sizes: Reals | float) -> Reals:
        """Return the times that the line predicts."""
        return np.asarray(self.intercept + self.slope * sizes)

    def estimates(self, level: float) -> tuple[Estimate, Estimate]:
        """Return intercept and slope with their intervals."""
        errors = np.sqrt(np.diag(self.covariance)).tolist()
        return (
            estimate(self.intercept, errors[0], self.freedom, level),
            estimate(self.slope, errors[1], self.freedom, level),
        )


def fit_line(sizes: Reals, times: Reals) -> Line:
    """Fit a line.

    Parameters
    ----------
    sizes, times
        Shape (n,), all finite, times positive.

    Raises
    ------
    TooFewSizes
        If there are fewer than two different sizes.
    """
    distinct = np.unique(sizes).size
    if distinct < 2:
        raise TooFewSizes(distinct)
    weights = (times.min() / times) ** 2
    weights /= weights.sum()
    # About the mean, where intercept and slope do not depend on each other.
    middle = float(weights @ sizes)
    least = float(times.min())
    mean = least + float(weights @ (times - least))  # exact where times are equal
    spread = float(weights @ (sizes - middle) ** 2)
    slope = float(weights @ ((sizes - middle) * (times - mean))) / spread
    residuals = times - mean - slope * (sizes - middle)
    freedom = sizes.size - 2
    scatter = float(weights @ residuals**2)
    variance = scatter / freedom if freedom else np.nan
    of_slope = variance / spread
    covariance = np.array(
        [
            [variance + middle**2 * of_slope, -middle * of_slope],
            [-middle * of_slope, of_slope],
        ]
    )
    variation = float(weights @ (times - mean) ** 2)
    return Line(
        intercept=mean - slope * middle,
        slope=slope,
        covariance=covariance,
        freedom=freedom,
        r2=1 - scatter / variation if variation else 1.0,
    )


def estimate(value: float, error: float, freedom: float, level: float) -> Estimate:
    """Return an estimate with Student's interval, none where its error is unknown."""
    if not np.isfinite(error):
        return Estimate(value)
    reach = float(stdtrit(freedom, (1 + level) / 2)) * error
    return Estimate(value, value - reach, value + reach)
