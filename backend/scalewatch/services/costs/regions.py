"""What the regions of a machine cost: medians where measured, forecasts beyond."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import IncompleteCoordinates, NothingMeasured
from scalewatch.modelling import Finding, Forecast
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.pools import SeriesPool, pool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.expectations.composed import promised_ids
from scalewatch.services.regions.forecasts import LEVEL
from scalewatch.services.series.at_commit import Judged
from scalewatch.services.shared_cores import accepts_shared_cores, left_out_at
from scalewatch.storage.runs import points, samples

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
        """Return what is asked about it at scales; None without a model."""
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
    """What was measured of a series over p, see `MeasuredRegion`."""

    series_id: int
    pool: SeriesPool
    medians: Mapping[float, float]
    held: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _OverP:
    """What was measured over p, and why other series were not, by series."""

    measured: list[_Measured]
    reasons: dict[int, str]


KEPT: Final = 20_000
"""Series whose repetitions over p are kept by commits: 2 kB each."""

_OVER_P: Final = Kept[_OverP](KEPT, lambda found: len(found.measured))
_FORECASTS: Final = Kept[tuple[Finding | None, ...]](KEPT, len)


def measured_regions(
    session: Session, commit_id: int, chosen: Sequence[Judged]
) -> tuple[list[MeasuredRegion], dict[int, str]]:
    """Return regions that were measured over p, and why others were not, by series."""
    judged_of = {each.series_id: each for each in chosen}
    found = kept_at(
        session,
        commit_id,
        _OVER_P,
        (sorted(judged_of), accepts_shared_cores(session, commit_id)),
        lambda: _over_p(session, commit_id, judged_of),
    )
    regions = [
        MeasuredRegion(judged_of[each.series_id], each.pool, each.medians, each.held)
        for each in found.measured
    ]
    return regions, dict(found.reasons)


def _over_p(session: Session, commit_id: int, series: Collection[int]) -> _OverP:
    taken = points.of_series(session, commit_id, series)
    left_out = left_out_at(session, commit_id, taken)
    blobs = samples.of_runs(session, {each.run_id for each in taken})
    found = _OverP([], {})
    for series_id, group in groupby(taken, key=lambda each: each.series_id):
        kept = [each for each in group if each not in left_out]
        try:
            pooled = pool(kept, blobs) if kept else None
        except (IncompleteCoordinates, NothingMeasured) as error:
            found.reasons[series_id] = str(error)
            continue
        if pooled is None:
            found.reasons[series_id] = "processes shared cores"
        elif PARAMETER not in pooled.parameters:
            names = ", ".join(pooled.parameters)
            found.reasons[series_id] = f"measured over {names} alone"
        else:
            found.measured.append(_measured(series_id, pooled))
    return found


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


def forecasts_at(
    session: Session,
    project_id: int,
    commit_id: int,
    regions: Sequence[MeasuredRegion],
    scales: Sequence[float],
) -> Sequence[Finding | None]:
    """Return the forecasts of regions at scales; None for one without a model."""
    asked = (
        [each.judged.series_id for each in regions],
        accepts_shared_cores(session, commit_id),
        promised_ids(session, project_id),
        scales,
    )
    return kept_at(
        session, commit_id, _FORECASTS, asked, lambda: _forecasts(regions, scales)
    )


def _forecasts(
    regions: Sequence[MeasuredRegion], scales: Sequence[float]
) -> tuple[Finding | None, ...]:
    asked = {
        place: question
        for place, region in enumerate(regions)
        if (question := region.question(scales)) is not None
    }
    found = find_all(list(asked.values()), {"level": LEVEL})
    by_place = dict(zip(asked, found, strict=True))
    return tuple(by_place.get(place) for place in range(len(regions)))


def forecast_at(found: Finding | None, scale: float) -> Forecast | None:
    """Return what is forecast at a scale, if anything."""
    forecasts = found.forecasts if found else ()
    return next((each for each in forecasts if each.at[PARAMETER] == scale), None)
