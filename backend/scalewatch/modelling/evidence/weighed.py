"""What is found when curves are weighed for a block of series."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Indices, Reals, Singles
from scalewatch.modelling.evidence.least_squares import Fit


@dataclass(frozen=True, slots=True)
class Weighed:
    """What is found about S series.

    Parameters
    ----------
    log_evidence
        log Z, but for a summand per series, shape (H, S).
    misfit
        The least misfit of all curves, shape (S,).
    parts
        The fits of all curves, in units of exp `level`.
    level
        Mean logarithm of the locations, shape (S,).
    """

    log_evidence: Singles
    misfit: Reals
    parts: tuple[Fit, ...]
    level: Reals

    @property
    def fits(self) -> tuple[Reals, Reals]:
        """c₀ and c₁ of all curves, shape (H, S) each."""
        return (
            np.concatenate([part.constant for part in self.parts]),
            np.concatenate([part.slope for part in self.parts]),
        )

    def coefficients(self, rows: Indices) -> Reals:
        """Return c₀ and c₁ of a curve of each series, shape (2, S)."""
        found = np.empty((2, len(rows)))
        start = 0
        for part in self.parts:
            size = len(part.slope)
            series = np.flatnonzero((start <= rows) & (rows < start + size))
            place = rows[series] - start, series
            found[:, series] = part.constant[place], part.slope[place]
            start += size
        found *= np.exp(self.level)
        return found

    def give_back(self, scratches: Sequence[Scratch]) -> None:
        """Return to the scratches what was taken from them."""
        *each_own, together = scratches
        together.take_back(self.log_evidence)
        for part, scratch in zip(self.parts, each_own, strict=True):
            scratch.take_back(*part.arrays)
