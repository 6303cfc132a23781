"""Values of the candidate terms at the measured settings, fit for least squares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth, binary_logarithm


@dataclass(frozen=True, slots=True)
class TermTable:
    """Terms divided by their largest value, so that none overflows.

    Parameters
    ----------
    tau
        τ_h(x) = t_h(x) / max t_h, shape (H, n), 0 … 1.
    log2_scale
        log₂ max t_h, shape (H,): a coefficient of τ_h times 2 to the minus this is
        one of t_h.
    """

    tau: NDArray[np.float64]
    log2_scale: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Terms:
    """The growths of one parameter, none of them constant.

    Parameters
    ----------
    parameter
        Its name.
    growths
        G of them.
    table
        Their values at the measured settings.
    """

    parameter: str
    growths: tuple[Growth, ...]
    table: TermTable

    def only(self, numbers: NDArray[np.intp]) -> "Terms":
        """Return some of them."""
        return Terms(
            self.parameter,
            tuple(self.growths[number] for number in numbers.tolist()),
            TermTable(self.table.tau[numbers], self.table.log2_scale[numbers]),
        )


def term_table(
    growths: Sequence[Growth], settings: Mapping[str, NDArray[np.float64]]
) -> TermTable:
    """Evaluate growths, all defined at `settings`, the constant as ones."""
    logarithms = log2_table(growths, settings)
    largest = logarithms.max(axis=1)
    log2_scale = np.where(np.isfinite(largest), largest, 0.0)
    return TermTable(np.exp2(logarithms - log2_scale[:, np.newaxis]), log2_scale)


def log2_table(
    growths: Sequence[Growth], settings: Mapping[str, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return binary logarithms of growths, shape (H, n), NaN where undefined.

    The values are those of `Growth.log2`, of all growths at once.
    """
    points = len(next(iter(settings.values())))
    table = np.zeros((len(growths), points))
    for name, x in settings.items():
        once = np.where(x >= 0, binary_logarithm(x), np.nan)
        twice = np.where(once >= 0, binary_logarithm(once), np.nan)
        for exponent, basis in zip(
            _exponents(tuple(growths), name),
            (
                np.clip(x, -ASSUMED.largest_setting, ASSUMED.largest_setting),
                once,
                twice,
            ),
            strict=True,
        ):
            rows = np.flatnonzero(exponent)
            # Where one factor is zero and another infinite, neither is defined.
            with np.errstate(invalid="ignore"):
                table[rows] += exponent[rows, np.newaxis] * basis
    table[table == np.inf] = np.nan
    return table


@lru_cache(maxsize=256)
def _exponents(growths: tuple[Growth, ...], parameter: str) -> NDArray[np.float64]:
    """Return the exponents of 2^x, x and log x, shape (3, H)."""
    factors = [growth.factor(parameter).order for growth in growths]
    return np.array(factors, dtype=np.float64).reshape(-1, 3).T
