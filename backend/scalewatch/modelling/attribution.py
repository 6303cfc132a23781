"""Causes: whom to suspect when regions scale worse, and which changes have one cause.

A region that diverges on every machine speaks against its code, one that diverges on
one machine and behaves on others against that machine; where it diverges on some and
behaves on others, nothing tells. A litmus test is our own implementation of an
algorithm whose behaviour is known (sections 2.2 and 4.2 of the reference). If it
diverges, what it loads of the platform is the suspect; if it does not, it acquits just
that.

Changes have one cause that are at the same commits, of one class and sense and of
similar size: they are one thing to look at. And what changed tells whom to ask: all
regions of one machine, while other machines stay as they are, point at the machine, and
so does a region that moves on one of several machines alone; a region that moves on
every machine points at the library.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, Generic, TypeVar

from scalewatch import reasons
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.verdict import Direction, Verdict, direction


class Suspect(StrEnum):
    """Where the cause of a divergence is likely to be found."""

    PLATFORM = "platform"
    LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """A cell of the match table.

    Parameters
    ----------
    region, machine
        Its row and column.
    growth, expectation
        G and E.
    verdict
        What they were judged to be.
    """

    region: str
    machine: str
    growth: Growth
    expectation: Growth
    verdict: Verdict

    @property
    def diverges(self) -> bool:
        """Whether it is a mismatch for the worse."""
        is_mismatch = self.verdict is Verdict.MISMATCH
        return is_mismatch and _is_worse(self.growth, self.expectation)

    @property
    def behaves(self) -> bool:
        """Whether it scales as expected, or better."""
        return self.verdict is not Verdict.UNDECIDED and not self.diverges


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whom to suspect where regions diverge, and on what evidence.

    Parameters
    ----------
    suspect
        Platform or library; None where the machines do not tell.
    subject
        The machine, or the region.
    cells
        The diverging cells that it would explain.
    behaving
        Machines on which these regions scale as expected, or better.
    litmus
        The litmus test that accuses a platform, being among the cells, or that acquits
        what the regions load of it; None without one.
    """

    suspect: Suspect | None
    subject: str
    cells: tuple[JudgedCell, ...]
    behaving: tuple[str, ...] = ()
    litmus: str | None = None

    @property
    def regions(self) -> tuple[str, ...]:
        """Regions that diverge."""
        return tuple(dict.fromkeys(cell.region for cell in self.cells))

    @property
    def machines(self) -> tuple[str, ...]:
        """Machines on which they diverge."""
        return tuple(dict.fromkeys(cell.machine for cell in self.cells))

    @property
    def is_accused_by_litmus(self) -> bool:
        """Whether a litmus test diverges, too."""
        return self.litmus in self.regions


def attribute(
    cells: Sequence[JudgedCell],
    litmus_tests: Mapping[str, Collection[str]] | None = None,
) -> tuple[Attribution, ...]:
    """Return the suspicions that a match table supports, machines before regions.

    Last come regions of which the machines do not tell whom to suspect.

    Parameters
    ----------
    cells
        The table in any order, without what was not measured.
    litmus_tests
        Regions that are litmus tests, and the regions that load the platform as each
        of them does.
    """
    table = _Table(cells, litmus_tests or {})
    of_machines = [
        suspicion
        for machine in dict.fromkeys(cell.machine for cell in cells)
        if (suspicion := table.of_machine(machine)) is not None
    ]
    explained = {cell for suspicion in of_machines for cell in suspicion.cells}
    of_regions = sorted(table.of_regions(explained), key=lambda e: e.suspect is None)
    return (*of_machines, *of_regions)


class _Table:
    """A match table by region and by machine."""

    def __init__(
        self,
        cells: Sequence[JudgedCell],
        litmus_tests: Mapping[str, Collection[str]],
    ) -> None:
        self._litmus_tests = litmus_tests
        self._columns: dict[str, list[JudgedCell]] = defaultdict(list)
        self._rows: dict[str, list[JudgedCell]] = defaultdict(list)
        self._behaving: dict[str, list[str]] = defaultdict(list)
        for cell in cells:
            self._columns[cell.machine].append(cell)
            if cell.region not in litmus_tests:
                self._rows[cell.region].append(cell)
            if cell.behaves:
                self._behaving[cell.region].append(cell.machine)

    def of_machine(self, machine: str) -> Attribution | None:
        """Return the suspicion against a machine, if anything speaks against it.

        A litmus test diverges, most regions that behave elsewhere diverge, or some
        diverge there alone.
        """
        column = self._columns[machine]
        diverging = [cell for cell in column if cell.diverges]
        failed = [cell for cell in diverging if cell.region in self._litmus_tests]
        loaded = {name for test in failed for name in self._litmus_tests[test.region]}
        regions = [c for c in diverging if c.region not in self._litmus_tests]
        elsewhere = [cell for cell in regions if self._behaving[cell.region]]
        is_bad = len(elsewhere) > max(1, ASSUMED.bad_share * len(column))
        explained = [
            cell
            for cell in regions
            if cell.region in loaded
            or (cell in elsewhere and (is_bad or self._is_alone(cell)))
        ]
        if not failed and not explained:
            return None
        behaving = {name for cell in explained for name in self._behaving[cell.region]}
        acquitting = {self._acquitting(cell) for cell in explained}
        return Attribution(
            Suspect.PLATFORM,
            machine,
            (*failed, *explained),
            tuple(name for name in self._columns if name in behaving),
            failed[0].region
            if failed
            else acquitting.pop()
            if len(acquitting) == 1
            else None,
        )

    def of_regions(self, explained: Collection[JudgedCell]) -> Iterator[Attribution]:
        """Yield suspicions about regions beyond the cells that machines explain."""
        for region, row in self._rows.items():
            diverging = [c for c in row if c.diverges and c not in explained]
            behaving = tuple(self._behaving[region])
            litmus_tests = {self._acquitting(cell) for cell in diverging}
            litmus = litmus_tests.pop() if len(litmus_tests) == 1 else None
            undecided = sum(cell.verdict is Verdict.UNDECIDED for cell in row)
            if diverging and behaving:
                yield Attribution(None, region, tuple(diverging), behaving)
            elif len(diverging) > max(1, undecided) or litmus is not None:
                yield Attribution(
                    Suspect.LIBRARY, region, tuple(diverging), litmus=litmus
                )

    def _is_alone(self, cell: JudgedCell) -> bool:
        """Tell whether its region diverges on no other machine."""
        return sum(other.diverges for other in self._rows[cell.region]) == 1

    def _acquitting(self, cell: JudgedCell) -> str | None:
        """Return a litmus test that loads the platform as a region, and behaves."""
        return next(
            (
                test.region
                for test in self._columns[cell.machine]
                if test.verdict is Verdict.MATCH
                and cell.region in self._litmus_tests.get(test.region, ())
            ),
            None,
        )


@lru_cache(maxsize=4096)
def _is_worse(growth: Growth, expectation: Growth) -> bool:
    """Tell whether a growth is steeper; few pairs occur in all cells of a table."""
    return direction(growth / expectation) is Direction.WORSE


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
