"""Whether any surface explains the settings, and what can be said if none does.

Of one parameter a discrepancy says how far curves depart from every growth. With R the
least misfit of all surfaces that compete, relative and over n settings of several
parameters, k degrees of freedom of which a surface takes, and s² the variance of a
location with ν degrees of freedom, as repetitions tell it,

    F = R / ((n - k) s²)

follows the F distribution with n - k and ν degrees of freedom where one of the surfaces
is right.

A series is flagged where the probability of a larger F is below `FLAGGED`. Its
probabilities then keep a share for "no growth of the space", by the bound -e·p·log p on
the odds that a p-value leaves to the null hypothesis; its intervals reach as far as the
local exponents, and its verdict is open.

The local exponent is d log y / d log p at the largest settings and beyond. It asks for
no model: between settings it is the slope of the logarithms. What it will be beyond
them, the last slopes bound: the last one itself, its going on as it changed last, and
where a geometric series of such changes ends (Aitken's δ²).

References
----------
T. Sellke, M. J. Bayarri and J. O. Berger, "Calibration of p values for testing precise
null hypotheses", The American Statistician 55, 2001.
A. C. Aitken, "On Bernoulli's numerical solution of algebraic equations", Proceedings of
the Royal Society of Edinburgh 46, 1926.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import fdtrc

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.growths.verdict import Verdict
from scalewatch.modelling.measurements.designs import far_corner
from scalewatch.modelling.measurements.location import Location
from scalewatch.reasons import NoFit, NoGrowth

LARGEST_LOG: Final = 700.0


@dataclass(frozen=True, slots=True)
class ExponentInterval:
    """Bounds of the exponent beyond the largest setting."""

    low: float
    high: float

    @classmethod
    def of_exact(cls, x: Reals, y: Reals, off: Reals) -> "ExponentInterval":
        """Return that of exact positive values, shape (n,), n of at least 4.

        Parameters
        ----------
        x, y
            Positive settings, rising, and values.
        off
            How far the values may be off.
        """
        slopes = np.diff(np.log(y)) / np.diff(np.log(x))
        before, last = float(slopes[-2]), float(slopes[-1])
        change = last - before
        ends = [last, last + change]
        earlier = before - float(slopes[-3])
        ratio = change / earlier if earlier else 0.0
        if 0 < ratio < 1:
            ends.append(last + change * ratio / (1 - ratio))
        rounded = float((off[-2:] / y[-2:]).sum() / np.log(x[-1] / x[-2]))
        margin = (max(ends) - min(ends)) / 2 + rounded
        return cls(min(ends) - margin, max(ends) + margin)

    def beyond(self, ratio: Reals) -> tuple[Reals, Reals, Reals]:
        """Return by what a value grows to settings `ratio` times as large.

        Value, low and high.
        """
        logs = np.log(ratio)
        ends = np.stack(
            [(self.low + self.high) / 2 * logs, self.low * logs, self.high * logs]
        )
        value, low, high = np.exp(np.clip(ends, -LARGEST_LOG, LARGEST_LOG))
        return value, np.minimum(low, high), np.maximum(low, high)

    def verdict(
        self,
        expectation: Growth,
        deviation_limit: Growth,
        last: tuple[float, float],
    ) -> Verdict:
        """Return the verdict that the exponent settles, whatever the growth is.

        A mismatch if the interval lies wholly outside of E/D … E·D, an approximate
        match if wholly within.

        Parameters
        ----------
        expectation, deviation_limit
            E and D.
        last
            The last two settings, between which a growth is compared.
        """
        lowest, highest = (
            local_exponent(growth, last)
            for growth in (expectation / deviation_limit, expectation * deviation_limit)
        )
        if self.high < lowest or highest < self.low:
            return Verdict.MISMATCH
        is_within = lowest <= self.low and self.high <= highest
        return Verdict.APPROXIMATE if is_within else Verdict.UNDECIDED


def local_exponent(growth: Growth, between: tuple[float, float]) -> float:
    """Return the mean exponent of a growth of one parameter between two settings."""
    if growth == CONSTANT:
        return 0.0
    (parameter,) = growth.parameters
    low, high = growth.log2({parameter: np.array(between)}).tolist()
    return float((high - low) / np.log2(between[1] / between[0]))


FLAGGED: Final = 0.01
"""Probability of so large a misfit by chance below which a series is flagged."""

SHORTEST_LINE: Final = 3
"""Settings that bound a local exponent."""

NO_GROWTH: Final = 0.1
"""Prior probability that a series follows no growth of the space."""

MEASURED: Final = 2.0
"""Degrees of freedom of a variance that repetitions have shown."""

SMALLEST: Final = 1e-300

SURE: Final = 0.9
"""Posterior that no growth explains a series above which it has none, and no odds."""

LEAST_R2: Final = 0.0
"""Adjusted R² of a model that explains less than the mean does."""

FARTHEST: Final = 20.0
"""SMAPE in percent of a constant that values are not scattered about."""

REPEATED: Final = 3.0
"""Times by which the values of such a constant are farther off than repetitions."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """How far the settings of a flagged series lie from every growth of the space.

    Parameters
    ----------
    ratio
        How many times as far from the best curve as repetitions explain; None where
        they do not tell.
    probability
        Of a larger misfit by chance.
    exponents
        Of the curve beyond the largest setting, of a surface where all parameters grow
        together; None where the settings do not bound it.
    fit
        How a model explains nothing, whatever repetitions tell.
    """

    ratio: float | None
    probability: float | None
    exponents: ExponentInterval | None
    fit: NoFit | None = None

    @property
    def unexplained(self) -> float:
        """Posterior that no growth of the space explains the series."""
        if self.probability is None:
            return 1.0
        p = max(self.probability, SMALLEST)
        odds = NO_GROWTH / (1 - NO_GROWTH) / (-np.e * p * np.log(p))
        return float(odds / (1 + odds))

    def __str__(self) -> str:
        return str(self.fit if self.ratio is None else NoGrowth(self.ratio))


@dataclass(frozen=True, slots=True)
class Misfits:
    """Misfits of S series.

    Parameters
    ----------
    statistic
        F, shape (S,).
    rows
        The K series that are flagged, rising.
    probability
        Of a larger F of these by chance, shape (K,).
    exponents
        Per parameter their bounds beyond its largest setting while the others are
        held at theirs, low and high, shape (2, K); infinite where nothing tells.
    last
        Logarithm of their values at the largest settings, shape (K,).
    """

    statistic: Reals
    rows: Indices
    probability: Reals
    exponents: Mapping[str, Reals]
    last: Reals

    @classmethod
    def of(
        cls,
        settings: Mapping[str, Reals],
        location: Location,
        least: Reals,
        fitted: int,
    ) -> "Misfits":
        """Test series against the surfaces that compete.

        Parameters
        ----------
        settings
            Positive, each of shape (n,).
        location
            Of S series.
        least
            R, the least misfit of all surfaces, shape (S,).
        fitted
            Degrees of freedom that a surface takes, fewer than n.
        """
        points = len(location.log)
        freedom = points - fitted
        statistic = least / freedom / location.variance
        # Where repetitions tell no variance, nothing is surprising.
        probability = np.ones_like(statistic)
        repeated = np.flatnonzero(location.repeated_freedom >= MEASURED)
        probability[repeated] = fdtrc(
            freedom, location.repeated_freedom[repeated], statistic[repeated]
        )
        rows = np.flatnonzero(probability < FLAGGED)
        log = location.log[:, rows]
        variance = np.maximum(location.variance[rows], least[rows] / (points - 2))
        return cls(
            statistic=statistic,
            rows=rows,
            probability=probability[rows],
            exponents={
                name: _bounds(settings, name, log, variance) for name in settings
            },
            # Without a corner no exponent is bounded, whatever lies there.
            last=log[far_corner(settings) or 0],
        )

    def flagged(self) -> Iterator[tuple[int, Misfit]]:
        """Yield the series that no growth explains, with how far they lie from all."""
        low, high = np.sum(list(self.exponents.values()), axis=0)
        is_bounded = np.isfinite(low) & np.isfinite(high)
        for row, ratio, probability, bounded, *bounds in zip(
            self.rows.tolist(),
            np.sqrt(self.statistic[self.rows]).tolist(),
            self.probability.tolist(),
            is_bounded.tolist(),
            low.tolist(),
            high.tolist(),
            strict=True,
        ):
            exponents = ExponentInterval(*bounds) if bounded else None
            yield row, Misfit(ratio, probability, exponents)

    def widen(self, forecasts: Reals, ratio: Mapping[str, Reals]) -> None:
        """Let forecasts of flagged series reach as far as the local exponents.

        Parameters
        ----------
        forecasts
            Value, low and high, shape (S, T, 3); overwritten.
        ratio
            How many times as large as the largest setting the targets are, by
            parameter, shape (T,).
        """
        # Between the settings the curves that compete are near enough.
        beyond = np.flatnonzero(np.any([each > 1 for each in ratio.values()], axis=0))
        if not len(self.rows) or not len(beyond):
            return
        reach = np.zeros((2, len(self.rows), len(beyond)))
        for name, bounds in self.exponents.items():
            steps = np.log(ratio[name][beyond])
            ends = np.zeros_like(reach)
            # Where nothing bounds an exponent, nothing bounds a step that is none.
            np.multiply(bounds[..., np.newaxis], steps, out=ends, where=steps != 0)
            reach += np.sort(ends, axis=0)
        logs = np.clip(self.last[:, np.newaxis] + reach, -LARGEST_LOG, LARGEST_LOG)
        places = np.ix_(self.rows, beyond)
        low, high = forecasts[..., 1], forecasts[..., 2]
        low[places] = np.minimum(low[places], np.exp(logs[0]))
        high[places] = np.maximum(high[places], np.exp(logs[1]))


def misfit_of(
    model: Model,
    settings: Mapping[str, Reals],
    values: Reals,
    adjusted_r2: float | None,
    smape: float,
) -> Misfit | None:
    """Return that a model explains nothing of a series, or None where it does.

    It explains nothing where R̄² is below `LEAST_R2`, or where it is a constant and the
    values lie `FARTHEST` percent off it on average, farther than repetitions do from
    each other, or where it is not positive at a setting at which all values are.

    Parameters
    ----------
    settings
        Those of each point, shape (n,) by parameter.
    values
        Repetitions, shape (n, R), NaN where one is missing.
    """
    coefficients = (model.constant, *(term.coefficient for term in model.terms))
    if min(coefficients) < 0 and not (values <= 0).any():
        with np.errstate(over="ignore", invalid="ignore"):
            negative = np.flatnonzero(model(settings) <= 0)
    else:
        negative = np.empty(0, dtype=np.intp)
    if len(negative):
        at = int(negative[0])
        where = ", ".join(f"{name} = {x[at]:g}" for name, x in settings.items())
        return Misfit(None, None, None, NoFit(smape, adjusted_r2, where))
    if adjusted_r2 is not None:
        explains = adjusted_r2 >= LEAST_R2
    else:
        explains = bool(model.terms) or smape <= max(FARTHEST, _repeated(values))
    return None if explains else Misfit(None, None, None, NoFit(smape, adjusted_r2))


def _repeated(values: Reals) -> float:
    """Return the percentage up to which repetitions explain that values differ."""
    size = np.nanmean(np.abs(values), axis=1)
    spread = np.nanmean(np.abs(values - np.nanmedian(values, axis=1)[:, np.newaxis]))
    return float(100 * REPEATED * spread / np.mean(size))


def _bounds(
    settings: Mapping[str, Reals], name: str, log: Reals, variance: Reals
) -> Reals:
    """Return bounds of the exponent along the line to the largest settings.

    Parameters
    ----------
    log
        Logarithm of the values, shape (n, S).
    variance
        Of each of them, shape (S,).
    """
    x = settings[name]
    others = [each == each.max() for other, each in settings.items() if other != name]
    line = np.flatnonzero(np.all(others, axis=0))
    line = line[np.argsort(x[line], kind="stable")]
    if len(line) < SHORTEST_LINE or x[line[-1]] < x.max():
        return np.array([-np.inf, np.inf])[:, np.newaxis] * np.ones_like(variance)
    last = line[-SHORTEST_LINE:]
    steps = np.diff(np.log(x[last]))
    before, after = np.diff(log[last], axis=0) / steps[:, np.newaxis]
    deviation = np.sqrt(2 * variance) / steps[-1]
    ends = np.stack([after, (before + after) / 2, 2 * after - before])
    return np.stack([ends.min(axis=0) - deviation, ends.max(axis=0) + deviation])
