"""Steps of a history: what each commit shows by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

import orjson
from sqlalchemy.orm import Session

from scalewatch.modelling import CONSTANT, Growth, Model, Term, Verdict
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
        target = {track.parameters[0]: target_of(track)}
        return tuple(
            self._step(track, place, exponent, target)
            for place, exponent in [*pairs][self._first :]
        )

    def _step(
        self,
        track: Track,
        place: int,
        exponent: float | None,
        target: Mapping[str, float],
    ) -> Step:
        row = self._found.get((track.series.id, self._line.commits[place].id))
        model = model_of(row.constant, orjson.loads(row.terms)) if row else None
        growth = _growth(model) if model else None
        return Step(
            place=place,
            growth=growth,
            exponent=exponent,
            constant=model.constant if model else None,
            coefficient=_coefficient(model, growth) if model and growth else None,
            at_target=_at(model, target) if len(track.parameters) == 1 else None,
            verdict=Verdict(row.verdict) if row and row.verdict else None,
            expectation_version=row.version if row else None,
        )


def target_of(track: Track) -> float:
    """Return the setting that forecasts of a track are for."""
    return FARTHER * max(at[0] for at in track.settings)


def _at(model: Model | None, target: Mapping[str, float]) -> float | None:
    if model is None:
        return None
    ((parameter, setting),) = target.items()
    parts = [
        term.coefficient * _value(term.growth, parameter, setting)
        for term in model.terms
        if term.coefficient
    ]
    value = model.constant + sum(parts)
    if not isfinite(value):  # parts may exceed all numbers where the sum does not
        value = float(model(target))
    return value if isfinite(value) else None


def _growth(model: Model) -> Growth:
    """Return its growth, which is that of all models of these terms."""
    own = tuple([term.growth for term in model.terms if term.coefficient])
    return _largest(own, has_constant=bool(model.constant))


def _coefficient(model: Model, growth: Growth) -> float:
    """Return the coefficient of its growth, `Model.leading_coefficient`."""
    if growth == CONSTANT:
        return model.constant
    return sum([term.coefficient for term in model.terms if term.growth == growth])


@lru_cache(maxsize=4096)
def _largest(growths: tuple[Growth, ...], *, has_constant: bool) -> Growth:
    return Model(float(has_constant), tuple(Term(1.0, each) for each in growths)).growth


@lru_cache(maxsize=4096)
def _value(growth: Growth, parameter: str, setting: float) -> float:
    return float(growth({parameter: setting}))
