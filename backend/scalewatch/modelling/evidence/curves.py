"""Curves c₀·u(x) + c₁·t(x) at the settings, scaled for the evidence."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scalewatch.modelling.arrays.types import Indices, Reals


@dataclass(frozen=True, eq=False)
class ScaledCurves:
    """H curves of n points.

    Parameters
    ----------
    tau
        t/u over its largest value, shape (H, n), in [0, 1].
    alone
        The row of each curve's u alone, where `tau` is 1, shape (H,); None where that
        is weighed elsewhere.
    base
        u over its largest value, shape (H, n); None where it is the constant of all.
    """

    tau: Reals
    alone: Indices | None = None
    base: Reals | None = None

    @classmethod
    def rising(cls, tau: Reals, constant: int) -> "ScaledCurves":
        """Return curves that have a constant, which by itself is one of the rows."""
        return cls(tau, np.full(len(tau), constant))

    @cached_property
    def every_alone(self) -> tuple[Indices, Indices] | None:
        """The rows of all u alone, and which of them is each curve's."""
        if self.alone is None:
            return None
        rows, place = np.unique(self.alone, return_inverse=True)
        return rows, place

    def __len__(self) -> int:
        return len(self.tau)
