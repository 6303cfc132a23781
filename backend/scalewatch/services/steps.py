"""Steps of a history: what each commit shows by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, Model, Verdict
from scalewatch.services.effects import FARTHER
from scalewatch.services.lineage import Lineage
from scalewatch.services.standings import model_of
from scalewatch.services.tracks import Track
from scalewatch.storage import verdicts


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
    verdict: Verdict | None
    expectation_version: int | None


class Steps:
    """Tells what was found of each commit by itself."""

    def __init__(
        self,
        session: Session,
        line: Lineage,
        own: Sequence[Track],
        newest: int | None,
    ) -> None:
        self._line = line
        self._first = 0 if newest is None else -newest
        places = {place for track in own for place in track.places[self._first :]}
        self._found = {
            (row.series_id, row.commit_id): row
            for row in verdicts.steps_of(
                session,
                [track.series.id for track in own],
                [line.commits[place].id for place in places],
            )
        }

    def of(self, track: Track, exponents: Sequence[float | None]) -> tuple[Step, ...]:
        """Return the steps of a track."""
        pairs = zip(track.places, exponents, strict=True)
        target = target_of(track)
        return tuple(
            self._step(track, place, exponent, target)
            for place, exponent in [*pairs][self._first :]
        )

    def _step(
        self, track: Track, place: int, exponent: float | None, target: float
    ) -> Step:
        commit_id = self._line.commits[place].id
        row = self._found.get((track.series.id, commit_id))
        model = model_of(row) if row else None
        return Step(
            place=place,
            growth=model.growth if model else None,
            exponent=exponent,
            constant=model.constant if model else None,
            coefficient=model.leading_coefficient if model else None,
            at_target=_at(model, track.parameters, target),
            verdict=Verdict(row.verdict) if row and row.verdict else None,
            expectation_version=row.version if row else None,
        )


def target_of(track: Track) -> float:
    """Return the setting that forecasts of a track are for."""
    return FARTHER * max(at[0] for at in track.settings)


def _at(model: Model | None, parameters: Sequence[str], target: float) -> float | None:
    if model is None or len(parameters) != 1:
        return None
    value = float(model({parameters[0]: target}))
    return value if np.isfinite(value) else None
