"""The history of a region: what it was at every commit, and where it changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Growth, Model
from scalewatch.services.batches import Asked, find_all
from scalewatch.services.commits import Commit, commit_of
from scalewatch.services.effects import FARTHER
from scalewatch.services.lineage import Lineage, lineage
from scalewatch.services.regressions import Regression, regressions_of
from scalewatch.services.standings import model_of
from scalewatch.services.tracks import Moved, Track, changes, tracks
from scalewatch.storage import commits, projects, verdicts

Reals = NDArray[np.float64]

RECENT: Final = 60
"""Commits that say what a growth is now."""

MOST_TRACKS: Final = 12
"""Small multiples of a page."""


@dataclass(frozen=True, slots=True)
class Step:
    """A series at one commit.

    Parameters
    ----------
    growth
        Of the model of this commit alone; neighbours may differ by chance.
    exponent
        Slope of the logarithm of the metric over that of the first parameter.
    verdict
        As judged by the version of the expectation that it names.
    """

    place: int
    growth: Growth | None
    exponent: float | None
    constant: float | None
    coefficient: float | None
    at_target: float | None
    verdict: str | None
    expectation_version: int | None


@dataclass(frozen=True, slots=True)
class Era:
    """Commits between two changes, with the growth that all of them show.

    Parameters
    ----------
    first, last
        Positions on the line.
    exponent, low, high
        Mean slope over the first parameter and its 90 % interval.
    """

    first: int
    last: int
    growth: str | None
    exponent: float | None
    low: float | None
    high: float | None


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
    everything = tracks(session, project.id, line)
    regions = sorted({track.region for track in everything})
    chosen = _chosen("region", regions, region, project.name)
    own = [track for track in everything if track.region == chosen]
    metrics = sorted({track.series.metric for track in own})
    usual = "time" if "time" in metrics else None
    shown = _chosen("metric", metrics, metric or usual, chosen)
    own = [track for track in own if track.series.metric == shown]
    machines = sorted({track.series.machine for track in own})
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
            steps=tuple(_steps(session, line, track)),
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
            eras=tuple(_eras(track, mine)),
            changes=tuple(_changed(each, line, about) for each in mine),
        )
    return found


def _steps(session: Session, line: Lineage, track: Track) -> list[Step]:
    """Return what was found of each commit by itself."""
    rows = {
        model.commit_id: (model, verdict, version)
        for model, verdict, version in verdicts.of_series(session, track.series.id)
    }
    doublings, centred = _doublings(track)
    slopes = _slopes(track.log, centred)
    target = FARTHER * max(at[0] for at in track.settings)
    steps = []
    for place, slope in zip(track.places, slopes, strict=True):
        found = rows.get(line.commits[place].id)
        model = model_of(found[0]) if found else None
        verdict = found[1] if found else None
        steps.append(
            Step(
                place=place,
                growth=model.growth if model else None,
                exponent=slope if doublings.size > 1 else None,
                constant=model.constant if model else None,
                coefficient=model.leading_coefficient if model else None,
                at_target=_at(model, track, target),
                verdict=verdict.verdict if verdict else None,
                expectation_version=found[2] if found else None,
            )
        )
    return steps


def _doublings(track: Track) -> tuple[Reals, Reals]:
    doublings = np.log2([at[0] for at in track.settings])
    return doublings, doublings - doublings.mean()


def _slopes(log: Reals, centred: Reals) -> list[float | None]:
    """Return the exponent of each commit: the slope of log-location over log p."""
    weight = np.where(np.isnan(log), 0.0, centred)
    spread = (weight**2).sum(axis=1)
    sums = (weight * np.nan_to_num(log)).sum(axis=1) / np.log(2)
    # Missing settings shift the mean of the others; the level must not leak in.
    present = np.maximum((~np.isnan(log)).sum(axis=1), 1)
    level = np.nansum(log, axis=1) / present / np.log(2)
    sums -= level * weight.sum(axis=1)
    return [
        float(total / width) if width > 0 else None
        for total, width in zip(sums, spread, strict=True)
    ]


def _at(model: Model | None, track: Track, target: float) -> float | None:
    if model is None or len(track.parameters) != 1:
        return None
    value = float(model({track.parameters[0]: target}))
    return value if np.isfinite(value) else None


def _eras(track: Track, moved: Sequence[Moved]) -> list[Era]:
    """Return what the commits between two changes show together."""
    bounds = [0, *(each.shift.segments.first for each in moved), len(track.places)]
    growths = [
        *(each.shift.growth_before for each in moved),
        moved[-1].shift.growth_after if moved else _growth(track),
    ]
    _, centred = _doublings(track)
    slopes = _slopes(track.log, centred)
    eras = []
    for first, last, growth in zip(bounds, bounds[1:], growths, strict=False):
        own = np.array([s for s in slopes[first:last] if s is not None])
        mean = float(own.mean()) if own.size else None
        low, high = _interval(own)
        eras.append(
            Era(
                first=track.places[first],
                last=track.places[max(last - 1, first)],
                growth=str(growth) if growth is not None else None,
                exponent=mean,
                low=low,
                high=high,
            )
        )
    return eras


def _interval(slopes: Reals) -> tuple[float | None, float | None]:
    """Return the 90 % interval of a mean; None where nothing tells the scatter."""
    if slopes.size < 2:
        return None, None
    reach = stdtrit(slopes.size - 1, 0.95) * slopes.std(ddof=1) / np.sqrt(slopes.size)
    return float(slopes.mean() - reach), float(slopes.mean() + reach)


def _growth(track: Track) -> Growth | None:
    """Return the growth that all commits of a track show together."""
    question = Asked(
        parameters=track.parameters,
        settings=np.array(track.settings),
        values=np.exp(track.log[-RECENT:]).T.copy(),
        expectation=None,
        deviation_limit=None,
    )
    (finding,) = find_all([question], {"rule": "evidence"})
    return finding.growth


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
