"""Plots that fit a cell: a scan of its region, and the recent history of its series."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.figures.curves import Scaling
from scalewatch.modelling import Growth, Mark, Verdict
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.selection.view import View, choose_metric, is_chosen
from scalewatch.services.series.scans import scaling_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import growth_or_none
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import locations
from scalewatch.storage.judgements import verdicts

COMMITS: Final = 30
"""Commits that a line goes back."""


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A series at a commit: `at` counts commits from the oldest one shown."""

    at: int
    growth: Growth | None
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Sparklines:
    """Lines by series; all of them go over the same number of commits."""

    commits: int
    lines: Mapping[int, tuple[LinePoint, ...]]


def plotted_cell(session: Session, view: View, region: str) -> Scaling:
    """Return the first scan of a region that a view chooses, as it is drawn.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit or the metric is unknown.
    NotMeasured
        If the view chooses no scan of the region.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    commit = CommitSnapshot.of(session, row)
    if metrics := commit.metrics_of(region):
        for scan in commit.scans(choose_metric(metrics, view.metric), [region]):
            if view.machine in {None, scan.machine} and is_chosen(
                scan, view.configuration
            ):
                return scaling_of(scan)
    raise NotMeasured("region", region, at=commit_of(row).label)


def sparklines(session: Session, view: View, metrics: tuple[str, ...]) -> Sparklines:
    """Return the lines of all series up to a commit.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    """
    place = commits_up_to(session, view)
    lines: dict[int, dict[int, LinePoint]] = {}
    for metric in metrics:
        for series, commit, growth, verdict, divergence in verdicts.lines_at(
            session, place.keys(), metric
        ):
            at = place[commit]
            lines.setdefault(series, {})[at] = LinePoint(
                at,
                growth_or_none(growth),
                None if verdict is None else _mark(verdict, divergence),
            )
    return Sparklines(
        commits=len(place),
        lines={
            series: tuple(points[at] for at in sorted(points))
            for series, points in lines.items()
        },
    )


def value_lines(
    session: Session, view: View, metrics: tuple[str, ...]
) -> tuple[int, Mapping[int, Mapping[int, float]]]:
    """Return how many commits lines go over, and the values of series by commit.

    Values are logarithms at the last setting, commits counted from the oldest one.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    """
    place = commits_up_to(session, view)
    lines: dict[int, dict[int, float]] = {}
    for metric in metrics:
        for series, commit, log in locations.values_at(session, [*place], metric):
            if log[-1] is not None:
                lines.setdefault(series, {})[place[commit]] = log[-1]
    return len(place), lines


def commits_up_to(session: Session, view: View) -> dict[int, int]:
    """Return the place of the newest commits up to one, by id."""
    project = projects.existing(session, view.project)
    last = find_commit(session, project, view.commit)
    older = commits.of_project(session, project.id, before=last, limit=COMMITS - 1)
    return {row.id: at for at, row in enumerate(reversed((last, *older)))}


@lru_cache(maxsize=4096)
def _mark(verdict: str, divergence: str | None) -> Mark:
    return Mark.of_divergence(Verdict(verdict), growth_or_none(divergence))
