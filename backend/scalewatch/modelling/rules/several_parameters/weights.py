"""How much the points of a series count in a relative fit."""

from dataclasses import dataclass

from scalewatch.modelling.arrays import Reals


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the points of a series count.

    Parameters
    ----------
    inverse
        w = 1/y, shape (n,).
    omega
        ω, repetitions of each point relative to the most of one, shape (n,).
    variance
        s₀², relative, of a point with ω = 1.
    freedom
        ν₀.
    """

    inverse: Reals
    omega: Reals
    variance: float
    freedom: float
