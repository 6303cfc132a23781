"""Estimates with their intervals: all with the digits that the interval leaves.

A bound with fewer digits than the value excludes it by rounding alone, and digits that
are finer than the interval tell nothing.
"""

from collections.abc import Mapping
from math import floor, isfinite, log10
from typing import Final

from scalewatch.modelling import Forecast
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.pages.wording.formats import (
    COUNT,
    NEAR,
    PREFIXES,
    count,
    power_of_thousand,
    quantity,
)
from scalewatch.texts.numbers import MISSING, SPACE, significant

WORDS: Final = {"time": ("slower", "faster")}
"""Names of larger and smaller values of a metric, if not more and less."""


def factor_words(factor: float, metric: str, at: Mapping[str, float]) -> str:
    """Say how much more or less it became, and where: `7.6× slower at p = 128`."""
    where = f" at {scale_words(at)}" if at else ""
    if 1 / NEAR < factor < NEAR:
        return f"{significant(abs(factor - 1) * 100, 2)} % {way(factor, metric)}{where}"
    return f"{significant(max(factor, 1 / factor), 2)}× {way(factor, metric)}{where}"


def way(factor: float, metric: str) -> str:
    """Return what a metric that became this many times as much is: `slower`."""
    more, less = WORDS.get(metric, ("more", "less"))
    return more if factor > 1 else less


def scale_words(at: Mapping[str, float]) -> str:
    """Name a scale: `p = 128`, `p = 64, n = 1,000`."""
    return ", ".join(f"{name} = {count(value)}" for name, value in at.items())


SPREAD: Final = 4.0
"""A last digit is worth writing if the interval is at least this many of them wide."""

MOST_DECIMALS: Final = 6

APART: Final = 10.0
"""Bounds further apart than by this factor say nothing of a factor."""

WIDE: Final = 30.0
"""Bounds further apart than by this factor have units of their own."""

Written = tuple[str, str, str]
"""A value, its lower and its upper bound."""


def bounded_words(bounds: Bounds, metric: str, at: Mapping[str, float]) -> str:
    """Say how much more or less something is, and how surely: `79× [78, 80] faster`."""
    value, low, high = bounds.value, bounds.low, bounds.high
    where = f" at {scale_words(at)}" if at else ""
    if low <= 0 or high > APART * low:
        return f"how much{where} is not known"
    turned = (value, low, high) if value >= 1 else (1 / value, 1 / high, 1 / low)
    middle, least, most = rounded(turned)
    between = "" if least == most else f" [{least}, {most}]"
    return f"{middle}×{between} {way(value, metric)}{where}"


def rounded(values: tuple[float, float, float]) -> Written:
    """Write a value and its bounds with as many decimals as their distance leaves."""
    value, low, high = values
    width = high - low
    if width <= 0 or not isfinite(width):
        return significant(value), significant(low), significant(high)
    decimals = -floor(log10(width / SPREAD))
    if decimals > MOST_DECIMALS:
        return significant(value), significant(low), significant(high)
    places = max(decimals, 0)
    first, second, third = (
        f"{round(each, decimals):,.{places}f}".replace("-", "−")
        for each in (value, low, high)
    )
    return first, second, third


def quantities(value: float, low: float, high: float, unit: str) -> Written:
    """Write a value of a metric and its bounds: `310 µs`, `170 µs`, `430 µs`."""
    if low == high or unit == COUNT or 0 < WIDE * low < high:
        return quantity(value, unit), quantity(low, unit), quantity(high, unit)
    power = power_of_thousand(max(abs(low), abs(high)), unit)
    scale = 1000.0**power
    first, second, third = (
        f"{each}{SPACE}{PREFIXES[power]}{unit}".rstrip(SPACE)
        for each in rounded((value / scale, low / scale, high / scale))
    )
    return first, second, third


def forecast_written(forecast: Forecast, unit: str) -> Written:
    """Write a forecast and its bounds; dashes for bounds that are not known."""
    if forecast.low is None or forecast.high is None:
        return quantity(forecast.value, unit), MISSING, MISSING
    return quantities(forecast.value, forecast.low, forecast.high, unit)
