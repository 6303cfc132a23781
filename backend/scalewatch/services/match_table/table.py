"""The match table of a commit: regions × machines."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Attribution, JudgedCell, Mark, attribute
from scalewatch.services.commit_reports.changes import changes_of_measured
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
    instances_of,
    rules_of,
    series_of,
)
from scalewatch.services.match_table.cells import (
    Grid,
    MatchColumn,
    MatchRow,
    RecentChange,
    grid_of,
)
from scalewatch.services.selection.view import (
    View,
    choices_among,
    choose_metric,
    is_chosen,
    shared,
)
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import crowded_among
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions

ALL_METRICS: Final = "*"
"""Asks for the rows of every metric."""

LATELY: Final = timedelta(days=30)
"""A change is recent while its commit is no older, seen from the commit shown."""


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Regions × machines at a commit, worst first, for one metric or for all.

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

    @property
    def counts(self) -> Mapping[Mark, int]:
        """Number of cells per mark."""
        return {mark: sum(c.counts[mark] for c in self.columns) for mark in Mark}

    @property
    def series(self) -> int:
        """Number of cells that were measured."""
        return sum(cell.series is not None for row in self.rows for cell in row.cells)

    @property
    def crowded(self) -> int:
        """Number of cells that cannot be judged because processes shared cores."""
        return crowded_among(cell.standing for row in self.rows for cell in row.cells)

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
    session: Session, view: View, *, vs: str | None = None, compare: bool = False
) -> MatchTable:
    """Return how the regions of a project scale at a commit, worst first.

    Parameters
    ----------
    vs
        The baseline that cells are compared with, as `find_commit` takes it.
    compare
        Whether to compare with the nearest baseline where none is named.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a commit, or the metric at this commit is unknown.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    now = CommitSnapshot.of(session, row)
    metric = _metric(now.metrics, view.metric)
    metrics = now.metrics if metric == ALL_METRICS else [metric]
    judged = now.judged(metrics)
    choices = choices_among(judged)
    chosen = {
        name: text for name, text in view.configuration.items() if name in choices
    }
    shown = [
        series
        for series in judged
        if is_chosen(series, chosen) and view.machine in {None, series.machine}
    ]
    if not shown and view.machine is not None:
        raise NotMeasured("machine", view.machine, at=commit_of(row).label)
    baseline = baseline_of(session, project, row, vs) if vs or compare else None
    before = CommitSnapshot(session, project.id, baseline.id) if baseline else None
    recent = recent_changes(session, row)
    rules = rules_of(session, project, (each.region for each in shown)).guidelines

    def arranged() -> Grid:
        changes = changes_of_measured(before, now, metrics) if before else ()
        kinds = {each.series_id: each.kind for each in changes}
        by_metric: dict[str, list[Judged]] = defaultdict(list)
        for series in shown if rules else ():
            by_metric[series.metric].append(series)
        instances = [
            instance
            for of_metric in by_metric.values()
            for instance in instances_of(of_metric, rules)
        ]
        middles = now.medians(series_of(instances)) if instances else {}
        broken = _broken(checks_of(instances, middles))
        return grid_of(shown, tuple(choices), kinds, recent, broken)

    grid = now.kept(
        ("match table", chosen, view.machine, recent, [*map(str, rules)]),
        arranged,
        lambda grid: grid.kilobytes,
        metrics=metrics,
        beside=[before] if before else [],
    )
    return MatchTable(
        project=project.name,
        commit=commit_of(row),
        neighbours=neighbours_of(session, project, row),
        baseline=baseline,
        metric=metric,
        metrics=tuple(now.metrics),
        choices=choices,
        chosen=chosen,
        fixed=shared([each.configuration for each in judged]),
        columns=grid.columns,
        rows=grid.rows,
        suspicions=now.kept(
            ("suspicions", chosen, view.machine),
            lambda: _suspicions(shown),
            metrics=metrics,
        ),
    )


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


def _metric(metrics: Sequence[str], wanted: str | None) -> str:
    if wanted == ALL_METRICS and len(metrics) > 1:
        return ALL_METRICS
    return choose_metric(metrics, None if wanted == ALL_METRICS else wanted)


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
