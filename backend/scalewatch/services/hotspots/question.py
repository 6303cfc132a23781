"""Which profiles somebody wants to see compared."""

from dataclasses import dataclass
from typing import Final

from scalewatch.modelling import Against, Correction

LEVEL: Final = 0.05
"""Corrected p-values below this one are significant."""


@dataclass(frozen=True, slots=True)
class HotspotQuestion:
    """Which profiles are compared, and how.

    Parameters
    ----------
    over
        Parameter of the scan; what varies most usefully unless given.
    held
        Which of several scans: what it holds fixed, as text.
    against
        What each profile is compared with.
    correction
        How p-values are corrected for the number of comparisons.
    unit
        Seconds that count as one in χ²; a hundredth of the shortest profile unless
        given.
    at
        The setting, as text, whose profile is shown beside the one before it; that
        of the largest change unless given.
    vs
        What to compare with: `commit=v1`, `machine=jureca` or `held=n=1000`.
    """

    over: str | None = None
    held: str | None = None
    against: Against = Against.PREVIOUS
    correction: Correction = Correction.HOLM
    unit: float | None = None
    at: str | None = None
    vs: str | None = None
