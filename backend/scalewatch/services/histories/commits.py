"""Steps of a history: what each commit shows by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from math import isfinite
from operator import mul
from typing import Final, NamedTuple

import orjson
from sqlalchemy.orm import Session

from scalewatch.modelling import CONSTANT, Growth, Model, Term, Verdict, parse_growth
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.regressions.effects import FARTHER
from scalewatch.services.regressions.series_histories import Track
from scalewatch.storage.judgements import verdicts


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


_Target = tuple[str, float]
"""A parameter, and where on it."""

_VERDICTS: Final = {str(verdict): verdict for verdict in Verdict}


class _Told(NamedTuple):
    """What a model tells by itself, as `Step` has it."""

    growth: Growth | None
    coefficient: float | None
    at_target: float | None


_NOTHING: Final = _Told(None, None, None)


class _Sum(NamedTuple):
    """Growths that are added, each with a coefficient.

    Parameters
    ----------
    growth
        That of the sum, with its constant.
    growths
        That of each.
    is_largest
        Which of them have that of the sum.
    values
        Of each at the target.
    """

    growth: Growth
    growths: tuple[Growth, ...]
    is_largest: tuple[bool, ...]
    values: tuple[float, ...]


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
        is_line = len(track.parameters) == 1
        target = (track.parameters[0], target_of(track)) if is_line else None
        return tuple(
            [
                self._step(track.series.id, place, exponent, target)
                for place, exponent in [*pairs][self._first :]
            ]
        )

    def _step(
        self,
        series_id: int,
        place: int,
        exponent: float | None,
        target: _Target | None,
    ) -> Step:
        row = self._found.get((series_id, self._line.commits[place].id))
        told = _told(row, target) if row else _NOTHING
        return Step(
            place=place,
            growth=told.growth,
            exponent=exponent,
            constant=row.constant if row else None,
            coefficient=told.coefficient,
            at_target=told.at_target,
            verdict=_VERDICTS[row.verdict] if row and row.verdict else None,
            expectation_version=row.version if row else None,
        )


def target_of(track: Track) -> float:
    """Return the setting that forecasts of a track are for."""
    return FARTHER * max(at[0] for at in track.settings)


def _told(row: verdicts.Stepped, target: _Target | None) -> _Told:
    if row.constant is None:
        return _NOTHING
    terms = [term for term in orjson.loads(row.terms) if term[0]]
    coefficients = [coefficient for coefficient, _ in terms]
    sum_ = _sum(tuple([growth for _, growth in terms]), target, bool(row.constant))
    at_target = row.constant + sum(map(mul, coefficients, sum_.values))
    if target and not isfinite(at_target):
        # Parts may exceed all numbers where the sum does not.
        model = Model(row.constant, tuple(map(Term, coefficients, sum_.growths)))
        at_target = float(model(dict([target])))
    return _Told(
        sum_.growth,
        row.constant
        if sum_.growth == CONSTANT
        else sum(compress(coefficients, sum_.is_largest)),
        at_target if target and isfinite(at_target) else None,
    )


@lru_cache(maxsize=4096)
def _sum(
    texts: tuple[str, ...],
    target: _Target | None,
    has_constant: bool,  # noqa: FBT001 - cached by position
) -> _Sum:
    """Return what all models have in common that are sums of these growths."""
    growths = tuple(map(parse_growth, texts))
    terms = tuple(Term(1.0, each) for each in growths)
    growth = Model(float(has_constant), terms).growth
    return _Sum(
        growth,
        growths,
        tuple(each == growth for each in growths),
        tuple(float(each(dict([target]))) for each in growths) if target else (),
    )
