"""What stops a commit: the rule of a region, of a server's project and of files."""

from dataclasses import dataclass
from typing import Final, Literal

from scalewatch.services.commit_reports.factors import LEAST_CONSTANT


@dataclass(frozen=True, slots=True)
class GateRule:
    """What stops a commit.

    Parameters
    ----------
    mismatch
        A series that scales worse than expected, since whenever.
    new_mismatch
        One that scaled as expected before.
    growth
        A growth that is surely faster than before, whatever is expected.
    constant
        A worse constant at unchanged growth, surely by more than this share; None:
        never.
    guideline
        A guideline is broken that held before.
    missing
        What follows where some of it was not measured, or is missing beside the
        baseline: undecided, or nothing.
    """

    mismatch: bool = False
    new_mismatch: bool = True
    growth: bool = True
    constant: float | None = 0.0
    guideline: bool = True
    missing: Literal["undecided", "ignore"] = "undecided"

    @property
    def least_constant(self) -> float | None:
        """By how much a constant is worse at least of which two commits alone tell."""
        return None if self.constant is None else max(self.constant, LEAST_CONSTANT)


USUAL: Final = GateRule()
