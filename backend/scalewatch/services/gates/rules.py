"""Rules of the gate: what stops a commit, of a server's project and of files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from scalewatch.services.commit_reports.factors import LEAST_CONSTANT


@dataclass(frozen=True, slots=True)
class GateRule:
    """Conditions that stop a commit.

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
        """By how much a constant is worse at least of which two versions alone tell."""
        return None if self.constant is None else max(self.constant, LEAST_CONSTANT)


USUAL: Final = GateRule()


class Rules:
    """Rules in the large and of single regions; their kinds are dataclasses.

    Parameters
    ----------
    regions
        Rules of single regions.
    smallest_effect
        The share by which a series has to change for anybody to be told.
    """

    __slots__ = ()

    rule: GateRule
    regions: Mapping[str, GateRule]
    smallest_effect: float

    def about(self, region: str) -> GateRule:
        """Return the rule of a region."""
        return self.regions.get(region, self.rule)

    def least_constant(self, region: str) -> float | None:
        """By how much a constant is worse at least; None if it does not matter."""
        least = self.about(region).least_constant
        return None if least is None else max(least, self.smallest_effect)


@dataclass(frozen=True, slots=True)
class FileRules(Rules):
    """Rules that stop files, as `scalewatch.toml` states them."""

    rule: GateRule = USUAL
    regions: Mapping[str, GateRule] = field(default_factory=dict)
    smallest_effect: float = 0.0
