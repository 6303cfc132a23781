"""Regression lines through times, t = a + b·k, and two of them compared.

Relative least squares over problem sizes: a time scatters in proportion to itself.
Ordinary least squares, as in the reference, gives two machines of equal slope and
intercept another intercept in a quarter to a third of all cases, where its test admits
a twentieth, if sizes double; relative ones in a twentieth. The intervals come from the
scatter about the line, lack of fit included, by Student's distribution.

Of two lines the coefficients are compared, and their crossing is located. Their scatter
need not be the same (Welch); the crossing is a ratio of two estimates, whose interval
is Fieller's.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 4.2.
B. L. Welch, "The Generalization of 'Student's' Problem when Several Different
Population Variances are Involved", Biometrika 34, 1947. E. C. Fieller, "Some Problems
in Interval Estimation", Journal of the Royal Statistical Society B 16, 1954.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from scalewatch.errors import TooFewSizes
from scalewatch.modelling.arrays import Reals


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


@dataclass(frozen=True, slots=True)
class CoefficientDifference:
    """A difference of two coefficients.

    Parameters
    ----------
    estimate
        First less second.
    p_value
        Probability of a larger difference by chance; NaN where two points leave no
        scatter to tell it from.
    """

    estimate: Estimate
    p_value: float


def coefficient_differences(
    line: Line, other: Line, level: float
) -> tuple[CoefficientDifference, CoefficientDifference]:
    """Return those of intercepts and slopes; their scatter need not be the same."""
    values = (line.intercept - other.intercept, line.slope - other.slope)
    differences = [
        _difference(
            value, line.covariance[i, i], other.covariance[i, i], (line, other), level
        )
        for i, value in enumerate(values)
    ]
    return differences[0], differences[1]


def equality(line: Line, other: Line) -> float:
    """Return the probability of lines so far apart by chance; NaN where nothing tells.

    Both coefficients are compared at once: lines that differ by a level only may
    differ in neither of them by itself.
    """
    difference = np.array([line.intercept - other.intercept, line.slope - other.slope])
    if not difference.any():
        return 1.0
    covariance = line.covariance + other.covariance
    freedom = _welch(line.covariance[1, 1], other.covariance[1, 1], line, other)
    if np.isnan(freedom):
        return 0.0 if not covariance.any() else np.nan
    # In units of their errors: a slope over a billion cells is tiny, yet not nothing.
    errors = np.sqrt(np.diag(covariance))
    apart, correlation = difference / errors, covariance / np.outer(errors, errors)
    distance = float(apart @ np.linalg.pinv(correlation) @ apart)
    return float(fdtrc(difference.size, freedom, distance / difference.size))


def crossing_of(line: Line, other: Line, level: float) -> Estimate | None:
    """Return the positive size at which two lines cross, None if they do not."""
    a, b = line.intercept - other.intercept, line.slope - other.slope
    if b == 0 or -a / b <= 0:
        return None
    covariance = line.covariance + other.covariance
    freedom = _welch(line.covariance[1, 1], other.covariance[1, 1], line, other)
    if np.isnan(freedom):
        return Estimate(-a / b)
    t2 = float(stdtrit(freedom, (1 + level) / 2)) ** 2
    # The sizes k at which (a + b·k)² ≤ t² var(a + b·k).
    square = b**2 - t2 * covariance[1, 1]
    linear = a * b - t2 * covariance[0, 1]
    constant = a**2 - t2 * covariance[0, 0]
    root = linear**2 - square * constant
    if square <= 0 or root < 0:
        return Estimate(-a / b)
    bounds = (-linear + np.array([-1, 1]) * np.sqrt(root)) / square
    return Estimate(-a / b, max(float(bounds[0]), 0.0), float(bounds[1]))


def _difference(
    value: float,
    variance: float,
    other_variance: float,
    lines: tuple[Line, Line],
    level: float,
) -> CoefficientDifference:
    error = float(np.sqrt(variance + other_variance))
    freedom = _welch(variance, other_variance, *lines)
    if not np.isfinite(error):
        return CoefficientDifference(Estimate(value), np.nan)
    if error == 0:
        return CoefficientDifference(
            Estimate(value, value, value), 1.0 if value == 0 else 0.0
        )
    p = 2 * float(stdtr(freedom, -abs(value) / error))
    return CoefficientDifference(estimate(value, error, freedom, level), p)


def _welch(variance: float, other_variance: float, line: Line, other: Line) -> float:
    """Return the degrees of freedom of a sum of variances (Welch, Satterthwaite)."""
    total = variance + other_variance
    if not (np.isfinite(total) and total > 0):
        return np.nan
    shares = (variance / total) ** 2 / line.freedom
    return float(1 / (shares + (other_variance / total) ** 2 / other.freedom))
