"""Projects at a glance: verdicts, concerns and the map of the newest commit."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Mark
from scalewatch.modelling.common_mode.features import LEAST_HISTORY
from scalewatch.services.commit_reports.changes import changes_of_measured
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commits.baselines import Baseline, baseline_of
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.match_table.cells import MatchColumn, MatchRow, grid_of
from scalewatch.services.match_table.table import recent_changes
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.services.selection.view import choices_among, choose_metric
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing, State, crowded_among
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions

MOST: Final = 10
"""Things that need attention, per project: more would not be read."""

MAIN: Final = ("main", "master", "trunk", "develop")
"""Branches whose newest commit is the one that has to be fine."""


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
    """

    region: str
    metric: str
    machine: str
    others: tuple[str, ...]
    configuration: Mapping[str, Any]
    standing: Standing
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """A project at its newest commit.

    Parameters
    ----------
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
    newest = commits.newest_on(session, project.id, MAIN) or commits.newest(
        session, project.id
    )
    now = CommitSnapshot.of(session, newest) if newest else None
    scans = now.judged(now.metrics) if now else ()
    baseline = baseline_of(session, project, newest) if newest else None
    kinds: Mapping[int, ChangeKind] = {}
    if now and baseline:
        before = CommitSnapshot(session, project.id, baseline.id)
        changes = changes_of_measured(before, now, now.metrics)
        kinds = {each.series_id: each.kind for each in changes}
    changed = Counter(kinds.values())
    states = Counter(scan.standing.state for scan in scans)
    marks = Counter(scan.standing.mark for scan in scans)
    concerns = _concerns(scans)
    detection = regressions.detection_of(session, project.id)
    return Project(
        name=project.name,
        commit=commit_of(newest) if newest else None,
        commits=commits.count(session, project.id),
        baseline=baseline,
        changes={kind: changed[kind] for kind in ChangeKind if changed[kind]},
        regions=len({scan.region for scan in scans}),
        counts={mark: marks[mark] for mark in Mark},
        crowded=crowded_among(s.standing for s in scans if s.standing.verdict),
        pending=states[State.PENDING],
        machines=tuple(
            SeenMachine(name, slot, last_run_at, runs)
            for slot, (name, last_run_at, runs) in enumerate(
                machines.last_seen(session, project.id)
            )
        ),
        concerns=concerns[:MOST],
        more=max(0, len(concerns) - MOST),
        begun=tuple(
            f"{each['words']}; nothing to compare with: "
            f"{each['commits']} of {LEAST_HISTORY} commits since"
            for each in (detection.details.get("begun", ()) if detection else ())
            if each["commits"] < LEAST_HISTORY
        ),
    )


def _concerns(scans: Iterable[Judged]) -> tuple[SeriesOfConcern, ...]:
    """Return the series of concern, worst first; a region on ten machines is one."""
    alike: dict[tuple[object, ...], list[Judged]] = defaultdict(list)
    for scan in sorted(scans, key=_urgency):
        standing = scan.standing
        is_bad = standing.state is State.FAILED or standing.mark is Mark.MISMATCH
        if is_bad or scan.failures:
            settings = repr(sorted(scan.configuration.items()))
            fares = (standing.state, standing.verdict, standing.direction)
            concern = (scan.region, scan.metric, settings, scan.failures, *fares)
            alike[concern].append(scan)
    return tuple(
        SeriesOfConcern(
            worst.region,
            worst.metric,
            worst.machine,
            tuple(sorted(each.machine for each in others)),
            worst.configuration,
            worst.standing,
            worst.failures,
        )
        for worst, *others in alike.values()
    )


def _urgency(scan: Judged) -> tuple[bool, bool, float, str, str]:
    """Order mismatches by how sure they are, then what failed, wholly first."""
    standing = scan.standing
    return (
        standing.mark is not Mark.MISMATCH,
        standing.state is not State.FAILED,
        -(standing.probability or 0),
        scan.region,
        scan.machine,
    )


MOST_ROWS: Final = 42
"""Rows of a project on the home page, worst first; the match table has all."""


@dataclass(frozen=True, slots=True)
class HomeMap:
    """The worst rows of a project at its newest commit, and open regressions.

    Parameters
    ----------
    more
        Rows that are left out.
    open_regressions
        Changes for the worse that nobody has dealt with yet.
    """

    commit: str
    metric: str
    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]
    more: int
    open_regressions: int


def home_map(session: Session, name: str) -> HomeMap | None:
    """Return the map of a project; None where nothing was measured.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    newest = commits.newest_on(session, project.id, MAIN) or commits.newest(
        session, project.id
    )
    if newest is None:
        return None
    now = CommitSnapshot.of(session, newest)
    if not now.metrics:
        return None
    metric = choose_metric(now.metrics, None)
    shown = [each for each in now.judged(now.metrics) if each.metric == metric]
    recent = recent_changes(session, newest)
    grid = now.kept(
        ("map", recent),
        lambda: grid_of(shown, tuple(choices_among(shown)), {}, recent, {}),
        lambda grid: grid.kilobytes,
        metrics=now.metrics,
    )
    open_rows = regressions.of_project(session, project.id, [RegressionState.OPEN])
    return HomeMap(
        commit=commit_of(newest).label,
        metric=metric,
        columns=grid.columns,
        rows=grid.rows[:MOST_ROWS],
        more=max(0, len(grid.rows) - MOST_ROWS),
        open_regressions=sum(row.is_worse for row in open_rows),
    )
