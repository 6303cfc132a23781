"""Verdicts, changes and worst regions of a project at its newest commit, counted.

To count a project of many series takes seconds. A detection, which follows each
analysis and each change of what is expected, stores the counts; home reads them.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Mark
from scalewatch.services.commit_reports.changes import kinds_of_measured
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commits.baselines import baseline_of
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.match_table.cells import grid_of
from scalewatch.services.projects import findings
from scalewatch.services.regressions import searches
from scalewatch.services.selection.pages import MOST_CELLS
from scalewatch.services.selection.view import choices_among, choose_metric
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import PART, CommitSnapshot
from scalewatch.services.series.standing import State, crowded_among
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.judgements import overviews

MOST: Final = 10
"""Things that need attention, per project: more would not be read."""

MOST_ROWS: Final = 42
"""Rows of a project on the home page, worst first; the match table has all."""

LATEST: Final = 60
"""Newest commits of a trend."""

MAIN: Final = ("main", "master", "trunk", "develop")
"""Branches whose newest commit is the one that has to be fine."""


@dataclass(frozen=True, slots=True)
class Concern:
    """A series that needs attention, with the machines on which it fares alike."""

    series_id: int
    region: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """The counts of a project at a commit, as home shows them.

    Parameters
    ----------
    metric
        The one that the match table opens on.
    series
        Number of series that were measured.
    counts
        Series of each metric by their marks.
    changes
        How many series differ from the commit before in which way.
    rows, worst
        Number of rows of the match table, and the regions of the worst.
    concerns
        Worst first; `more` are left out.
    trend
        Values of all series at the newest commits of the main line, relative to their
        mean over these: the geometric mean, where each is measured largest.
    """

    commit_id: int
    metric: str | None
    series: int
    regions: int
    counts: Mapping[str, Mapping[Mark, int]]
    crowded: int
    pending: int
    changes: Mapping[ChangeKind, int]
    rows: int
    worst: tuple[str, ...]
    concerns: tuple[Concern, ...]
    more: int
    trend: tuple[float, ...] = ()

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        """Return the overview that was stored as JSON."""
        counts = {
            metric: {Mark(mark): number for mark, number in of_metric.items()}
            for metric, of_metric in content["counts"].items()
        }
        changes = {ChangeKind(kind): n for kind, n in content["changes"].items()}
        concerns = tuple(
            Concern(each["series_id"], each["region"], tuple(each["others"]))
            for each in content["concerns"]
        )
        return cls(
            **{
                **content,
                "counts": counts,
                "changes": changes,
                "worst": tuple(content["worst"]),
                "concerns": concerns,
                "trend": tuple(content.get("trend", ())),
            }
        )


def newest_commit(session: Session, project_id: int) -> AnyCommit | None:
    """Return the commit that home shows: the newest of a main branch, else of all."""
    return commits.newest_on(session, project_id, MAIN) or commits.newest(
        session, project_id
    )


def stored_overview(session: Session, project_id: int) -> Overview | None:
    """Return what was counted last of a project of many series; None of others.

    Those of few series are counted when they are shown.
    """
    content = overviews.of_project(session, project_id)
    if content is None or content["series"] <= MOST_CELLS:
        return None
    return Overview.read(content)


def counted(session: Session, project: tables.Project) -> Overview | None:
    """Count a project at its newest commit; None where nothing was measured."""
    newest = newest_commit(session, project.id)
    if newest is None:
        return None
    now = CommitSnapshot.of(session, newest)
    baseline = baseline_of(session, project, newest)
    before = CommitSnapshot(session, project.id, baseline.id) if baseline else None
    return now.kept(
        ("overview",),
        lambda: _counted(now, before),
        metrics=now.metrics,
        beside=[before] if before else [],
    )


def _counted(now: CommitSnapshot, before: CommitSnapshot | None) -> Overview:
    scans = now.outlined(now.metrics)
    kinds = kinds_of_measured(before, now, now.metrics) if before else {}
    metric = choose_metric(now.metrics, None) if now.metrics else None
    shown = [each for each in scans if each.metric == metric]
    rows = grid_of(shown, tuple(choices_among(shown)), {}, {}, {}).rows
    changed = Counter(kinds.values())
    marks = Counter((scan.metric, scan.standing.mark) for scan in scans)
    bad = [each for each in scans if _is_bad(each)]
    concerns = _concerns(now.whole(bad) if len(bad) <= PART else bad)
    return Overview(
        commit_id=now.commit_id,
        metric=metric,
        series=len(scans),
        regions=len({scan.region for scan in scans}),
        counts={
            name: {mark: marks[name, mark] for mark in Mark} for name in now.metrics
        },
        crowded=crowded_among(s.standing for s in shown if s.standing.verdict),
        pending=sum(scan.standing.state is State.PENDING for scan in scans),
        changes={kind: changed[kind] for kind in ChangeKind if changed[kind]},
        rows=len(rows),
        worst=tuple(dict.fromkeys(row.region for row in rows[:MOST_ROWS])),
        concerns=concerns[:MOST],
        more=max(0, len(concerns) - MOST),
    )


def watched(
    session: Session, project_id: int, alarming_share: float
) -> Callable[[Session], None]:
    """Search the histories of a project for changes, and count it for home.

    Returns
    -------
    Callable
        Stores both, in a session that writes.
    """
    searched = searches.search(session, project_id, alarming_share)
    overview = counted(session, session.get_one(tables.Project, project_id))
    if overview is not None and overview.metric is not None:
        trend = trend_of(searched.newest.histories, overview.metric)
        overview = replace(overview, trend=trend)
    observed = (
        findings.findings_at(session, project_id, overview.commit_id, searched.newest)
        if overview
        else None
    )

    def write(session: Session) -> None:
        searched.store(session)
        record(session, project_id, overview)
        if observed is not None:
            findings.record(session, observed)

    return write


def trend_of(histories: Sequence[SeriesHistory], metric: str) -> tuple[float, ...]:
    """Return how the values of a metric moved over the newest commits.

    Returns
    -------
    tuple of float
        For each commit of the last `LATEST` that measured, the geometric mean over its
        series of the value at the largest setting, relative to that of the series.
    """
    moves = defaultdict[int, list[float]](list)
    last = max((each.positions[-1] for each in histories if each.positions), default=0)
    for history in histories:
        if history.series.metric != metric or not history.log.shape[1]:
            continue
        positions = np.array(history.positions)
        is_shown = positions > last - LATEST
        values = history.log[is_shown, -1]
        known = np.isfinite(values)
        if known.any():
            relative = values[known] - values[known].mean()
            at = positions[is_shown][known]
            for position, move in zip(at, relative, strict=True):
                moves[int(position)].append(float(move))
    return tuple(
        round(float(np.exp(np.mean(moves[position]))), 4) for position in sorted(moves)
    )


def record(session: Session, project_id: int, overview: Overview | None) -> None:
    """Store what was counted of a project, or that nothing is measured."""
    overviews.put(session, project_id, asdict(overview) if overview else None)


def _is_bad(scan: Judged) -> bool:
    standing = scan.standing
    is_worse = standing.state is State.FAILED or standing.mark is Mark.MISMATCH
    return is_worse or bool(scan.failures)


def _concerns(scans: Iterable[Judged]) -> tuple[Concern, ...]:
    """Return the series of concern, worst first; a region on ten machines is one."""
    alike: dict[tuple[object, ...], list[Judged]] = defaultdict(list)
    for scan in sorted(scans, key=_urgency):
        standing = scan.standing
        settings = repr(sorted(scan.configuration.items()))
        fares = (standing.state, standing.verdict, standing.direction)
        alike[scan.region, scan.metric, settings, scan.failures, *fares].append(scan)
    return tuple(
        Concern(
            worst.series_id,
            worst.region,
            tuple(sorted(each.machine for each in others)),
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
