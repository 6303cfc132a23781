"""The ratios of compared series over what was varied, from all their repetitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.search.exact import EXACT
from scalewatch.modelling.search.finding import Forecast
from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.modelling.versions.ratios import Ratio, ratio_of
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commits.find import find_commit
from scalewatch.services.comparisons.values import (
    ComparedRow,
    ComparedSeries,
    ComparedSides,
    SideKind,
)
from scalewatch.services.machines.machine import jobs_noise
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects

LEVEL: Final = 0.9

BEYOND: Final = 4.0
"""Ratios are followed to this many times the largest setting: there are crossings."""

STEPS: Final = 13
"""Settings at which a ratio is forecast, evenly in logarithms."""

MOST_RATIOS: Final = 100
"""Rows of a page or a figure: each series of them takes milliseconds at first."""

NEAR: Final = 0.05
"""Settings between the measured ones are no nearer to these than this share."""

RATIO_KILOBYTES: Final = 2.0


@dataclass(frozen=True, slots=True)
class RowRatios:
    """The ratios of a row to its first side, one for each further side.

    None where one of both has no forecast over a single parameter.
    """

    row: ComparedRow
    ratios: tuple[Ratio | None, ...]


def ratios_of(
    session: Session, shown: ComparedSides, rows: Sequence[ComparedRow]
) -> tuple[RowRatios, ...]:
    """Return the ratios of rows of a comparison, in their order."""
    project = projects.existing(session, shown.project)
    labels = [
        shown.commit.sha if shown.kind is SideKind.MACHINE else side.name
        for side in shown.sides
    ]
    commits = [
        CommitSnapshot.of(session, find_commit(session, project, label))
        for label in labels
    ]
    series = [[place.series_id for place in row.places] for row in rows]
    noise = noise_of_sides(session, shown)
    floors = [_floors(shown, row, noise) for row in rows]

    def computed() -> tuple[tuple[Ratio | None, ...], ...]:
        sides = [
            commit.pools([series_id for series_id in ids if series_id is not None])
            for commit, ids in zip(commits, zip(*series, strict=True), strict=True)
        ]
        return _ratios(rows, sides, floors)

    *others, last = commits
    ratios = last.kept(
        ("ratios", series, floors),
        computed,
        lambda ratios: RATIO_KILOBYTES * len(ratios),
        beside=others,
    )
    return tuple(map(RowRatios, rows, ratios))


def noise_of_sides(session: Session, shown: ComparedSides) -> Mapping[str, float]:
    """Return the share by which jobs of machines differ, where it was learned."""
    project = projects.existing(session, shown.project)
    return jobs_noise(session, project.id, shown.metric)


def known_ratios(
    ratios: Sequence[RowRatios], place: int
) -> list[tuple[ComparedRow, Ratio]]:
    """Return the ratios of a further side that there are, most apart from 1 first."""
    known = [
        (each.row, ratio)
        for each in ratios
        if (ratio := each.ratios[place]) is not None
    ]
    return sorted(known, key=lambda pair: -abs(log(pair[1].at_largest)))


def _floors(
    shown: ComparedSides, row: ComparedRow, noise: Mapping[str, float]
) -> tuple[float, ...]:
    """Return the share within which the first and each further side are alike."""
    first, *others = (row.machine or side.name for side in shown.sides)
    return tuple(
        max(ASSUMED.negligible, noise.get(first, 0.0), noise.get(other, 0.0))
        for other in others
    )


def _ratios(
    rows: Sequence[ComparedRow],
    sides: Sequence[Mapping[int, SeriesPool]],
    floors: Sequence[Sequence[float]],
) -> tuple[tuple[Ratio | None, ...], ...]:
    pools = [
        [
            None if place.series_id is None else side.get(place.series_id)
            for place, side in zip(row.places, sides, strict=True)
        ]
        for row in rows
    ]
    questions = [
        _question(row, place, pool, _targets(row, row_pools))
        for row, row_pools in zip(rows, pools, strict=True)
        for place, pool in zip(row.places, row_pools, strict=True)
        if pool is not None
    ]
    findings = iter(find_all(questions, {"level": LEVEL}))
    forecasts = [
        [() if pool is None else next(findings).forecasts for pool in row_pools]
        for row_pools in pools
    ]
    return tuple(map(_row, rows, pools, forecasts, floors))


def _row(
    row: ComparedRow,
    pools: Sequence[SeriesPool | None],
    forecasts: Sequence[Sequence[Forecast]],
    floors: Sequence[float],
) -> tuple[Ratio | None, ...]:
    """Return the ratio of each further side of a row to its first one."""
    first, *others = pools
    return tuple(
        None
        if first is None or other is None
        else ratio_of(
            forecasts[0], of_other, row.parameter, _common(first, other), floor
        )
        for other, of_other, floor in zip(others, forecasts[1:], floors, strict=True)
    )


def _common(first: SeriesPool, other: SeriesPool) -> set[float]:
    """Return the settings at which both were measured; without any, those of both."""
    settings, others = (
        {float(x) for x in pool.settings[:, 0]} for pool in (first, other)
    )
    return settings & others or settings | others


def _targets(
    row: ComparedRow, pools: Sequence[SeriesPool | None]
) -> list[dict[str, float]]:
    """Return the settings at which all sides of a row are forecast."""
    known = [pool for pool in pools if pool is not None]
    if len(known) < 2 or any(pool.parameters != (row.parameter,) for pool in known):
        return []
    start = max(float(pool.settings.min()) for pool in known)
    ends = [float(pool.settings.max()) for pool in known]
    if start <= 0 or start >= min(ends):
        return []
    measured = {float(x) for pool in known for x in pool.settings[:, 0] if x >= start}
    kept = {*measured, *ends}
    between = (float(x) for x in np.geomspace(start, BEYOND * max(ends), STEPS))
    settings = sorted(
        {*kept, *(x for x in between if not np.isclose(x, [*kept], rtol=NEAR).any())}
    )
    return [{row.parameter: setting} for setting in settings]


def _question(
    row: ComparedRow,
    place: ComparedSeries,
    pool: SeriesPool,
    targets: Sequence[Mapping[str, float]],
) -> SeriesQuestion:
    standing = place.standing
    return SeriesQuestion.of(
        pool,
        row.expectation,
        standing.noise,
        targets,
        exact=standing.rule == EXACT or None,
    )
