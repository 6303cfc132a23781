"""A function that a program may count or take time by, with its true growth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import CONSTANT, Growth

Reals = NDArray[np.float64]

Curve = Callable[..., Reals]
"""Coefficients a and b, of shape (S, 1), and columns of settings (n,) to (S, n)."""

UNKNOWN: Final = None
"""The growth of what no growth of the product's notation is."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function and how it truly grows.

    Parameters
    ----------
    name
        As a textbook writes it.
    curve
        Its values, with coefficients a and b that a drawing chooses.
    growth
        Of its leading-order term; of several parameters, that which leads where all
        grow together. None where no growth of the notation is true.
    is_count
        Whether a and b that are integers make all values integers.
    """

    name: str
    curve: Curve
    growth: Growth | None = CONSTANT
    is_count: bool = False


def grows(power: int | str = 0, log: int = 0, *, n: int = 0) -> Growth:
    """Return p^power · log^log p · n^n."""
    return Growth.of("p", power=power, log=log) * Growth.of("n", power=n)


def ceil_log(p: Reals) -> Reals:
    """Return the rounds of a binomial tree; log₂ of a power of two is rounded off."""
    return np.ceil(np.round(np.log2(p), 9))
