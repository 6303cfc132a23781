"""What the newest detection knows of the nights of a machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.storage.histories import regressions

CORRELATED: Final = 0.05
"""Nights less correlated than that are said to be independent."""

WHOSE: Final = {
    "library": "the library's, as on other machines",
    "machine": "the machine's, not on others",
    "undecided": "the machine's or the library's: no other machine tells",
}


@dataclass(frozen=True, slots=True)
class NightStep:
    """A commit from which on all regions of a machine took another time.

    Parameters
    ----------
    factor
        After over before.
    origin
        What moved them: `library`, `machine` or `undecided`.
    """

    commit: str
    factor: float
    origin: str

    @property
    def sentence(self) -> str:
        """What it says of the machine."""
        sense = "slow" if self.factor > 1 else "fast"
        if self.origin == "machine":
            return f"machine {sense} since {self.commit}, × {self.factor:.2f}"
        return f"× {self.factor:.2f} since {self.commit}: {WHOSE[self.origin]}"


@dataclass(frozen=True, slots=True)
class Nights:
    """What a night does to all regions of a machine, in a metric.

    Parameters
    ----------
    correlation
        Of one night with the next.
    spread
        Usual change of levels from one night to the next, as a share.
    regions, commits
        From how many this was learned.
    effects
        Newest nights, by commit: logarithm of what each did to all regions on average.
    bad
        Commits of nights that were taken for bad ones, by hash.
    steps
        Oldest first.
    """

    metric: str
    correlation: float
    spread: float
    regions: int
    commits: int
    effects: tuple[tuple[str, float], ...]
    bad: Mapping[str, str]
    steps: tuple[NightStep, ...]

    @property
    def sentence(self) -> str:
        """How nights of the machine are correlated, and how far they scatter."""
        how = "independent"
        if self.correlation >= CORRELATED:
            how = f"correlated, {self.correlation:.1f}"
        return (
            f"nights of this machine are {how}; usual spread {100 * self.spread:.1f} %"
        )


def nights_of(session: Session, project_id: int, machine: str) -> tuple[Nights, ...]:
    """Return what is known of the nights of a machine, by metric."""
    detection = regressions.detection_of(session, project_id)
    known = detection.details.get("nights", ()) if detection else ()
    return tuple(_nights(each) for each in known if each["machine"] == machine)


def bad_nights(details: Mapping[str, Any], metric: str) -> Mapping[str, set[str]]:
    """Return the hashes of commits of bad nights by machine, as a detection has it."""
    found: dict[str, set[str]] = {}
    for known in details.get("nights", ()):
        if known["metric"] == metric:
            found.setdefault(known["machine"], set()).update(known["bad"])
    return found


def _nights(known: Mapping[str, Any]) -> Nights:
    return Nights(
        metric=known["metric"],
        correlation=known["correlation"],
        spread=known["spread"],
        regions=known["regions"],
        commits=known["commits"],
        effects=tuple((commit, effect) for commit, effect in known["nights"]),
        bad=known["bad"],
        steps=tuple(NightStep(**step) for step in known["steps"]),
    )
