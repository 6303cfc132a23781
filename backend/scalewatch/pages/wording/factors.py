"""How many times as much something is, in words that name their scale."""

from collections.abc import Mapping
from math import floor, isfinite, log10
from typing import Final

from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.pages.wording.formats import NEAR, count, significant

WORDS: Final = {"time": ("slower", "faster")}
"""What larger and smaller values of a metric are called, if not more and less."""

SPREAD: Final = 4.0
"""A last digit is worth writing if the interval is at least this many of them wide."""

MOST_DECIMALS: Final = 6

APART: Final = 10.0
"""Bounds further apart than by this factor say nothing."""


def factor_words(factor: float, metric: str, at: Mapping[str, float]) -> str:
    """Say how much more or less it became, and where: `7.6× slower at p = 128`."""
    more, less = WORDS.get(metric, ("more", "less"))
    way = more if factor > 1 else less
    where = f" at {scale_words(at)}" if at else ""
    if 1 / NEAR < factor < NEAR:
        return f"{significant(abs(factor - 1) * 100, 2)} % {way}{where}"
    return f"{significant(max(factor, 1 / factor), 2)}× {way}{where}"


def scale_words(at: Mapping[str, float]) -> str:
    """Name a scale: `p = 128`, `p = 64, n = 1,000`."""
    return ", ".join(f"{name} = {count(value)}" for name, value in at.items())


def bounded(bounds: Bounds) -> str:
    """Write a factor between its bounds, all with the digits that these leave."""
    if bounds.low <= 0 or bounds.high > APART * bounds.low:
        return "not known"
    written = rounded((bounds.value, bounds.low, bounds.high))
    if written[1] == written[2]:
        return written[0]
    return f"{written[0]} ({written[1]} … {written[2]})"


def rounded(values: tuple[float, float, float]) -> tuple[str, str, str]:
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
        f"{round(each, decimals):,.{places}f}" for each in (value, low, high)
    )
    return first, second, third
