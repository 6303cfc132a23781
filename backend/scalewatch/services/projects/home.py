"""Projects at a glance: verdicts, concerns and the map of the newest commit."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.modelling import Mark
from scalewatch.modelling.common_mode.features import LEAST_HISTORY
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commits.baselines import Baseline, baseline_of
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.match_table.cells import (
    MatchColumn,
    MatchRow,
    grid_of,
    with_values,
)
from scalewatch.services.match_table.single_values import are_single, judged_values
from scalewatch.services.match_table.table import recent_changes
from scalewatch.services.projects.overviews import (
    MOST_ROWS,
    Overview,
    counted,
    newest_commit,
    stored_overview,
)
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.services.selection.pages import MOST_CELLS
from scalewatch.services.selection.view import View, choices_among
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit, identified
from scalewatch.storage.histories import regressions


@dataclass(frozen=True, slots=True)
class SeenMachine:
    """A machine, when it last sent a run, and how many it sent."""

    machine: str
    slot: int
    last_run_at: datetime
    runs: int


@dataclass(frozen=True, slots=True)
class SeriesOfConcern:
    """A series that needs attention, and machines on which it fares alike.

    Parameters
    ----------
    machine
        Where that is surest.
    others
        Further machines with the same verdict and the same failures, by name.
    failures
        Where it failed though it succeeded elsewhere: `p = 32: out of memory`.
    scan
        Its measurements, where it scales worse than expected.
    """

    region: str
    metric: str
    machine: str
    others: tuple[str, ...]
    configuration: Mapping[str, Any]
    standing: Standing
    failures: tuple[str, ...]
    scan: Scan | None


@dataclass(frozen=True, slots=True)
class Project:
    """A project at its newest commit.

    Parameters
    ----------
    counts, other_counts
        Series by their marks: of the metric that the match table opens on, and of each
        other one.
    crowded
        Series whose verdict is undecided because processes shared cores.
    pending
        Series that were measured and await their model or verdict.
    baseline, changes
        The commit before, and how many series differ from it in which way.
    concerns
        Worst first; `more` are left out.
    begun
        New baselines of machines, in words, since which too few commits were measured
        to compare the newest with.
    """

    name: str
    commit: Commit | None
    commits: int
    baseline: Baseline | None
    changes: Mapping[ChangeKind, int]
    regions: int
    counts: Mapping[Mark, int]
    other_counts: Mapping[str, Mapping[Mark, int]]
    crowded: int
    pending: int
    machines: tuple[SeenMachine, ...]
    concerns: tuple[SeriesOfConcern, ...]
    more: int
    begun: tuple[str, ...]


def all_projects(session: Session) -> tuple[Project, ...]:
    """Return every project at its newest commit, by name."""
    return tuple(_project(session, row) for row in projects.listed(session))


def _project(session: Session, project: tables.Project) -> Project:
    seen = _seen(session, project)
    overview = seen.overview if seen else None
    detection = regressions.detection_of(session, project.id)
    counts = dict(overview.counts) if overview else {}
    shown = counts.pop(overview.metric, {}) if overview and overview.metric else {}
    return Project(
        name=project.name,
        commit=commit_of(seen.row) if seen else None,
        commits=commits.count(session, project.id),
        baseline=baseline_of(session, project, seen.row) if seen else None,
        changes=overview.changes if overview else {},
        regions=overview.regions if overview else 0,
        counts=shown or dict.fromkeys(Mark, 0),
        other_counts=counts,
        crowded=overview.crowded if overview else 0,
        pending=overview.pending if overview else 0,
        machines=tuple(
            SeenMachine(name, slot, last_run_at, runs)
            for slot, (name, last_run_at, runs) in enumerate(
                machines.last_seen(session, project.id)
            )
        ),
        concerns=tuple(_concerns(seen)) if seen else (),
        more=overview.more if overview else 0,
        begun=tuple(
            f"{each['words']}; nothing to compare with: "
            f"{each['commits']} of {LEAST_HISTORY} commits since"
            for each in (detection.details.get("begun", ()) if detection else ())
            if each["commits"] < LEAST_HISTORY
        ),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """A project as home shows it: its commit, what was counted, and the series shown.

    Parameters
    ----------
    series
        Of a project of many series, those of the worst regions alone.
    metrics
        Those whose series were all read.
    """

    row: AnyCommit
    overview: Overview
    series: Sequence[Judged]
    now: CommitSnapshot
    metrics: Sequence[str]


def _seen(session: Session, project: tables.Project) -> _Seen | None:
    """Read what home shows of a project; None where nothing was measured."""
    overview = stored_overview(session, project.id)
    known = identified(session, [overview.commit_id]) if overview else {}
    if overview is not None and (row := known.get(overview.commit_id)) is not None:
        now = CommitSnapshot.of(session, row)
        regions = {*overview.worst, *(each.region for each in overview.concerns)}
        return _Seen(row, overview, now.judged([*overview.counts], regions), now, ())
    newest, overview = newest_commit(session, project.id), counted(session, project)
    if newest is None or overview is None:
        return None
    now = CommitSnapshot.of(session, newest)
    return _Seen(newest, overview, now.outlined(now.metrics), now, now.metrics)


def _concerns(seen: _Seen) -> Iterator[SeriesOfConcern]:
    """Yield the series of concern, worst first."""
    known = {each.series_id: each for each in seen.series}
    concerns = seen.overview.concerns
    worse: dict[str, set[str]] = defaultdict(set)
    for concern in concerns:
        series = known.get(concern.series_id)
        if series is not None and series.standing.mark is Mark.MISMATCH:
            worse[series.metric].add(series.region)
    scans = {
        (scan.region, metric, scan.machine, str(scan.configuration)): scan
        for metric, regions in worse.items()
        for scan in seen.now.scans(metric, regions)
    }
    for concern in concerns:
        if (worst := known.get(concern.series_id)) is not None:
            place = (worst.region, worst.metric, worst.machine)
            yield SeriesOfConcern(
                worst.region,
                worst.metric,
                worst.machine,
                concern.others,
                worst.configuration,
                worst.standing,
                worst.failures,
                scans.get((*place, str(worst.configuration))),
            )


@dataclass(frozen=True, slots=True)
class HomeMap:
    """The worst rows of a project at its newest commit, and open regressions.

    Parameters
    ----------
    more
        Rows that are left out.
    open_regressions
        Changes for the worse that nobody has dealt with yet.
    has_single_values
        Whether no series has several settings; its cells then hold their values.
    gate, baseline
        What the gate says of single values, and the commit that they are beside.
    """

    commit: str
    metric: str
    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]
    more: int
    open_regressions: int
    has_single_values: bool = False
    gate: str | None = None
    baseline: str | None = None


def home_map(session: Session, name: str) -> HomeMap | None:
    """Return the map of a project; None where nothing was measured.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    seen = _seen(session, project)
    if seen is None or seen.overview.metric is None:
        return None
    metric = seen.overview.metric
    recent = recent_changes(session, seen.row)
    shown = [each for each in seen.series if each.metric == metric]
    grid = seen.now.kept(
        ("map", recent, sorted({each.region for each in shown})),
        lambda: grid_of(shown, tuple(choices_among(shown)), {}, recent, {}),
        lambda grid: grid.kilobytes,
        metrics=seen.metrics,
    )
    most = max(1, MOST_CELLS // max(1, len(grid.columns)))
    all_rows, gate, baseline = grid.rows, None, None
    is_single = are_single(each.standing for each in shown)
    if is_single:
        baseline = baseline_of(session, project, seen.row)
        before = CommitSnapshot(session, project.id, baseline.id) if baseline else None
        view = View(project.name, commit=seen.row.sha)
        values, gate = judged_values(session, seen.now, before, view, None)
        all_rows = with_values(all_rows, values)
    rows = all_rows[: min(MOST_ROWS, most)]
    open_rows = regressions.of_project(session, project.id, [RegressionState.OPEN])
    return HomeMap(
        commit=commit_of(seen.row).label,
        metric=metric,
        columns=grid.columns,
        rows=rows,
        more=max(0, seen.overview.rows - len(rows)),
        open_regressions=sum(row.is_worse for row in open_rows),
        has_single_values=is_single,
        gate=gate,
        baseline=baseline.commit.label if baseline else None,
    )
