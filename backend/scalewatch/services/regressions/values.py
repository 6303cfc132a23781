"""What is said of regressions: their states, members and events."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from scalewatch.modelling.attribution.causes import ChangeClass
from scalewatch.services.commits.find import Commit
from scalewatch.services.confirmations.next_steps import NextStep
from scalewatch.services.confirmations.requests import Confirmation
from scalewatch.storage.histories.shift_details import ShiftDetails


class RegressionState(StrEnum):
    """What became of a change."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"  # the new level is the baseline
    FIXED = "fixed"  # the former level has returned
    IMPROVED = "improved"  # a change for the better: nothing is to be done


SETTABLE: Final = (
    RegressionState.OPEN,
    RegressionState.ACKNOWLEDGED,
    RegressionState.EXPECTED,
)
"""States that people give; the others are found."""


@dataclass(frozen=True, slots=True)
class Member:
    """A series that changed, and what is known of its change.

    Parameters
    ----------
    first_sha, last_sha
        The commits that may have changed it.
    """

    series_id: int
    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    first_sha: str
    last_sha: str
    details: ShiftDetails


@dataclass(frozen=True, slots=True)
class RegressionEvent:
    """What happened to a regression."""

    at: datetime
    actor: str
    action: str
    note: str | None


@dataclass(frozen=True, slots=True)
class Regression:
    """A cause, with what it changed, worst first.

    Parameters
    ----------
    first, last
        The commits that may be it.
    is_sure
        Whether more than chance and one job speak for it.
    next_step
        The cheapest measurement that would tell, while it is only suspected.
    """

    id: int
    kind: str
    is_worse: bool
    is_sure: bool
    state: RegressionState
    first: Commit
    last: Commit
    fixed_by: Commit | None
    suspect: str | None
    sentence: str
    owner: str | None
    link: str | None
    opened_at: datetime
    changed_at: datetime
    members: tuple[Member, ...]
    next_step: NextStep | None = None
    events: tuple[RegressionEvent, ...] = ()

    @property
    def change(self) -> str:
        """What changed, in few words."""
        way = "worse" if self.is_worse else "better"
        if self.kind == ChangeClass.CONSTANT:
            return f"{way} by a constant factor"
        return f"{way} {self.kind}"

    @property
    def regions(self) -> tuple[str, ...]:
        """What it changed, worst first."""
        return tuple(dict.fromkeys(member.region for member in self.members))

    @property
    def machines(self) -> tuple[str, ...]:
        """Where it was seen."""
        return tuple(dict.fromkeys(member.machine for member in self.members))

    @property
    def urgency(self) -> tuple[int, bool, float, float]:
        """What has to be done comes first, then what is sure, then large effects."""
        state = list(RegressionState).index(self.state)
        surely, seems = max(map(effect_of, self.members), default=(1.0, 1.0))
        return state, not self.is_sure, -surely, -seems

    @property
    def worst(self) -> Member:
        """The series with the largest effect."""
        return self.members[0]


@dataclass(frozen=True, slots=True)
class RegressionSummary:
    """A regression in a sentence."""

    id: int
    is_worse: bool
    state: RegressionState
    sentence: str


@dataclass(frozen=True, slots=True)
class Regressions:
    """The regressions of a project, and how far they can be trusted.

    Parameters
    ----------
    detection
        What the newest detection says of the whole: series looked at, false changes
        to expect, new baselines; None before the first one.
    counts
        Number of all regressions by state.
    confirmations
        Runs that were asked for to confirm what is suspected, newest first.
    """

    project: str
    states: tuple[RegressionState, ...]
    regressions: tuple[Regression, ...]
    counts: Mapping[str, int]
    confirmations: tuple[Confirmation, ...]
    detection: Mapping[str, Any] | None


def effect_of(member: Member) -> tuple[float, float]:
    """Return how far a change surely is from none, and how far it seems to be.

    At the target if that is known, where an interval says what is sure: a model that
    nobody can tell from others may seem to be anything there.
    """
    at_target = member.details.at_target
    if at_target is None:
        factor = member.details.largest_factor
        effect = max(factor, 1 / factor)
        return effect, effect
    seems = max(at_target.value, 1 / at_target.value)
    return max(at_target.low, 1 / at_target.high, 1.0), seems
