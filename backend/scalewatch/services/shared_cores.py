"""Times that were measured while processes shared cores, and are left out of verdicts.

Processes that take turns, or find no common start, tell of contention and little of the
library; so do rates and overlaps, which times yield. Counts, memory and times of
simulated machines do not suffer from it. A project may accept such times by the rules
of its gate, and is then judged by all of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from sqlalchemy.orm import Session

from scalewatch.figures.notation import SHARED_CORES
from scalewatch.services import jobs
from scalewatch.storage import tables
from scalewatch.storage.judgements import gate_rules
from scalewatch.storage.runs import points, series
from scalewatch.storage.runs.flags import CROWDED, bits_of
from scalewatch.wire import SECONDS

_SHARERS: Final = ("p", "threads")
"""Parameters that count what shares cores."""

_CROWDED: Final = bits_of(CROWDED)
_TIMES: Final = frozenset(SECONDS)


class Oversubscribed(StrEnum):
    """Whether a project takes times of shared cores for evidence."""

    UNDECIDED = "undecided"
    ACCEPT = "accept"


class Flagged(Protocol):
    """A measurement of a series, with its flags as they are stored."""

    @property
    def series_id(self) -> int:
        """Id of its series."""

    @property
    def flags(self) -> int:
        """Its flags, a bit each."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The measurements of a commit that are no evidence.

    Parameters
    ----------
    series
        Ids of series of time of which some measurements are left out.
    """

    series: frozenset[int]

    def __contains__(self, measured: Flagged) -> bool:
        return bool(measured.flags & _CROWDED) and measured.series_id in self.series


def left_out_at(
    session: Session, project_id: int, measured: Iterable[Flagged]
) -> LeftOut:
    """Return which measurements of a project's commits are left out."""
    crowded = {each.series_id for each in measured if each.flags & _CROWDED}
    if not crowded or accepts(gate_rules.newest(session, project_id)):
        return LeftOut(frozenset())
    return LeftOut(frozenset(series.measured_in(session, crowded, _TIMES)))


def declared(rules: Mapping[str, Any]) -> Oversubscribed:
    """Return what stored rules of a project say; older ones say nothing."""
    return Oversubscribed(rules.get("oversubscribed", Oversubscribed.UNDECIDED))


def accepts(rules: tables.GateRules | None) -> bool:
    """Tell whether the rules of a project take times of shared cores for evidence."""
    return rules is not None and declared(rules.rules) is Oversubscribed.ACCEPT


def places(coordinates: Iterable[Mapping[str, float]]) -> str:
    """Name the settings at which processes shared cores: `p = 4, 8, 16`."""
    settings = list(coordinates)
    if not settings:
        return ""
    names = sorted(set.intersection(*map(set, settings)))
    name = next((each for each in _SHARERS if each in names), names[0])
    listed = ", ".join(f"{at:g}" for at in sorted({each[name] for each in settings}))
    return f"{name} = {listed}"


def remark(crowded: str, reason: str | None, *, is_modelled: bool) -> str:
    """Return why a series has no model or verdict, and what its model leaves out.

    Parameters
    ----------
    crowded
        The settings that are left out, in words; empty if none is.
    reason
        Why there is no model or no verdict, apart from that.
    """
    if not crowded:
        return reason or ""
    if not is_modelled:
        return f"{SHARED_CORES} at {crowded}; without these, {reason}"
    said = f"{crowded} left out: {SHARED_CORES} there"
    return "; ".join(filter(None, [reason, said]))


def crowded_sentence(crowded: int, series: int) -> str:
    """Tell how many of so many series cannot be judged because of shared cores."""
    return f"{crowded:,} of {series:,} series cannot be judged: {SHARED_CORES}."


def queue_crowded(session: Session, project_id: int) -> None:
    """Queue the analysis of all commits with times for which processes shared cores."""
    for commit_id, machine_id in points.flagged_at(
        session, project_id, _CROWDED, _TIMES
    ):
        subject = jobs.AnalysedCommit(commit_id, machine_id)
        jobs.enqueue(session, jobs.JobKind.ANALYSE, project_id, str(subject))
