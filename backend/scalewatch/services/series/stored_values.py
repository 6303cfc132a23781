"""Values of what is stored as text; few of them ever occur, so that they are kept."""

from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

import orjson

from scalewatch.exporters.documents import json_text
from scalewatch.modelling import (
    Growth,
    Model,
    Noise,
    Term,
    parse_growth,
)
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.noise import noise_of

NO_FIT: Final[Mapping[str, Any]] = {
    "unexplained": 0.0,
    "misfit": None,
    "outcome": None,
    "candidates": [],
    "separating": None,
    "excepted": [],
    "independent": [],
}
"""What is known of most series."""


def descending(probability: str) -> dict[str, float]:
    """Return stored probabilities, the largest first."""
    shares: dict[str, float] = orjson.loads(probability)
    if len(shares) <= 1:
        return shares
    return dict(sorted(shares.items(), key=itemgetter(1), reverse=True))


def model_of(constant: float | None, terms: str, rule: str | None) -> Model | None:
    """Return a model stored with its terms as JSON, None where there is none."""
    if constant is None:
        return None
    read = orjson.loads(terms)
    return Model(
        constant,
        tuple([Term(each[0], stored_growth(each[1]), *each[2:]) for each in read]),
        is_exact=rule == EXACT,
    )


@lru_cache(maxsize=4096)
def by_parameter(growths: tuple[Growth, ...]) -> Mapping[str, Growth]:
    """Return how a sum of growths grows by each parameter; few sums ever occur."""
    model = Model(0.0, tuple(Term(1.0, growth) for growth in growths))
    named = {name for growth in growths for name in growth.parameters}
    return {name: model.growth_in(name) for name in sorted(named)}


@lru_cache(maxsize=4096)
def stored_noise(text: str | None) -> Noise | None:
    """Return the noise that a rule assumed; series of a machine share it."""
    return None if text is None else noise_of(orjson.loads(text))


@lru_cache(maxsize=4096)
def noise_json(text: str | None) -> orjson.Fragment:
    """Return it as JSON."""
    return orjson.Fragment(json_text(stored_noise(text)))


def stored_fit(text: str | None) -> Mapping[str, Any]:
    """Return what is known of exact counts and of misfit, as `fit_object` has it."""
    return {**NO_FIT, **orjson.loads(text)} if text else NO_FIT


def growth_or_none(text: str | None) -> Growth | None:
    """Return a stored growth, None where there is none."""
    return None if text is None else stored_growth(text)


def stored_growth(text: str) -> Growth:
    """Return a growth that is stored as text."""
    return parse_growth(text)
