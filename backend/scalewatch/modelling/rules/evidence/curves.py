"""Curves c₀·u(x) + c₁·t(x) at the settings, scaled for the evidence."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals


@dataclass(frozen=True, eq=False)
class ScaledCurves:
    """H curves of n points.

    Parameters
    ----------
    tau
        t/u over its largest value, shape (H, n), in [0, 1].
    alone
        The row of each curve's u alone, where `tau` is 1, shape (H,); negative where
        that is no curve of its own, as of all where there is None.
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
    def every_alone(self) -> tuple[Indices, Indices]:
        """The A rows of all u alone, and which of them is each curve's, A for none."""
        alone = np.full(len(self), -1) if self.alone is None else self.alone
        rows = np.unique(alone[alone >= 0])
        return rows, np.where(alone >= 0, np.searchsorted(rows, alone), len(rows))

    @cached_property
    def distinct_bases(self) -> tuple[Reals, Indices]:
        """Each base once, and which of them is each curve's."""
        assert self.base is not None
        distinct, place = np.unique(self.base, axis=0, return_inverse=True)
        return distinct, place.reshape(-1)

    def rows(self, rows: slice) -> "ScaledCurves":
        """Return some of them, of which none is known to be alone."""
        base = None if self.base is None else self.base[rows]
        return ScaledCurves(self.tau[rows], base=base)

    def __len__(self) -> int:
        return len(self.tau)
