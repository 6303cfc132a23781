"""Times that are no evidence: processes shared cores, or others disturbed the job.

Processes that take turns, or find no common start, tell of contention and little of the
library; so do rates and overlaps, which times yield. Counts, memory and times of
simulated machines do not suffer from it. Nor are times evidence of jobs that wanted
processors which others took. A project may accept either by the rules of its gate, and
is then judged by such times as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from sqlalchemy.orm import Session

from scalewatch.figures.notation import DISTURBED, SHARED_CORES, UNJUDGED
from scalewatch.services import jobs
from scalewatch.storage import tables
from scalewatch.storage.judgements import gate_rules
from scalewatch.storage.runs import points, series
from scalewatch.storage.runs.points import CROWDED, Flag, bits_of
from scalewatch.texts.scales import RESOURCES
from scalewatch.wire import SECONDS

_SHARERS: Final = ("p", "threads")
"""Parameters that count what shares cores."""

OVERSUBSCRIBED: Final = "oversubscribed"
DISTURBED_JOBS: Final = "disturbed"
"""Under these names rules say what becomes of such times."""

_BITS: Final = {
    OVERSUBSCRIBED: bits_of(CROWDED),
    DISTURBED_JOBS: bits_of([Flag.DISTURBED]),
}
_WORDS: Final = {OVERSUBSCRIBED: SHARED_CORES, DISTURBED_JOBS: DISTURBED}
TREATED: Final = tuple(_BITS)
_TIMES: Final = frozenset(SECONDS)


class Treatment(StrEnum):
    """Whether a project takes times for evidence that are none by themselves."""

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


class Located(Flagged, Protocol):
    """A measurement with where it was taken."""

    @property
    def coordinate(self) -> Mapping[str, float]:
        """Settings of what varied."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The measurements of a commit that are no evidence.

    Parameters
    ----------
    series
        Ids of series of time of which some measurements are left out.
    rules
        Names of the rules by which they are.
    """

    series: frozenset[int]
    rules: tuple[str, ...] = ()

    def __contains__(self, measured: Flagged) -> bool:
        return measured.series_id in self.series and bool(
            measured.flags & _bits(self.rules)
        )

    def crowded(self, measured: Iterable[Located]) -> dict[str, str]:
        """Return the settings of measurements that are left out, by why, in words."""
        left_out = [each for each in measured if each in self]
        of_rules = {
            _WORDS[rule]: [e.coordinate for e in left_out if e.flags & _BITS[rule]]
            for rule in self.rules
        }
        return {why: places(at) for why, at in of_rules.items() if at}


def left_out_at(
    session: Session, project_id: int, measured: Iterable[Flagged]
) -> LeftOut:
    """Return which measurements of a project's commits are left out."""
    every = _bits(TREATED)
    flagged = [each for each in measured if each.flags & every]
    if not flagged:
        return LeftOut(frozenset())
    rules = minded(gate_rules.newest(session, project_id))
    crowded = {each.series_id for each in flagged if each.flags & _bits(rules)}
    if not crowded:
        return LeftOut(frozenset())
    return LeftOut(frozenset(series.measured_in(session, crowded, _TIMES)), rules)


def declared(rules: Mapping[str, Any]) -> dict[str, Treatment]:
    """Return what stored rules of a project say; older ones say nothing."""
    return {name: Treatment(rules.get(name, Treatment.UNDECIDED)) for name in TREATED}


def minded(rules: tables.GateRules | None) -> tuple[str, ...]:
    """Return the names of the rules by which a project leaves times out."""
    said = declared(rules.rules if rules is not None else {})
    return tuple(name for name in TREATED if said[name] is not Treatment.ACCEPT)


def _bits(rules: Iterable[str]) -> int:
    return sum(_BITS[rule] for rule in rules)


def places(coordinates: Iterable[Mapping[str, float]]) -> str:
    """Name the settings at which processes shared cores: `p = 4, 8, 16`."""
    settings = list(coordinates)
    if not settings:
        return ""
    names = sorted(set.intersection(*map(set, settings)))
    name = next((each for each in _SHARERS if each in names), names[0])
    listed = ", ".join(f"{at:g}" for at in sorted({each[name] for each in settings}))
    return f"{name} = {listed}"


def remark(crowded: Mapping[str, str], reason: str | None, *, is_modelled: bool) -> str:
    """Return why a series has no model or verdict, and what its model leaves out.

    Parameters
    ----------
    crowded
        The settings that are left out, in words, by why.
    reason
        Why there is no model or no verdict, apart from that.
    """
    if not crowded:
        return reason or ""
    if not is_modelled:
        said = " and ".join(f"{why} at {places}" for why, places in crowded.items())
        return f"{said}; the other runs: {reason}"
    left_out = (f"{at} left out: {why} there" for why, at in crowded.items())
    return "; ".join(filter(None, [reason, *left_out]))


def crowded_sentence(crowded: int, series: int) -> str:
    """Tell how many of so many series cannot be judged for want of evidence."""
    return f"{crowded:,} of {series:,} series cannot be judged: {UNJUDGED}."


def queue_ruled(session: Session, project_id: int) -> None:
    """Queue the analysis of all commits that rules may read in another way."""
    for commit_id, machine_id in points.ruled_at(
        session, project_id, _bits(TREATED), _TIMES, RESOURCES
    ):
        subject = jobs.AnalysedCommit(commit_id, machine_id)
        jobs.enqueue(session, jobs.JobKind.ANALYSE, project_id, str(subject))
