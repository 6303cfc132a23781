"""The match table of a commit: regions × machines."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Attribution, JudgedCell, Mark, attribute
from scalewatch.services.commit_reports.changes import kinds_of_measured
from scalewatch.services.commits.baselines import (
    Baseline,
    Neighbours,
    baseline_of,
    neighbours_of,
)
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations.built_in import LITMUS_TESTS, MESSAGES
from scalewatch.services.guidelines import (
    CheckedGuideline,
    GuidelineState,
    checks_of,
    concerned_by,
    instances_of,
    rules_of,
    series_of,
)
from scalewatch.services.match_table.cells import (
    Cell,
    Grid,
    MatchColumn,
    MatchRow,
    RecentChange,
    grid_of,
    with_values,
)
from scalewatch.services.match_table.single_values import are_single, judged_values
from scalewatch.services.selection.pages import Page
from scalewatch.services.selection.view import (
    View,
    choices_among,
    choose_metric,
    is_chosen,
    shared,
)
from scalewatch.services.series.judged import FailedSeries, Judged
from scalewatch.services.series.scans import leaves_tolerance
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions

ALL_METRICS: Final = "*"
"""Asks for the rows of every metric."""

LATELY: Final = timedelta(days=30)
"""A change is recent while its commit is no older, seen from the commit shown."""


class Sort(StrEnum):
    """Order of the rows; cost is the value at the largest setting."""

    WORST = "worst"
    NAME = "name"
    CHANGED = "changed"
    GROWTH = "growth"
    COST = "cost"


class Only(StrEnum):
    """Which rows are shown."""

    ALL = ""
    CHANGED = "changed"
    WORSE = "worse"
    MISMATCH = "mismatch"


KEEPS: Final[Mapping[Only, Callable[[MatchRow], bool]]] = {
    Only.ALL: lambda _: True,
    Only.CHANGED: lambda row: row.is_changed,
    Only.WORSE: lambda row: row.is_worse,
    Only.MISMATCH: lambda row: bool(row.counts[Mark.MISMATCH]),
}
"""Whether a row is shown."""


@dataclass(frozen=True, slots=True)
class RowChoice:
    """Which rows of a table are wanted, in which order, and from which on.

    Parameters
    ----------
    filter
        What their names contain. Of a table that fits a page, all rows are returned: a
        page hides them.
    cursor
        The `next` of the page before.
    """

    sort: Sort = Sort.WORST
    only: Only = Only.ALL
    filter: str = ""
    cursor: str | None = None

    @property
    def compares(self) -> bool:
        """Whether a baseline is needed, even if none is named."""
        return self.only in {Only.CHANGED, Only.WORSE} or self.sort is Sort.CHANGED

    def contains(self, row: MatchRow) -> bool:
        """Tell whether the name of a row contains what is looked for."""
        return self.filter.strip().lower() in row.region.lower()

    def page_of(
        self,
        rows: Sequence[MatchRow],
        columns: int,
        costs: Mapping[int, float] = MappingProxyType({}),
    ) -> Page[MatchRow]:
        """Return the page of these rows, which come worst first.

        Parameters
        ----------
        costs
            Of series, where rows are in their order.

        Raises
        ------
        NotFound
            If the cursor names no page.
        """
        kept = [row for row in rows if KEEPS[self.only](row)]
        if self.sort is Sort.NAME:
            kept.sort(key=lambda row: (row.region, row.metric, str(row.configuration)))
        if self.sort is Sort.CHANGED:
            kept.sort(key=lambda row: (not row.is_worse, not row.is_changed))
        if self.sort is Sort.GROWTH:
            kept.sort(key=lambda row: row.steepness, reverse=True)
        if self.sort is Sort.COST:
            kept.sort(
                key=lambda row: max(
                    costs.get(cell.series or 0, 0.0) for cell in row.cells
                ),
                reverse=True,
            )
        page = Page.of(kept, self.cursor, columns)
        if page.is_part and self.filter:
            matching = [row for row in kept if self.contains(row)]
            page = Page.of(matching, self.cursor, columns)
        return page


EVERY_ROW: Final = RowChoice()


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Regions × machines at a commit, worst first, for one metric or for all.

    Of a wide project it has so many rows as make a page.

    Parameters
    ----------
    metric
        `*` if rows of all metrics are shown.
    baseline
        The commit that cells are compared with, if they are.
    choices
        Settings that vary within a machine, each with its values.
    chosen
        Those of them that the table is limited to.
    fixed
        Settings that all its scans share.
    suspicions
        Whom to suspect, platform or library, where regions diverge.
    total
        Number of rows on all pages, whatever is filtered.
    next
        `cursor` of the next page, if there is one.
    series, crowded
        Number of cells that were measured, and of those that cannot be judged because
        processes shared cores; on all pages.
    failed
        Series of which runs failed, on all pages.
    has_single_values
        Whether no series has several settings; its cells then hold their values.
    gate
        What the gate says of single values.
    """

    project: str
    commit: Commit
    neighbours: Neighbours
    baseline: Baseline | None
    metric: str
    metrics: tuple[str, ...]
    choices: Mapping[str, tuple[Any, ...]]
    chosen: Mapping[str, str]
    fixed: Mapping[str, Any]
    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]
    suspicions: tuple[Attribution, ...]
    total: int
    next: str | None
    page: Page[MatchRow] = field(repr=False)
    series: int = field(repr=False)
    crowded: int = field(repr=False)
    failed: tuple[FailedSeries, ...] = field(repr=False)
    has_single_values: bool = field(default=False, repr=False)
    gate: str | None = field(default=None, repr=False)

    @property
    def counts(self) -> Mapping[Mark, int]:
        """Number of cells per mark."""
        return {mark: sum(c.counts[mark] for c in self.columns) for mark in Mark}

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


def match_table(
    session: Session,
    view: View,
    *,
    vs: str | None = None,
    choice: RowChoice = EVERY_ROW,
) -> MatchTable:
    """Return how the regions of a project scale at a commit, worst first.

    Parameters
    ----------
    vs
        The baseline that cells are compared with, as `find_commit` takes it; the
        nearest where none is named and the choice of rows needs one.
    choice
        Which rows are wanted.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a commit, the metric at this commit, or the page is unknown.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    now = CommitSnapshot.of(session, row)
    metric = _metric(now.metrics, view.metric)
    metrics = now.metrics if metric == ALL_METRICS else [metric]
    known = now.kept(("settings",), lambda: _settings(now, metrics), metrics=metrics)
    chosen = {
        name: text for name, text in view.configuration.items() if name in known.choices
    }
    is_single = are_single(each.standing for each in now.outlined(metrics))
    compares = is_single or vs or choice.compares
    baseline = baseline_of(session, project, row, vs) if compares else None
    before = CommitSnapshot(session, project.id, baseline.id) if baseline else None
    recent = recent_changes(session, row)
    rules = rules_of(session, project, known.regions).guidelines

    def shown() -> list[Judged]:
        return [
            series
            for series in now.outlined(metrics)
            if is_chosen(series, chosen) and view.machine in {None, series.machine}
        ]

    def arranged() -> Grid:
        judged = shown()
        kinds = (
            kinds_of_measured(before, now, metrics)
            if before is not None and not is_single
            else {}
        )
        by_metric: dict[str, list[Judged]] = defaultdict(list)
        for series in now.whole(concerned_by(judged, rules)):
            by_metric[series.metric].append(series)
        instances = [
            instance
            for of_metric in by_metric.values()
            for instance in instances_of(of_metric, rules)
        ]
        middles = now.medians(series_of(instances)) if instances else {}
        broken = _broken(checks_of(instances, middles))
        return grid_of(judged, tuple(known.choices), kinds, recent, broken)

    grid = now.kept(
        ("match table", chosen, view.machine, recent, [*map(str, rules)]),
        arranged,
        lambda grid: grid.kilobytes,
        metrics=metrics,
        beside=[before] if before else [],
    )
    if not grid.rows and view.machine is not None:
        raise NotMeasured("machine", view.machine, at=commit_of(row).label)
    all_rows, gate = grid.rows, None
    if is_single:
        values, gate = judged_values(session, now, before, view, vs)
        all_rows = with_values(all_rows, values)
    costs = _costs(now, all_rows) if choice.sort is Sort.COST else {}
    page = choice.page_of(all_rows, len(grid.columns), costs)
    rows = _whole(now, page.rows) if now.is_wide else page.rows
    return MatchTable(
        project=project.name,
        commit=commit_of(row),
        neighbours=neighbours_of(session, project, row),
        baseline=baseline,
        metric=metric,
        metrics=tuple(now.metrics),
        choices=known.choices,
        chosen=chosen,
        fixed=known.fixed,
        columns=grid.columns,
        rows=tuple(rows),
        suspicions=now.kept(
            ("suspicions", chosen, view.machine),
            lambda: _suspicions(shown()),
            metrics=metrics,
        ),
        total=len(grid.rows),
        next=page.next,
        page=page,
        series=grid.series,
        crowded=grid.crowded,
        failed=grid.failed,
        has_single_values=is_single,
        gate=gate,
    )


@dataclass(frozen=True, slots=True)
class Excess:
    """The mismatch that grew most beyond its expectation where it was measured.

    Parameters
    ----------
    factor
        Last median over the first, over what the expectation allows.
    first, last
        The settings of these medians.
    """

    row: MatchRow
    cell: Cell
    factor: float
    first: Mapping[str, float]
    last: Mapping[str, float]


def largest_excess(session: Session, table: MatchTable) -> Excess | None:
    """Return the mismatch of a page that grew most beyond what is expected, if any."""
    project = projects.existing(session, table.project)
    now = CommitSnapshot.of(session, find_commit(session, project, table.commit.sha))
    bad = {
        cell.series: (row, cell)
        for row in table.rows
        for cell in row.cells
        if cell.series is not None and cell.standing.mark is Mark.MISMATCH
    }
    excesses = []
    for series, measured in now.medians(bad).items() if bad else ():
        row, cell = bad[series]
        first, last = ({measured.parameter: end(measured.values)} for end in (min, max))
        low, high = (measured.values[end(measured.values)] for end in (min, max))
        expectation = row.expectation
        if expectation is None or low <= 0 or high <= 0:
            continue
        growth, start = expectation.growth, first[measured.parameter]
        if {*growth.parameters} <= {measured.parameter} and start > 1:  # where log is
            allowed = float(growth.log2(last) - growth.log2(first))
            excesses.append(Excess(row, cell, high / low / 2.0**allowed, first, last))
    worst = max(excesses, key=lambda excess: excess.factor, default=None)
    return worst if worst is not None and worst.factor > 1 else None


def leaving(session: Session, table: MatchTable) -> Mapping[int, tuple[str, float]]:
    """Return where series of a page leave their tolerance, by parameter and setting.

    Of mismatches that no measurement shows yet, by series.
    """
    project = projects.existing(session, table.project)
    now = CommitSnapshot.of(session, find_commit(session, project, table.commit.sha))
    places = {
        (row.region, row.metric, cell.machine, repr(cell.configuration)): cell.series
        for row in table.rows
        for cell in row.cells
        if cell.series is not None and cell.standing.mark is Mark.MISMATCH
    }

    def computed() -> Mapping[int, tuple[str, float]]:
        regions = defaultdict[str, set[str]](set)
        for region, metric, *_ in places:
            regions[metric].add(region)
        leaves = {}
        for metric, names in regions.items():
            for scan in now.scans(metric, sorted(names)):
                key = (scan.region, metric, scan.machine, repr(scan.configuration))
                setting = leaves_tolerance(scan) if key in places else None
                if setting is not None:
                    leaves[places[key]] = scan.parameter, setting
        return leaves

    return now.kept(("leaving", sorted(places.values())), computed)


def recent_changes(session: Session, commit: AnyCommit) -> Mapping[int, RecentChange]:
    """Return the newest change of each series within `LATELY` before a commit.

    Changes are those of histories: regressions and improvements above the floor, dated
    by the first commit that shows them.
    """
    until = commit.committed_at or commit.first_run_at
    rows = regressions.shifted_between(
        session, commit.project_id, until - LATELY, until
    )
    return {
        row.series_id: RecentChange(row.at, row.is_worse, row.regression_id)
        for row in rows
    }


def _costs(now: CommitSnapshot, rows: Sequence[MatchRow]) -> Mapping[int, float]:
    """Return the medians of series at their largest settings."""
    ids = [cell.series for row in rows for cell in row.cells if cell.series is not None]
    return {
        series: measured.values[max(measured.values)]
        for series, measured in now.medians(ids).items()
        if measured.values
    }


def _metric(metrics: Sequence[str], wanted: str | None) -> str:
    if wanted == ALL_METRICS and len(metrics) > 1:
        return ALL_METRICS
    return choose_metric(metrics, None if wanted == ALL_METRICS else wanted)


@dataclass(frozen=True, slots=True)
class _Settings:
    """Settings that vary within a machine, or that all series share, and regions."""

    choices: Mapping[str, tuple[Any, ...]]
    fixed: Mapping[str, Any]
    regions: frozenset[str]


def _settings(now: CommitSnapshot, metrics: Sequence[str]) -> _Settings:
    judged = now.outlined(metrics)
    return _Settings(
        choices_among(judged),
        shared([each.configuration for each in judged]),
        frozenset(each.region for each in judged),
    )


def _whole(now: CommitSnapshot, rows: Sequence[MatchRow]) -> list[MatchRow]:
    """Return rows of outlines with all that is known of their cells."""
    known = {
        each.series_id: each
        for each in now.judged(
            sorted({row.metric for row in rows}), {row.region for row in rows}
        )
    }

    def whole(cell: Cell) -> Cell:
        if cell.series is None:
            return cell
        series = known[cell.series]
        return replace(
            cell,
            standing=series.standing,
            flags=series.flags,
            parameter=series.parameter,
        )

    return [replace(row, cells=tuple(map(whole, row.cells))) for row in rows]


def _broken(checks: Iterable[CheckedGuideline]) -> Mapping[int, tuple[str, ...]]:
    """Return the guidelines that series break or will break, in words."""
    broken: dict[int, list[str]] = defaultdict(list)
    for check in checks:
        if check.state in {GuidelineState.BROKEN, GuidelineState.THREATENED}:
            broken[check.series].append(f"{check.guideline}: {check.state}")
    return {series: tuple(words) for series, words in broken.items()}


def _suspicions(shown: Sequence[Judged]) -> tuple[Attribution, ...]:
    """Return the suspects by the verdicts of all cells, metric by metric."""
    by_metric: dict[str, list[JudgedCell]] = defaultdict(list)
    for series in shown:
        standing, expectation = series.standing, series.expectation
        growth, verdict = standing.growth, standing.verdict
        if growth is not None and verdict is not None and expectation is not None:
            by_metric[series.metric].append(
                JudgedCell(
                    series.region, series.machine, growth, expectation.growth, verdict
                )
            )
    loading = {each.region for each in shown if each.region.startswith(MESSAGES)}
    return tuple(
        suspicion
        for cells in by_metric.values()
        if any(cell.diverges for cell in cells)
        for suspicion in attribute(cells, dict.fromkeys(LITMUS_TESTS, loading))
    )
