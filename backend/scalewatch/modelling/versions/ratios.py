"""The ratio of two series over a parameter, with its interval, or of their models.

With forecasts f and f' of two series at a setting and their intervals, the ratio is
ρ = f'/f. Forecasts of different machines err independently, so that the half-widths of
the intervals add up in squares, in logarithms and on each side by itself:

    log(ρ⁺/ρ)² = log(f'⁺/f')² + log(f/f⁻)²,    log(ρ/ρ⁻)² = log(f'/f'⁻)² + log(f⁺/f)²

The probability that ρ is above 1 is that of a normal variable whose interval reaches
as far towards 1 as this one does. A crossing is where ρ is 1; its interval holds the
settings at which the interval of ρ holds 1.

Two models f = c·G + … and f' = c'·G' + … are told apart in two ways that must not be
mixed: by their growths, G'/G, and, where these agree, by the ratio of the leading
coefficients, c'/c. Where the growths differ, one may still be faster up to a scale;
where they agree, such a scale would say little: noise decides where they cross.

References
----------
G. Casella, R. L. Berger, "Statistical Inference", 2nd ed., 2002, section 5.5.4.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, first_above
from scalewatch.modelling.search.finding import Forecast
from scalewatch.modelling.versions.assumptions import ASSUMED


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where two series are equal; a bound is None beyond what is known."""

    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Lead:
    """From which setting on one of two series is the smaller one, to the end.

    Parameters
    ----------
    is_first
        Whether it is the one that the ratio is divided by.
    start
        The smallest setting from which it is.
    probability
        That it is, at the least sure setting from there on.
    """

    is_first: bool
    start: float
    probability: float


@dataclass(frozen=True, eq=False)
class Ratio:
    """A ratio with its interval, each of shape (n,), over settings in ascending order.

    Parameters
    ----------
    settings
        Those of x that both series were measured at, at least one.
    negligible
        It differs from 1 by no more where nothing leads: whole jobs differ as much.
    """

    x: Reals
    value: Reals
    low: Reals
    high: Reals
    level: float
    settings: Reals
    negligible: float = ASSUMED.negligible

    @property
    def probability(self) -> Reals:
        """Probability that the ratio is above 1, shape (n,)."""
        middle = np.log(self.value)
        towards = np.where(
            middle > 0, middle - np.log(self.low), np.log(self.high) - middle
        )
        spread = np.maximum(towards / ndtri((1 + self.level) / 2), 1e-12)
        above: Reals = ndtr(middle / spread)
        return above

    @property
    def largest(self) -> float:
        """The largest setting that both series were measured at."""
        return float(self.settings.max())

    @cached_property
    def at_largest(self) -> float:
        """The ratio at the largest setting that both series were measured at."""
        return float(np.exp(np.interp(np.log(self.largest), *self._logs)))

    @property
    def is_open_beyond(self) -> bool:
        """Whether the lead is not sure to last to the end, beyond what was measured."""
        lead = self.lead
        if lead is None or self.x[-1] <= self.largest:
            return False
        return bool(self.low[-1] <= 1 if lead.is_first else self.high[-1] >= 1)

    @cached_property
    def is_negligible(self) -> bool:
        """Whether it differs from 1 by no more than counts, at the largest setting."""
        return bool(abs(np.log(self.at_largest)) <= np.log1p(self.negligible))

    @cached_property
    def lead(self) -> Lead | None:
        """Which series is smaller at large settings; None if that is not sure."""
        is_there = np.isin(self.x, self.settings)
        above, x = self.probability[is_there], self.x[is_there]
        if self.is_negligible:
            return None
        is_first = bool(above[-1] > 0.5)
        sure = above if is_first else 1 - above
        for level in (ASSUMED.certain, ASSUMED.sure):
            doubtful = np.flatnonzero(sure < level)
            start = int(doubtful[-1]) + 1 if doubtful.size else 0
            if start < x.size:
                return Lead(is_first, float(x[start]), float(sure[start:].min()))
        return None

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where the ratio becomes 1, in ascending order."""
        places, middle = self._logs
        low, high = np.log(self.low), np.log(self.high)
        crossings = []
        for k in np.flatnonzero(middle[:-1] * middle[1:] < 0):
            at = _root(places[k : k + 2], middle[k : k + 2])
            # Towards smaller and larger settings, until the interval leaves 1.
            before = _bound(places[k::-1], low[k::-1], high[k::-1])
            after = _bound(places[k + 1 :], low[k + 1 :], high[k + 1 :])
            crossings.append(Crossing(float(np.exp(at)), before, after))
        return tuple(crossings)

    @property
    def _logs(self) -> tuple[Reals, Reals]:
        return np.log(self.x), np.log(self.value)


def ratio_of(
    first: Sequence[Forecast],
    other: Sequence[Forecast],
    parameter: str,
    settings: Collection[float],
    negligible: float = ASSUMED.negligible,
) -> Ratio | None:
    """Return the ratio of a series to the first one, where both are forecast.

    None where that is nowhere, or where a rule tells no intervals.

    Parameters
    ----------
    settings
        Where both were measured.
    negligible
        Share by which whole jobs differ.
    """
    base = {
        forecast.at[parameter]: forecast for forecast in first if _is_bounded(forecast)
    }
    pairs = [
        (at, base[at], forecast)
        for forecast in sorted(other, key=lambda forecast: forecast.at[parameter])
        if _is_bounded(forecast) and (at := forecast.at[parameter]) in base
    ]
    if not pairs:
        return None
    x = np.array([at for at, _, _ in pairs])
    measured = np.intersect1d(x, np.array(sorted(settings)))
    if not measured.size:
        return None
    f, f_low, f_high = _logs([forecast for _, forecast, _ in pairs])
    g, g_low, g_high = _logs([forecast for _, _, forecast in pairs])
    middle = g - f
    return Ratio(
        x,
        np.exp(middle),
        np.exp(middle - np.hypot(g - g_low, f_high - f)),
        np.exp(middle + np.hypot(g_high - g, f - f_low)),
        pairs[0][1].level,
        measured,
        negligible,
    )


def _is_bounded(forecast: Forecast) -> bool:
    bounds = (forecast.low, forecast.value, forecast.high)
    return all(bound is not None and bound > 0 for bound in bounds)


def _logs(forecasts: Sequence[Forecast]) -> tuple[Reals, Reals, Reals]:
    bounds = np.array([(each.value, each.low, each.high) for each in forecasts])
    middle, low, high = np.log(bounds.astype(float)).T
    return middle, np.minimum(low, middle), np.maximum(high, middle)


def _root(x: Reals, y: Reals) -> float:
    """Return where a line through two points of different signs is 0."""
    return float(x[0] - y[0] * (x[1] - x[0]) / (y[1] - y[0]))


def _bound(places: Reals, low: Reals, high: Reals) -> float | None:
    """Return where an interval ceases to hold 1, from the first place on."""
    leaves = np.flatnonzero((low > 0) | (high < 0))
    if not leaves.size:
        return None
    k = int(leaves[0])
    if k == 0:
        return float(np.exp(places[0]))
    edge = low if low[k] > 0 else high
    return float(np.exp(_root(places[k - 1 : k + 1], edge[k - 1 : k + 1])))


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How a model differs from another one.

    Parameters
    ----------
    growth
        G'/G; constant where both grow alike.
    factor
        c'/c, where both grow alike; None where a factor would depend on the scale.
    crossing
        Scale from which the one that is faster at the smallest scale no longer is;
        None if that never happens, or where both grow alike.
    is_slower
        Whether it is the slower one at large scale.
    """

    growth: Growth
    factor: float | None
    crossing: float | None
    is_slower: bool


def side_by_side(
    model: Model, other: Model, parameter: str = "p", *, start: float = 1.0
) -> SideBySide | None:
    """Compare `other` with `model` from a scale on; None if it depends on more.

    Parameters
    ----------
    model, other
        In the same unit.
    parameter
        What is scaled.
    start
        Smallest scale that is of interest.
    """
    named = {
        name
        for each in (model, other)
        for term in each.terms
        for name in term.growth.parameters
    }
    if not named <= {parameter}:
        return None
    growth = other.growth / model.growth
    base, coefficient = model.leading_coefficient, other.leading_coefficient
    is_alike = growth == CONSTANT
    at_start = (float(model({parameter: start})), float(other({parameter: start})))
    faster, slower = (model, other) if at_start[0] <= at_start[1] else (other, model)
    return SideBySide(
        growth=growth,
        factor=coefficient / base if is_alike and base else None,
        crossing=(
            None if is_alike else first_above(faster, slower, parameter, start=start)
        ),
        is_slower=coefficient > base if is_alike else growth > CONSTANT,
    )
