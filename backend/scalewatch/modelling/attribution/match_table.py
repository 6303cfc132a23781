"""Whom to suspect when a library scales worse than expected.

A litmus test is our own implementation of an algorithm whose behaviour is known. If
it diverges too, the platform is the strong suspect; if it does not, the library is
(sections 2.2 and 4.2 of the reference). Without one, the shape of the match table
still tells: a machine on which most regions diverge that behave elsewhere (a bad
column) speaks against the machine, a region that diverges on every machine (a bad
row) against its algorithm, its implementation or its expectation.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter

from scalewatch import reasons
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.verdict import Direction, Verdict, direction

BAD_SHARE = 0.5
"""A column is bad if more than this share of its regions diverge."""


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


@dataclass(frozen=True, slots=True)
class Attribution:
    """Whom to suspect where regions diverge, and what that would explain.

    Parameters
    ----------
    suspect
        Platform or library.
    subject
        The machine, or the region.
    sentence
        The suspicion and its evidence.
    cells
        The diverging cells that it would explain.
    litmus
        The litmus test that tells; None where only the shape of the table does.
    """

    suspect: Suspect
    subject: str
    sentence: str
    cells: tuple[JudgedCell, ...]
    litmus: str | None = None


def attribute(
    cells: Sequence[JudgedCell], litmus_tests: Collection[str] = ()
) -> tuple[Attribution, ...]:
    """Return the suspicions that a match table supports, machines before regions.

    Parameters
    ----------
    cells
        The table in any order, without what was not measured.
    litmus_tests
        Regions that are litmus tests.
    """
    suspicions: list[Attribution] = []
    distrusted: set[str] = set()
    behaving = Counter(cell.region for cell in cells if not cell.diverges)
    for machine, column in _grouped(cells, attrgetter("machine")).items():
        tests = [cell for cell in column if cell.region in litmus_tests]
        others = [cell for cell in column if cell.region not in litmus_tests]
        elsewhere = behaving - Counter(c.region for c in column if not c.diverges)
        suspicion = (
            _from_litmus_tests(machine, tests, others)
            if tests
            else _from_column(machine, others, elsewhere)
        )
        if suspicion is not None:
            suspicions.append(suspicion)
            if suspicion.suspect is Suspect.PLATFORM:
                distrusted.add(machine)
    trusted = [cell for cell in cells if cell.machine not in distrusted]
    for region, row in _grouped(trusted, attrgetter("region")).items():
        if region not in litmus_tests:
            suspicions.extend(_from_row(region, tuple(row)))
    return tuple(suspicions)


def _grouped(
    cells: Iterable[JudgedCell], name_of: Callable[[JudgedCell], str]
) -> Mapping[str, list[JudgedCell]]:
    grouped: dict[str, list[JudgedCell]] = defaultdict(list)
    for cell in cells:
        grouped[name_of(cell)].append(cell)
    return grouped


@lru_cache(maxsize=4096)
def _is_worse(growth: Growth, expectation: Growth) -> bool:
    """Tell whether a growth is steeper; few pairs occur in all cells of a table."""
    return direction(growth / expectation) is Direction.WORSE


def _from_litmus_tests(
    machine: str, tests: Sequence[JudgedCell], others: Sequence[JudgedCell]
) -> Attribution | None:
    """Compare the regions of a machine with its litmus tests."""
    diverging = tuple(cell for cell in others if cell.diverges)
    failed = tuple(cell for cell in tests if cell.diverges)
    if failed:
        test = failed[0]
        reason = reasons.LitmusDiverges(
            machine, test.region, test.growth, test.expectation, _regions(diverging)
        )
        cells = (*failed, *diverging)
        return Attribution(Suspect.PLATFORM, machine, str(reason), cells, test.region)
    if diverging and all(cell.verdict is Verdict.MATCH for cell in tests):
        test = tests[0]
        holds = reasons.LitmusHolds(machine, test.region, _regions(diverging))
        return Attribution(Suspect.LIBRARY, machine, str(holds), diverging, test.region)
    return None


def _from_column(
    machine: str, column: Sequence[JudgedCell], behaving: Collection[str]
) -> Attribution | None:
    """Find a machine on which most regions diverge that behave elsewhere."""
    diverging = tuple(c for c in column if c.diverges and c.region in behaving)
    if len(diverging) < 2 or len(diverging) <= BAD_SHARE * len(column):
        return None
    reason = reasons.MachineDiverges(machine, _regions(diverging), len(column))
    return Attribution(Suspect.PLATFORM, machine, str(reason), diverging)


def _from_row(region: str, row: tuple[JudgedCell, ...]) -> Iterator[Attribution]:
    """Find a region that diverges on several machines and behaves on none."""
    if len(row) > 1 and all(cell.diverges for cell in row):
        machines = [cell.machine for cell in row]
        reason = reasons.RegionDiverges(region, machines, row[0].expectation)
        yield Attribution(Suspect.LIBRARY, region, str(reason), row)


def _regions(cells: Sequence[JudgedCell]) -> list[str]:
    return [cell.region for cell in cells]
