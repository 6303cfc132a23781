"""The history of a region: what it was at every commit, and where it changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.services.commits import Commit, commit_of
from scalewatch.services.effects import FARTHER
from scalewatch.services.eras import Era, eras_of
from scalewatch.services.lineage import Lineage, lineage
from scalewatch.services.regressions import Regression, regressions_of
from scalewatch.services.steps import Step, steps_of
from scalewatch.services.tracks import Moved, Track, changes, regions_of, tracks
from scalewatch.storage import commits, projects

Reals = NDArray[np.float64]

MOST_TRACKS: Final = 12
"""Small multiples of a page."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Where a track changed: positions on the line, and what it means."""

    first: int
    last: int
    kind: str
    is_gradual: bool
    factor: float
    low: float
    high: float
    probability: float
    regression: int | None


@dataclass(frozen=True, slots=True)
class TrackHistory:
    """The history of one series on one state of its machine."""

    machine: str
    configuration: Mapping[str, Any]
    unit: str
    parameter: str
    target: float
    steps: tuple[Step, ...]
    eras: tuple[Era, ...]
    changes: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The history of a region's metric on its machines.

    Parameters
    ----------
    commits
        The line, oldest first; tracks refer to positions on it.
    remarks
        What is odd about the order of the commits, and new baselines.
    more
        Tracks that are not shown.
    """

    project: str
    region: str
    metric: str
    regions: tuple[str, ...]
    metrics: tuple[str, ...]
    machines: tuple[str, ...]
    commits: tuple[Commit, ...]
    remarks: tuple[str, ...]
    tracks: tuple[TrackHistory, ...]
    regressions: tuple[Regression, ...]
    more: int


def history_of(
    session: Session,
    project_name: str,
    region: str | None,
    metric: str | None,
    machine: str | None,
) -> History:
    """Return the history of a region, by default of the first, of all its machines.

    Raises
    ------
    NotFound, NotMeasured
        If there is no such project, region, metric or machine.
    """
    project = projects.existing(session, project_name)
    line = lineage(commits.of_project(session, project.id))
    known = regions_of(session, project.id)
    regions = sorted(known)
    chosen = _chosen("region", regions, region, project.name)
    metrics = sorted(known[chosen])
    usual = "time" if "time" in metrics else None
    shown = _chosen("metric", metrics, metric or usual, chosen)
    machines = sorted(known[chosen][shown])
    own = tracks(session, project.id, line, region=chosen, metric=shown)
    if machine is not None:
        name = _chosen("machine", machines, machine, chosen)
        own = [track for track in own if track.series.machine == name]
    own.sort(key=lambda track: -track.places[-1])
    watch = regressions_of(session, project.name)
    about = tuple(
        each
        for each in watch.regressions
        if any(m.region == chosen and m.metric == shown for m in each.members)
    )
    remarks = (*line.remarks, *(watch.watch or {}).get("baselines", ()))
    return History(
        project=project.name,
        region=chosen,
        metric=shown,
        regions=tuple(regions),
        metrics=tuple(metrics),
        machines=tuple(machines),
        commits=tuple(map(commit_of, line.commits)),
        remarks=remarks,
        tracks=tuple(_history(session, line, own[:MOST_TRACKS], about)),
        regressions=about,
        more=max(len(own) - MOST_TRACKS, 0),
    )


def _chosen(noun: str, known: Sequence[str], wanted: str | None, place: str) -> str:
    if wanted is None and known:
        return known[0]
    if wanted is None or wanted not in known:
        raise NotMeasured(noun, wanted or "any", at=place)
    return wanted


def _history(
    session: Session,
    line: Lineage,
    own: Sequence[Track],
    about: Sequence[Regression],
) -> list[TrackHistory]:
    found = [
        TrackHistory(
            machine=track.series.machine,
            configuration=track.series.configuration,
            unit=track.series.unit,
            parameter=track.parameters[0],
            target=FARTHER * max(at[0] for at in track.settings),
            steps=tuple(steps_of(session, line, track)),
            eras=(),
            changes=(),
        )
        for track in own
    ]
    moved = changes(own)
    for place, track in enumerate(own):
        mine = [each for each in moved if each.track is track]
        found[place] = replace(
            found[place],
            eras=tuple(eras_of(track, mine)),
            changes=tuple(_changed(each, line, about) for each in mine),
        )
    return found


def _changed(moved: Moved, line: Lineage, about: Sequence[Regression]) -> Changed:
    shift = moved.shift
    last = line.commits[moved.last].sha
    first = line.commits[moved.first].sha
    regression = next(
        (each.id for each in about if last == each.last.sha or first == each.first.sha),
        None,
    )
    return Changed(
        first=moved.first,
        last=moved.last,
        kind=str(shift.kind),
        is_gradual=shift.segments.is_gradual,
        factor=shift.largest_factor,
        low=shift.low,
        high=shift.high,
        probability=shift.probability[shift.kind],
        regression=regression,
    )
