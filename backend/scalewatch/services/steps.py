"""Steps of a history: what each commit shows by itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, Model
from scalewatch.services.effects import FARTHER
from scalewatch.services.lineage import Lineage
from scalewatch.services.standings import model_of
from scalewatch.services.tracks import Track
from scalewatch.storage import verdicts

Reals = NDArray[np.float64]


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


def steps_of(session: Session, line: Lineage, track: Track) -> list[Step]:
    """Return what was found of each commit by itself."""
    rows = {
        model.commit_id: (model, verdict, version)
        for model, verdict, version in verdicts.of_series(session, track.series.id)
    }
    doublings, centred = doublings_of(track)
    slopes = slopes_of(track.log, centred)
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


def doublings_of(track: Track) -> tuple[Reals, Reals]:
    """Return log2 of the first parameter, and the same around its mean."""
    doublings = np.log2([at[0] for at in track.settings])
    return doublings, doublings - doublings.mean()


def slopes_of(log: Reals, centred: Reals) -> list[float | None]:
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
