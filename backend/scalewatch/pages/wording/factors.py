"""How many times as much something is, in words that name their scale."""

from collections.abc import Mapping
from typing import Final

from scalewatch.pages.wording.formats import NEAR, count, significant

WORDS: Final = {"time": ("slower", "faster")}
"""What larger and smaller values of a metric are called, if not more and less."""


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
