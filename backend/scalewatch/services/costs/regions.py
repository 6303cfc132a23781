"""Costs of the regions of a machine: medians where measured, forecasts beyond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.errors import IncompleteCoordinates, NothingMeasured
from scalewatch.modelling import Finding, Forecast
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.pools import Measurements, SeriesPool, pool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.regions.outlook import LEVEL
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot

PARAMETER: Final = "p"


@dataclass(frozen=True, slots=True)
class MeasuredRegion:
    """A region on a machine, with its medians over p.

    Parameters
    ----------
    medians
        By p, at the largest setting of all else that varies.
    held
        That setting.
    """

    judged: Judged
    pool: SeriesPool
    medians: Mapping[float, float]
    held: Mapping[str, float]

    def question(self, scales: Sequence[float]) -> SeriesQuestion | None:
        """Return the question about it at scales; None without a model."""
        standing = self.judged.standing
        if standing.model is None:
            return None
        return SeriesQuestion.of(
            self.pool,
            self.judged.expectation,
            standing.noise,
            [{**self.held, PARAMETER: scale} for scale in scales],
            exact=standing.rule == EXACT or None,
        )


@dataclass(frozen=True, slots=True)
class _Measured:
    """A series over p, see `MeasuredRegion`."""

    series_id: int
    pool: SeriesPool
    medians: Mapping[float, float]
    held: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _OverP:
    """Series that were measured over p, and why others were not, by series."""

    measured: Sequence[_Measured]
    reasons: Mapping[int, str]


KILOBYTES: Final = 2.0
"""Memory of a series with its repetitions over p, or of its forecasts."""


def measured_regions(
    commit: CommitSnapshot, chosen: Sequence[Judged]
) -> tuple[list[MeasuredRegion], dict[int, str]]:
    """Return regions that were measured over p, and why others were not, by series."""
    judged_of = {each.series_id: each for each in chosen}
    over_p = commit.kept(
        ("over p", sorted(judged_of), commit.accepts_shared_cores),
        lambda: _over_p(commit.measurements(judged_of)),
        lambda over_p: KILOBYTES * len(over_p.measured),
    )
    regions = [
        MeasuredRegion(judged_of[each.series_id], each.pool, each.medians, each.held)
        for each in over_p.measured
    ]
    return regions, dict(over_p.reasons)


def forecasts_at(
    commit: CommitSnapshot, regions: Sequence[MeasuredRegion], scales: Sequence[float]
) -> Sequence[Finding | None]:
    """Return the forecasts of regions at scales; None for one without a model."""
    series = [each.judged.series_id for each in regions]
    return commit.kept(
        ("cost", series, commit.accepts_shared_cores, scales),
        lambda: _forecasts(regions, scales),
        lambda forecasts: KILOBYTES * len(forecasts),
    )


def forecast_at(finding: Finding | None, scale: float) -> Forecast | None:
    """Return the forecast at a scale, if there is one."""
    forecasts = finding.forecasts if finding else ()
    return next(
        (forecast for forecast in forecasts if forecast.at[PARAMETER] == scale), None
    )


def _over_p(measurements: Measurements) -> _OverP:
    measured: list[_Measured] = []
    reasons: dict[int, str] = {}
    for series_id, points in measurements.by_series():
        evidence = [each for each in points if each not in measurements.left_out]
        try:
            pooled = pool(evidence, measurements.repetitions) if evidence else None
        except (IncompleteCoordinates, NothingMeasured) as error:
            reasons[series_id] = str(error)
            continue
        if pooled is None:
            reasons[series_id] = "processes shared cores"
        elif PARAMETER not in pooled.parameters:
            names = ", ".join(pooled.parameters)
            reasons[series_id] = f"measured over {names} alone"
        else:
            measured.append(_measured(series_id, pooled))
    return _OverP(measured, reasons)


def _measured(series_id: int, pooled: SeriesPool) -> _Measured:
    along = pooled.parameters.index(PARAMETER)
    others = [k for k in range(len(pooled.parameters)) if k != along]
    largest = pooled.settings[:, others].max(axis=0)
    is_held = (pooled.settings[:, others] == largest).all(axis=1)
    values = pooled.values[is_held]
    # Medians that pass over what is missing take twenty times as long.
    middle = np.nanmedian if np.isnan(values).any() else np.median
    medians = middle(values, axis=1)
    return _Measured(
        series_id,
        pooled,
        dict(
            zip(pooled.settings[is_held, along].tolist(), medians.tolist(), strict=True)
        ),
        {
            pooled.parameters[k]: float(at)
            for k, at in zip(others, largest, strict=True)
        },
    )


def _forecasts(
    regions: Sequence[MeasuredRegion], scales: Sequence[float]
) -> tuple[Finding | None, ...]:
    questions = {
        place: question
        for place, region in enumerate(regions)
        if (question := region.question(scales)) is not None
    }
    findings = find_all(list(questions.values()), {"level": LEVEL})
    by_place = dict(zip(questions, findings, strict=True))
    return tuple(by_place.get(place) for place in range(len(regions)))
