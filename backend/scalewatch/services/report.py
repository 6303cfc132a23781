"""The match table of a commit: regions × machines."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Verdict
from scalewatch.services.commits import Commit, commit_of, find_commit
from scalewatch.services.configurations import choices_among, is_chosen, key_of, shared
from scalewatch.services.judged import Judged, judged_at
from scalewatch.services.measurements import Flag
from scalewatch.services.scans import choose_metric
from scalewatch.services.standings import UNMEASURED, Expectation, Standing
from scalewatch.services.views import View
from scalewatch.storage import commits, measurements, projects

SEVERITY: Final = {
    Verdict.MISMATCH: 4,
    Verdict.APPROXIMATE: 3,
    Verdict.UNDECIDED: 2,
    Verdict.MATCH: 1,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A region on a machine."""

    machine: str
    standing: Standing
    configuration: Mapping[str, Any]
    flags: Mapping[Flag, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """A region, with a cell for each machine of the table.

    Parameters
    ----------
    configuration
        Only what tells this row from others of the same region.
    """

    region: str
    configuration: Mapping[str, Any]
    unit: str
    expectation: Expectation | None
    cells: tuple[Cell, ...]

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Number of its cells per verdict."""
        return counts(self.cells)

    @property
    def severity(self) -> tuple[int, int]:
        """How bad its worst cell is, and how many are that bad."""
        each = [SEVERITY.get(verdict, 0) for verdict in _verdicts(self.cells)]
        return max(each, default=0), each.count(max(each, default=0))


@dataclass(frozen=True, slots=True)
class Column:
    """A machine of the table; its slot fixes its colour."""

    machine: str
    slot: int
    counts: Mapping[Verdict, int]
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Regions × machines at a commit, for one metric.

    Parameters
    ----------
    choices
        Settings that vary within a machine, each with its values.
    chosen
        Those of them that the table is limited to.
    fixed
        Settings that all its scans share.
    """

    project: str
    commit: Commit
    commits: tuple[Commit, ...]
    metric: str
    metrics: tuple[str, ...]
    choices: Mapping[str, tuple[Any, ...]]
    chosen: Mapping[str, str]
    fixed: Mapping[str, Any]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Number of cells per verdict."""
        return counts(cell for row in self.rows for cell in row.cells)

    def of_machines(self, names: Sequence[str]) -> Self:
        """Return the table with the columns of these machines only, all if none.

        Raises
        ------
        NotMeasured
            If one of them is no column.
        """
        if not names:
            return self
        by_name = {column.machine: column for column in self.columns}
        for name in names:
            if name not in by_name:
                raise NotMeasured("machine", name, at=self.commit.label)
        rows = []
        for row in self.rows:
            cell_of = {cell.machine: cell for cell in row.cells}
            rows.append(replace(row, cells=tuple(cell_of[name] for name in names)))
        columns = tuple(by_name[name] for name in names)
        return replace(self, columns=columns, rows=tuple(rows))


def match_table(session: Session, view: View) -> MatchTable:
    """Return how the regions of a project scale at a commit, worst first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, or the metric at this commit is unknown.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    metrics = measurements.metrics_at_commit(session, row.id)
    metric = choose_metric(metrics, view.metric)
    scans = judged_at(session, project, row, metric)
    choices = choices_among(scans)
    chosen = {
        name: text for name, text in view.configuration.items() if name in choices
    }
    shown = [
        scan
        for scan in scans
        if is_chosen(scan, chosen) and view.machine in {None, scan.machine}
    ]
    if not shown and view.machine is not None:
        raise NotMeasured("machine", view.machine, at=commit_of(row).label)
    rows = _rows(shown, tuple(choices))
    return MatchTable(
        project=project.name,
        commit=commit_of(row),
        commits=tuple(map(commit_of, commits.of_project(session, project.id))),
        metric=metric,
        metrics=tuple(metrics),
        choices=choices,
        chosen=chosen,
        fixed=shared([scan.configuration for scan in scans]),
        columns=_columns(shown, rows),
        rows=rows,
    )


def counts(cells: Iterable[Cell]) -> Mapping[Verdict, int]:
    """Count the verdicts among cells; every verdict has an entry."""
    found = Counter(_verdicts(cells))
    return {verdict: found[verdict] for verdict in Verdict}


def _verdicts(cells: Iterable[Cell]) -> list[Verdict]:
    return [
        cell.standing.verdict for cell in cells if cell.standing.verdict is not None
    ]


def _rows(scans: Sequence[Judged], distinguishing: Sequence[str]) -> tuple[Row, ...]:
    machines = _machines(scans)
    grouped: dict[tuple[Any, ...], dict[str, Judged]] = {}
    for scan in scans:
        settings = key_of(scan.configuration, distinguishing)
        grouped.setdefault((scan.region, *settings), {})[scan.machine] = scan
    rows = [
        _row(by_machine, machines, distinguishing) for by_machine in grouped.values()
    ]
    by_name = sorted(rows, key=lambda row: (row.region, str(row.configuration)))
    return tuple(sorted(by_name, key=lambda row: row.severity, reverse=True))


def _row(
    scans: Mapping[str, Judged], machines: Sequence[str], distinguishing: Sequence[str]
) -> Row:
    first = next(iter(scans.values()))
    return Row(
        region=first.region,
        configuration={
            name: first.configuration[name]
            for name in distinguishing
            if name in first.configuration
        },
        unit=first.unit,
        expectation=first.expectation,
        cells=tuple(
            Cell(
                machine=machine,
                standing=scans[machine].standing,
                configuration=scans[machine].configuration,
                flags=scans[machine].flags,
            )
            if machine in scans
            else Cell(machine, UNMEASURED, {}, {})
            for machine in machines
        ),
    )


def _machines(scans: Sequence[Judged]) -> list[str]:
    slots = {scan.machine: scan.slot for scan in scans}
    return sorted(slots, key=slots.__getitem__)


def _columns(scans: Sequence[Judged], rows: Sequence[Row]) -> tuple[Column, ...]:
    common = shared([scan.configuration for scan in scans])
    columns = []
    for position, machine in enumerate(_machines(scans)):
        own = [scan for scan in scans if scan.machine == machine]
        constant = shared([scan.configuration for scan in own])
        columns.append(
            Column(
                machine=machine,
                slot=own[0].slot,
                counts=counts(row.cells[position] for row in rows),
                configuration={
                    name: value
                    for name, value in constant.items()
                    if name not in common
                },
            )
        )
    return tuple(columns)
