"""Changes that have one cause: the same commits, class and sense, of similar size.

What changed together is one thing to look at. And what changed tells whom to ask: all
regions of one machine, while other machines stay as they are, point at the machine, and
so does a region that moves on one of several machines alone; a region that moves on
every machine points at the library.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Generic, TypeVar

from scalewatch import reasons
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.attribution.match_table import Suspect

Subject = TypeVar("Subject", bound=Hashable)


LEAST_OTHERS: Final = 2
"""Machines without a change that speak against the one that has it: a change that one
other lacks may only not have been seen there yet."""


class ChangeClass(StrEnum):
    """Meaning of a change for scalability."""

    GROWTH = "growth"
    CONSTANT = "constant"
    VERDICT = "verdict"
    GUIDELINE = "guideline"


@dataclass(frozen=True, slots=True)
class ChangedSeries(Generic[Subject]):
    """A series that changed.

    Parameters
    ----------
    subject
        Which change of which series.
    region, machine
        Of the series.
    first, last
        Numbers of the commits that may have made it.
    kind
        Its class.
    is_worse
        Whether it became worse.
    size
        Of a growth the exponent, of a constant the logarithm, by which it changed.
    is_exact
        Whether it is counted, which no machine does differently: the commit alone
        tells the cause, whatever the size.
    """

    subject: Subject
    region: str
    machine: str
    first: int
    last: int
    kind: ChangeClass
    is_worse: bool
    size: float
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Cause(Generic[Subject]):
    """Cause that the changes of several series have in common.

    Parameters
    ----------
    series
        Those whose changes it explains.
    first, last
        Numbers of the commits that may be it: those that all changes allow.
    kind, is_worse
        As of each change.
    suspect, sentence
        Whom to ask, if anything speaks for it, and why.
    """

    series: tuple[ChangedSeries[Subject], ...]
    first: int
    last: int
    kind: ChangeClass
    is_worse: bool
    suspect: Suspect | None
    sentence: str


def causes(
    changed: Sequence[ChangedSeries[Subject]], watched: Mapping[str, Collection[str]]
) -> list[Cause[Subject]]:
    """Group changes by their cause, the newest first.

    Parameters
    ----------
    changed
        All changes.
    watched
        The regions that were measured on each machine about then.
    """
    groups: list[list[ChangedSeries[Subject]]] = []
    # The surest places first, there the largest: what is vague joins what is exact.
    for change in sorted(
        changed, key=lambda m: (m.last - m.first, m.first, -m.size, m.region)
    ):
        group = next((g for g in groups if _is_shared(g, change)), None)
        if group is None:
            groups.append([change])
        else:
            group.append(change)
    grouped = [_cause(group, watched) for group in groups]
    return sorted(grouped, key=lambda cause: (cause.last, cause.first), reverse=True)


def _is_shared(
    group: Sequence[ChangedSeries[Subject]], other: ChangedSeries[Subject]
) -> bool:
    first = max(each.first for each in group)
    last = min(each.last for each in group)
    if (group[0].kind, group[0].is_worse) != (other.kind, other.is_worse):
        return False
    return max(first, other.first) <= min(last, other.last) and all(
        _is_similar(each, other) for each in group
    )


def _is_similar(change: ChangedSeries[Subject], other: ChangedSeries[Subject]) -> bool:
    if change.is_exact and other.is_exact:
        return True
    smaller, larger = sorted((change.size, other.size))
    return larger <= ASSUMED.similar_sizes * smaller


def _cause(
    group: Sequence[ChangedSeries[Subject]], watched: Mapping[str, Collection[str]]
) -> Cause[Subject]:
    suspect, sentence = _suspected(group, watched)
    return Cause(
        series=tuple(group),
        first=max(each.first for each in group),
        last=min(each.last for each in group),
        kind=group[0].kind,
        is_worse=group[0].is_worse,
        suspect=suspect,
        sentence=sentence,
    )


def _suspected(
    group: Sequence[ChangedSeries[Subject]], watched: Mapping[str, Collection[str]]
) -> tuple[Suspect | None, str]:
    if all(each.is_exact for each in group):
        return Suspect.LIBRARY, reasons.COUNTED
    return suspicion({(each.region, each.machine) for each in group}, watched)


def suspicion(
    changed: Collection[tuple[str, str]], watched: Mapping[str, Collection[str]]
) -> tuple[Suspect | None, str]:
    """Return whom to suspect of changes, pairs of region and machine, and why."""
    machines = sorted({machine for _, machine in changed})
    regions = sorted({region for region, _ in changed})
    if len(machines) == 1 and len(watched) > 1:
        (machine,) = machines
        every = watched.get(machine, ())
        shared = {
            r for r in regions if any(r in watched[m] for m in watched if m != machine)
        }
        if (
            len(regions) >= max(ASSUMED.least_regions, ASSUMED.all_regions * len(every))
            and shared
        ):
            moved = reasons.MachineMoved(machine, len(regions), len(every))
            return Suspect.PLATFORM, str(moved)
    for region in regions:
        on = {machine for name, machine in changed if name == region}
        where = {machine for machine in watched if region in watched[machine]}
        if len(on) > 1 and on == where:
            return Suspect.LIBRARY, str(reasons.LibraryMoved(region, len(on)))
    others = [m for m in watched if m not in machines and watched[m]]
    if len(machines) == 1 and all(
        sum(region in watched[m] for m in others) >= LEAST_OTHERS for region in regions
    ):
        alone = reasons.MovedAlone(machines[0], regions, len(others))
        return Suspect.PLATFORM, str(alone)
    if len(machines) == 1 and len(watched) == 1:
        return None, str(reasons.OneMachine(*machines))
    cause = reasons.NoSingleCause(len(regions), len(machines), len(watched))
    return None, str(cause)
