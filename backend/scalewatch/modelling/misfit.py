"""Series that no growth explains, and where their exponents lead.

A model that explains less than the mean does is none. The local exponent, d log y /
d log p at the largest settings and beyond, asks for no model: between settings it is
the slope of the logarithms. What it will be beyond them, the last slopes bound: the
last one itself, its going on as it changed last, and where a geometric series of such
changes ends (Aitken's δ²).

References
----------
A. C. Aitken, "On Bernoulli's numerical solution of algebraic equations", Proceedings of
the Royal Society of Edinburgh 46, 1926.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.growths.verdict import Verdict
from scalewatch.reasons import NoFit


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
        value, low, high = np.exp(
            np.clip(ends, -ASSUMED.largest_misfit_log, ASSUMED.largest_misfit_log)
        )
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


def misfit_of(
    model: Model,
    settings: Mapping[str, Reals],
    values: Reals,
    adjusted_r2: float | None,
    smape: float,
) -> NoFit | None:
    """Return that a model explains nothing of a series, or None where it does.

    It explains nothing where R̄² is below `least_r2`, or where it is a constant and the
    values lie `farthest_constant` percent off it on average, farther than repetitions
    do from each other, or where it is not positive at a setting at which all values
    are.

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
        return NoFit(smape, adjusted_r2, where)
    if adjusted_r2 is not None:
        explains = adjusted_r2 >= ASSUMED.least_r2
    else:
        explains = bool(model.terms) or smape <= max(
            ASSUMED.farthest_constant, _repeated(values)
        )
    return None if explains else NoFit(smape, adjusted_r2)


def _repeated(values: Reals) -> float:
    """Return the percentage up to which repetitions explain that values differ."""
    size = np.nanmean(np.abs(values), axis=1)
    spread = np.nanmean(np.abs(values - np.nanmedian(values, axis=1)[:, np.newaxis]))
    return float(100 * ASSUMED.beyond_repetitions * spread / np.mean(size))
