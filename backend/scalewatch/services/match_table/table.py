"""The match table of a commit: regions × machines."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Attribution, JudgedCell, Mark, attribute
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.commit_reports.changes import kinds_of
from scalewatch.services.commits.baselines import (
    Baseline,
    Neighbours,
    baseline_of,
    neighbours_of,
)
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations.built_in import LITMUS_TESTS
from scalewatch.services.expectations.composed import promised_ids
from scalewatch.services.guidelines.checks import GuidelineState, checks_at
from scalewatch.services.guidelines.guidelines import rules_of
from scalewatch.services.match_table.cells import MatchColumn, MatchRow
from scalewatch.services.match_table.grids import Cells, Judgements, grid_of
from scalewatch.services.match_table.recent_changes import recent_changes
from scalewatch.services.selection.settings import choices_among, is_chosen, shared
from scalewatch.services.selection.view import View
from scalewatch.services.series.at_commit import Judged, judged_at
from scalewatch.services.series.metrics import metrics_at
from scalewatch.services.series.scans import choose_metric
from scalewatch.services.series.standing import crowded_among
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit

ALL_METRICS: Final = "*"
"""Asks for the rows of every metric."""

_SUSPICIONS: Final = Kept[tuple[Attribution, ...]](256)


@dataclass(frozen=True, slots=True)
class MatchTable:
    """Regions × machines at a commit, worst first, for one metric or for all.

    Parameters
    ----------
    metric
        `*` if rows of all metrics are shown.
    baseline
        What cells are compared with, if that was asked for.
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
    metrics = metrics_at(session, row.id)
    metric = _metric(metrics, view.metric)
    wanted = metrics if metric == ALL_METRICS else [metric]
    judged = judged_at(session, project, row.id, wanted)
    choices = choices_among(judged)
    chosen = {
        name: text for name, text in view.configuration.items() if name in choices
    }
    shown = [
        each
        for each in judged
        if is_chosen(each, chosen) and view.machine in {None, each.machine}
    ]
    if not shown and view.machine is not None:
        raise NotMeasured("machine", view.machine, at=commit_of(row).label)
    baseline = baseline_of(session, project, row, vs) if vs or compare else None
    before = judged_at(session, project, baseline.id, wanted) if baseline else ()
    cells = Cells(
        kinds_of(before, judged) if baseline else {},
        recent_changes(session, row),
        _broken(session, project, row, shown),
    )
    grid = grid_of(Judgements(judged, before), shown, tuple(choices), cells)
    return MatchTable(
        project=project.name,
        commit=commit_of(row),
        neighbours=neighbours_of(session, project, row),
        baseline=baseline,
        metric=metric,
        metrics=tuple(metrics),
        choices=choices,
        chosen=chosen,
        fixed=shared([each.configuration for each in judged]),
        columns=grid.columns,
        rows=grid.rows,
        suspicions=kept_at(
            session,
            row.id,
            _SUSPICIONS,
            (wanted, promised_ids(session, project.id), chosen, view.machine),
            lambda: _suspicions(shown),
        ),
    )


def _metric(metrics: Sequence[str], asked: str | None) -> str:
    if asked == ALL_METRICS and len(metrics) > 1:
        return ALL_METRICS
    return choose_metric(metrics, None if asked == ALL_METRICS else asked)


def _broken(
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    shown: Sequence[Judged],
) -> Mapping[int, tuple[str, ...]]:
    """Return the guidelines that series break or will break, in words."""
    rules = rules_of(session, project, (each.region for each in shown))
    if not rules.guidelines:
        return {}
    found: dict[int, list[str]] = defaultdict(list)
    for metric in {each.metric for each in shown}:
        own = [each for each in shown if each.metric == metric]
        for check in checks_at(session, commit.id, own, rules.guidelines):
            if check.state in {GuidelineState.BROKEN, GuidelineState.THREATENED}:
                found[check.series].append(f"{check.guideline}: {check.state}")
    return {series: tuple(words) for series, words in found.items()}


def _suspicions(shown: Sequence[Judged]) -> tuple[Attribution, ...]:
    """Return the suspects, platform or library, by the verdicts of all cells."""
    cells = [
        JudgedCell(
            region=each.region,
            machine=each.machine,
            growth=each.standing.growth,
            expectation=each.expectation.growth,
            verdict=each.standing.verdict,
        )
        for each in shown
        if each.standing.growth is not None
        and each.standing.verdict is not None
        and each.expectation is not None
    ]
    if not any(cell.diverges for cell in cells):
        return ()
    return attribute(cells, LITMUS_TESTS)
