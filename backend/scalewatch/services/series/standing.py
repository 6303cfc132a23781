"""Stored models and verdicts of series, read back as what they mean.

Few values of stored text ever occur, so that most are decoded once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, Final

import orjson

from scalewatch.exporters.documents import json_text
from scalewatch.exporters.findings import model_object
from scalewatch.figures.notation import NO_EVIDENCE
from scalewatch.modelling import (
    Direction,
    Growth,
    Mark,
    Model,
    Noise,
    Term,
    Verdict,
    direction,
    parse_growth,
)
from scalewatch.modelling.exact_counts.counts import Outcome
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.noise import noise_of
from scalewatch.services.analysis.rows import model_of
from scalewatch.storage.judgements.verdicts import Modelled

LIKELY: Final = 0.5
"""Probability that a growth needs to be called found."""


class State(StrEnum):
    """How far a series has come at a commit."""

    JUDGED = "judged"
    MODELLED = "modelled"  # nothing is expected of it
    PENDING = "pending"
    FAILED = "failed"  # not one repetition succeeded, or the analysis was given up
    UNMEASURED = "not measured"


@dataclass(frozen=True)
class Standing:
    """Model and verdict of one series at one commit, or why there are none.

    Tables of cells need little of it: stored text is decoded when it is asked for.

    Parameters
    ----------
    stored
        Its model and the verdict on it.
    points, repetitions
        Coordinates that entered the model and the repetitions at each.
    reason
        Why there is no model, no verdict or no measurement, in words.
    """

    state: State
    points: int = 0
    repetitions: int = 0
    stored: Modelled = field(default=Modelled(), repr=False)
    reason: str | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # maps look up thousands of standings, at each visit
        return hash((self.state, self.stored, self.reason))

    def given_up(self, reason: str | None) -> "Standing":
        """Return it as failed if it is pending and its analysis was given up."""
        if reason is None or self.state is not State.PENDING:
            return self
        return replace(self, state=State.FAILED, reason=reason)

    @cached_property
    def model(self) -> Model | None:
        """Its performance model."""
        return model_of(self.stored.constant, self.stored.terms, self.rule)

    @cached_property
    def growth(self) -> Growth | None:
        """How the series grows; None where no growth explains it."""
        return None if self.fits_none else growth_or_none(self.stored.growth)

    @property
    def fits_none(self) -> bool:
        """Whether no growth explains it: its model is only the nearest one."""
        return bool(self.fit["misfit"])

    @property
    def explaining(self) -> Model | None:
        """Its model if that explains the series: no other foretells anything."""
        return None if self.fits_none else self.model

    @property
    def nearest(self) -> Growth | None:
        """How the model grows, whether it explains the series or not."""
        return self.model.growth if self.model else None

    @property
    def growths(self) -> Mapping[str, Growth]:
        """How the model grows by each of its parameters while the others are held."""
        model = self.model
        terms = model.terms if model and not self.fits_none else ()
        return _by_parameter(tuple([t.growth for t in terms if t.coefficient]))

    @property
    def rule(self) -> str | None:
        """By what rule the model was selected."""
        return self.stored.rule

    @cached_property
    def is_exact(self) -> bool:
        """Whether it is one of counts, which no repetition changes."""
        return self.rule == EXACT

    @cached_property
    def is_open(self) -> bool:
        """Whether its growth is open: undecided, explained by none, or improbable."""
        if self.model is None or self.formula:
            return False
        is_untold = self.fits_none or self.verdict is Verdict.UNDECIDED
        return is_untold or self.is_improbable

    @property
    def is_improbable(self) -> bool:
        """Whether its growth over one parameter is likelier to be another.

        A verdict may hold all the same: of each growth that it may be.
        """
        return is_improbable(self.growth, self.class_probability)

    @property
    def formula(self) -> str | None:
        """The one formula that reproduces exact counts, if there is one."""
        is_told = self.is_exact and self.fit["outcome"] == Outcome.EXACT
        return self.model.formula if is_told and self.model else None

    @property
    def noise(self) -> Noise | None:
        """The noise that the rule assumed; None where that was not recorded."""
        return _stored_noise(self.stored.noise) if self.stored.points else None

    @property
    def adjusted_r2(self) -> float | None:
        """How much of the variance the model explains, allowing for its terms."""
        return self.stored.adjusted_r2

    @property
    def smape(self) -> float | None:
        """How far the model is from what was measured, in percent."""
        return self.stored.smape

    @cached_property
    def fit(self) -> Mapping[str, Any]:
        """Exactness of counts and misfit, as `fit_object` has them."""
        return _stored_fit(self.stored.fit)

    @cached_property
    def class_probability(self) -> Mapping[Growth, float]:
        """Probabilities of growths, the most probable first."""
        shares = _descending(self.stored.likely.growths)
        return {parse_growth(text): share for text, share in shares.items()}

    @property
    def divergence(self) -> Growth | None:
        """Growth over expectation."""
        return growth_or_none(self.stored.divergence)

    @property
    def deviation_limit(self) -> Growth | None:
        """Divergence up to which it still matches approximately."""
        return growth_or_none(self.stored.deviation_limit)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether it scales as it should."""
        return _VERDICTS[self.stored.verdict]

    @cached_property
    def verdict_probability(self) -> Mapping[Verdict, float]:
        """Probabilities of verdicts, the most probable first."""
        shares = _descending(self.stored.likely.verdicts)
        return {Verdict(word): share for word, share in shares.items()}

    @property
    def modelled_at(self) -> datetime | None:
        """When it was modelled."""
        return self.stored.modelled_at

    @cached_property
    def probability(self) -> float | None:
        """Probability of the verdict that was reached."""
        if self.verdict is None:
            return None
        return self.verdict_probability.get(self.verdict)

    @property
    def likeliest(self) -> tuple[Verdict, float] | None:
        """The most probable verdict, whether it was reached or not."""
        return next(iter(self.verdict_probability.items()), None)

    @cached_property
    def direction(self) -> Direction | None:
        """Tell whether it scales worse or better than expected."""
        return None if self.divergence is None else direction(self.divergence)

    @cached_property
    def mark(self) -> Mark | None:
        """The verdict as it is shown: better than expected is no fault."""
        verdict = self.verdict
        return None if verdict is None else Mark.of_divergence(verdict, self.divergence)

    @property
    def is_measured(self) -> bool:
        """Whether anything succeeded of it, and its analysis was not given up."""
        return self.state not in {State.FAILED, State.UNMEASURED}

    @property
    def is_failed(self) -> bool:
        """Whether it was tried and nothing succeeded, or its analysis was given up."""
        return self.state is State.FAILED

    @property
    def is_explained(self) -> bool:
        """Whether a formula reproduces it and its growth explains it."""
        return self.growth is not None and bool(self.formula)

    @cached_property
    def is_crowded(self) -> bool:
        """Whether it cannot be judged, as its times are no evidence."""
        return self.model is None and (self.reason or "").startswith(NO_EVIDENCE)

    @cached_property
    def as_json(self) -> orjson.Fragment:
        """Most of it as it is stored, and written once: two commits may show it."""
        stored, model = self.stored, self.model
        return orjson.Fragment(
            orjson.dumps(
                {
                    "state": self.state,
                    "points": self.points,
                    "repetitions": self.repetitions,
                    "model": model and model_object(model),
                    "growth": None if self.fits_none else stored.growth,
                    "growths": {name: str(each) for name, each in self.growths.items()},
                    "rule": stored.rule,
                    "noise": _noise_json(stored.noise) if stored.points else None,
                    "adjusted_r2": stored.adjusted_r2,
                    "smape": stored.smape,
                    "class_probability": orjson.Fragment(stored.likely.growths),
                    "divergence": stored.divergence,
                    "deviation_limit": stored.deviation_limit,
                    "verdict": stored.verdict,
                    "verdict_probability": orjson.Fragment(stored.likely.verdicts),
                    "reason": self.reason,
                    **self.fit,
                    "modelled_at": stored.modelled_at,
                }
            )
        )


UNMEASURED = Standing(State.UNMEASURED)


def is_improbable(growth: Growth | None, shares: Mapping[Growth, float]) -> bool:
    """Tell whether a growth over one parameter is likelier to be another."""
    if growth is None or not shares or len(growth.parameters) > 1:
        return False
    return 0 < shares.get(growth, max(shares.values())) < LIKELY


KEPT: Final = 30_000
"""Standings that are kept: several thousand series at a commit and at others."""

_VERDICTS: Final = {None: None} | {str(verdict): verdict for verdict in Verdict}


def crowded_among(standings: Iterable[Standing]) -> int:
    """Count the series that cannot be judged because processes shared cores."""
    return sum(standing.is_crowded for standing in standings)


def standing_of(models: Sequence[Modelled], expectation_id: int | None) -> Standing:
    """Return the standing of a series by one version of an expectation.

    A model that nobody compared with it yet is pending.
    """
    state = State.MODELLED
    stored = None
    if expectation_id is not None:
        judged = (each for each in models if each.expectation_id == expectation_id)
        stored = next(judged, None)
        state = State.JUDGED if stored else State.PENDING
    return _standing(state, stored or models[0].unjudged)


# Cached by content, which an analysis replaces: many tables show the same models.
@lru_cache(maxsize=KEPT)
def _standing(state: State, stored: Modelled) -> Standing:
    reason = stored.verdict_reason or stored.reason
    return Standing(state, stored.points, stored.repetitions, stored, reason)


_NO_FIT: Final[Mapping[str, Any]] = {
    "unexplained": 0.0,
    "misfit": None,
    "warm_up": None,
    "modes": None,
    "last_step": None,
    "outcome": None,
    "candidates": [],
    "separating": None,
    "excepted": [],
    "independent": [],
}
"""Fit of most series: nothing is known of it."""

_MISFIT: Final[Mapping[str, Any]] = {
    "smape": None,
    "adjusted_r2": None,
    "negative_at": None,
    "sentence": "no growth of the space explains the settings",
}


def _descending(probability: str) -> dict[str, float]:
    """Return stored probabilities, the largest first."""
    shares: dict[str, float] = orjson.loads(probability)
    if len(shares) <= 1:
        return shares
    return dict(sorted(shares.items(), key=itemgetter(1), reverse=True))


@lru_cache(maxsize=4096)
def _by_parameter(growths: tuple[Growth, ...]) -> Mapping[str, Growth]:
    """Return how a sum of growths grows by each parameter; few sums ever occur."""
    model = Model(0.0, tuple(Term(1.0, growth) for growth in growths))
    named = {name for growth in growths for name in growth.parameters}
    return {name: model.growth_in(name) for name in sorted(named)}


@lru_cache(maxsize=4096)
def _stored_noise(text: str | None) -> Noise | None:
    """Return the noise that a rule assumed; series of a machine share it."""
    return None if text is None else noise_of(orjson.loads(text))


@lru_cache(maxsize=4096)
def _noise_json(text: str | None) -> orjson.Fragment:
    """Return it as JSON."""
    return orjson.Fragment(json_text(_stored_noise(text)))


def _stored_fit(text: str | None) -> Mapping[str, Any]:
    """Return what is known of exact counts and of misfit, as `fit_object` has it."""
    fit = {**_NO_FIT, **orjson.loads(text)} if text else _NO_FIT
    misfit = fit["misfit"]
    if not misfit or misfit.keys() == _MISFIT.keys():
        return fit
    # Once a misfit had ratios and exponents instead, and at first no sentence.
    known = {name: misfit.get(name) or absent for name, absent in _MISFIT.items()}
    return {**fit, "misfit": known}


def growth_or_none(text: str | None) -> Growth | None:
    """Return a stored growth, None where there is none."""
    return None if text is None else parse_growth(text)
