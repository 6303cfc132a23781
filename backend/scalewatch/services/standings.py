"""Read stored models and verdicts back as what they mean."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Final

import orjson
from sqlalchemy import Row
from sqlalchemy.orm import Session

from scalewatch.exporters.documents import write_once
from scalewatch.modelling import (
    Direction,
    Factor,
    Growth,
    Model,
    Noise,
    Term,
    Verdict,
    default_deviation_limit,
    direction,
    parse_growth,
)
from scalewatch.services.learning import noise_of
from scalewatch.storage import tables, verdicts


class State(StrEnum):
    """How far a series has come at a commit."""

    JUDGED = "judged"
    MODELLED = "modelled"  # nothing is expected of it
    PENDING = "pending"
    FAILED = "failed"  # not one repetition succeeded, or the analysis was given up
    UNMEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The newest growth promised for a region's metric."""

    growth: Growth
    deviation_limit: Growth
    version: int
    author: str
    reason: str | None
    declared_at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known about one series at one commit.

    Parameters
    ----------
    points, repetitions
        Coordinates that entered the model and the repetitions at each.
    noise
        What the rule assumed of it; None where that was not recorded.
    growths
        How the model grows by each of its parameters while the others are held.
    class_probability, verdict_probability
        Most probable first.
    reason
        Why there is no model, no verdict or no measurement, in words.
    """

    state: State
    points: int = 0
    repetitions: int = 0
    model: Model | None = None
    growth: Growth | None = None
    growths: Mapping[str, Growth] = field(default_factory=dict)
    rule: str | None = None
    noise: Noise | None = None
    adjusted_r2: float | None = None
    smape: float | None = None
    class_probability: Mapping[Growth, float] = field(default_factory=dict)
    divergence: Growth | None = None
    deviation_limit: Growth | None = None
    verdict: Verdict | None = None
    verdict_probability: Mapping[Verdict, float] = field(default_factory=dict)
    reason: str | None = None
    modelled_at: datetime | None = None

    @property
    def probability(self) -> float | None:
        """Probability of the verdict that was reached."""
        if self.verdict is None:
            return None
        return self.verdict_probability.get(self.verdict)

    @property
    def likeliest(self) -> tuple[Verdict, float] | None:
        """The most probable verdict, whether it was reached or not."""
        return next(iter(self.verdict_probability.items()), None)

    @property
    def direction(self) -> Direction | None:
        """Tell whether it scales worse or better than expected."""
        return None if self.divergence is None else direction(self.divergence)


@dataclass(frozen=True, slots=True)
class Found:
    """The model of a series at a commit, and the verdicts on it by expectation."""

    model: verdicts.Modelled
    verdicts: dict[int, verdicts.Compared]


UNMEASURED = Standing(State.UNMEASURED)

KEPT: Final = 8192
"""Of several thousand series at a commit and beside it, those that were read last."""

write_once(Standing, KEPT)

_VERDICTS: Final = {str(verdict): verdict for verdict in Verdict}


def expectation_of(row: Row[Any] | tables.Expectation) -> Expectation | None:
    """Return the expectation of a row, with the default limit where none is given.

    A version that withdraws the expectation expects nothing.
    """
    growth = _growth_or_none(row.growth)
    if growth is None:
        return None
    return Expectation(
        growth=growth,
        deviation_limit=(
            _growth(row.deviation_limit)
            if row.deviation_limit is not None
            else _default_limit(growth)
        ),
        version=row.version,
        author=row.author,
        reason=row.reason,
        declared_at=row.declared_at,
    )


def findings_at(
    session: Session,
    commit_id: int,
    metrics: Collection[str],
    regions: Collection[str] | None = None,
) -> dict[int, Found]:
    """Return what was found of some metrics at a commit, by series."""
    found: dict[int, Found] = {}
    for model, verdict in verdicts.compared_at(session, commit_id, metrics, regions):
        own = found.setdefault(model.series_id, Found(model, {}))
        if verdict is not None:
            own.verdicts[verdict.expectation_id] = verdict
    return found


def standing_of(found: Found, expectation_id: int | None) -> Standing:
    """Return what was found of a series, compared with one version of an expectation.

    A model that nobody compared with it yet is pending.
    """
    verdict = found.verdicts.get(expectation_id or 0)
    return _standing(found.model, verdict, expectation_id is not None)


# Kept by all that it follows from, so that what was analysed anew is read anew: the
# pages of a commit and its neighbours show the same hundreds of models again.
@lru_cache(maxsize=KEPT)
def _standing(
    row: verdicts.Modelled,
    verdict: verdicts.Compared | None,
    is_promised: bool,  # noqa: FBT001 - cached by position
) -> Standing:
    model = model_of(row.constant, orjson.loads(row.terms))
    modelled = partial(
        Standing,
        points=row.points,
        repetitions=row.repetitions,
        model=model,
        growth=_growth_or_none(row.growth),
        growths=_growths(model),
        rule=row.rule,
        noise=_noise(row.noise) if row.points else None,
        adjusted_r2=row.adjusted_r2,
        smape=row.smape,
        class_probability={
            _growth(text): share for text, share in _descending(row.class_probability)
        },
        modelled_at=row.modelled_at,
    )
    if verdict is None:
        state = State.PENDING if is_promised else State.MODELLED
        return modelled(state, reason=row.reason)
    return modelled(
        State.JUDGED,
        divergence=_growth_or_none(verdict.divergence),
        deviation_limit=_growth(verdict.deviation_limit),
        verdict=_VERDICTS[verdict.verdict],
        verdict_probability={
            _VERDICTS[word]: share for word, share in _descending(verdict.probability)
        },
        reason=verdict.reason or row.reason,
    )


def _descending(probability: str) -> list[tuple[str, float]]:
    """Return what is most probable first."""
    shares: dict[str, float] = orjson.loads(probability)
    if len(shares) == 1:
        return [*shares.items()]
    return sorted(shares.items(), key=itemgetter(1), reverse=True)


def model_of(
    constant: float | None, terms: Sequence[Mapping[str, Any]]
) -> Model | None:
    """Return a stored model, None where there is none."""
    if constant is None:
        return None
    return Model(
        constant,
        tuple(
            [
                Term(
                    term["coefficient"],
                    _product(tuple([(*factor.items(),) for factor in term["factors"]])),
                )
                for term in terms
            ]
        ),
    )


def _growths(model: Model | None) -> dict[str, Growth]:
    if model is None:
        return {}
    return dict(_by_parameter(tuple([t.growth for t in model.terms if t.coefficient])))


@lru_cache(maxsize=4096)
def _by_parameter(growths: tuple[Growth, ...]) -> tuple[tuple[str, Growth], ...]:
    """Return how a sum of growths grows by each parameter; few sums ever occur."""
    model = Model(0.0, tuple(Term(1.0, growth) for growth in growths))
    named = {name for growth in growths for name in growth.parameters}
    return tuple((name, model.growth_in(name)) for name in sorted(named))


@lru_cache(maxsize=4096)
def _noise(text: str | None) -> Noise | None:
    """Return the noise that a rule assumed; series of a machine share it."""
    return None if text is None else noise_of(orjson.loads(text))


@lru_cache(maxsize=4096)
def _product(factors: tuple[tuple[tuple[str, str], ...], ...]) -> Growth:
    """Return the growth of stored factors; few of them ever occur."""
    return Growth(tuple(_factor(dict(factor)) for factor in factors))


def _factor(stored: Mapping[str, str]) -> Factor:
    return Factor(
        stored["parameter"],
        power=Fraction(stored["power"]),
        log=Fraction(stored["log"]),
        exp2=Fraction(stored["exp2"]),
    )


def _growth_or_none(text: str | None) -> Growth | None:
    return None if text is None else _growth(text)


@lru_cache(maxsize=4096)
def _growth(text: str) -> Growth:
    return parse_growth(text)


@lru_cache(maxsize=4096)
def _default_limit(growth: Growth) -> Growth:
    return default_deviation_limit(growth)
