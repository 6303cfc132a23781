"""What rules say about drawings: each rule of the product, and Extra-P.

Rules come from the product's list, so that new ones join by themselves. Its `smape` is
the rule of Extra-P, which `agreement.py` compares with Extra-P itself series by series;
of several parameters, for which it has no sums, Extra-P itself is asked.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from benchmarks import peer
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.textbook.drawings import Drawing
from benchmarks.textbook.families import Family
from benchmarks.textbook.function import Reals

from scalewatch.modelling import (
    Finding,
    Growth,
    Model,
    Verdict,
    default_deviation_limit,
    find_models,
    judge,
)
from scalewatch.modelling.rules import RULES
from scalewatch.modelling.rules.several_parameters.surfaces import (
    SURFACES as OF_SURFACES,
)
from scalewatch.modelling.rules.smape import SMAPE

OURS: Final = "scalewatch"
RIVAL: Final = "Extra-P"
DEFAULT: Final = inspect.signature(find_models).parameters["rule"].default
LEVEL: Final = 0.9

EXPECTED: Final = {
    "truth": Growth(),
    "truth · p": Growth.of("p", 1),
    "truth / √p": Growth.of("p", "-1/2"),
}
"""What is expected of a series, as a multiple of its true growth."""

Asked = Callable[[Sequence[Drawing], tuple[str, ...]], list["Answer"]]
"""Tells about all series of drawings at the same settings, in their order."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rule says about one series.

    Parameters
    ----------
    growth
        None where it has no model.
    probability
        Of growths; empty for a rule without.
    forecasts
        Value, low and high at each target, shape (2, 3); NaN where none is given.
    verdicts
        One per expectation; none where the truth has no growth.
    outcome
        Whether the growth is exact, ambiguous or none of the space, where a rule says.
    """

    growth: Growth | None
    probability: Mapping[Growth, float]
    forecasts: Reals
    verdicts: tuple[Verdict, ...]
    outcome: str | None = None


def rules(family: Family) -> dict[str, Asked]:
    """Return who is asked about a family, by name."""
    if len(family.parameters) > 1:
        return {RIVAL: _extrap, OURS: partial(_asked, {})}
    names = [name for name in RULES if name not in {DEFAULT, OF_SURFACES.name}]
    known = {
        RIVAL if name == SMAPE.name else name: partial(_asked, {"rule": name})
        for name in names
    }
    return {**known, OURS: partial(_asked, {})}


def expectations(truth: Growth | None) -> tuple[Growth, ...]:
    """Return what is expected of a series; nothing where its growth has no name."""
    return () if truth is None else tuple(truth * each for each in EXPECTED.values())


def _asked(
    choices: dict[str, Any], drawings: Sequence[Drawing], parameters: tuple[str, ...]
) -> list[Answer]:
    first = drawings[0]
    ask = partial(
        find_models, first.settings, parameter=parameters, level=LEVEL, **choices
    )
    values = np.concatenate([drawing.values for drawing in drawings])
    truths = [each.function.growth for each in drawings for _ in each.values]
    targets = [dict(zip(parameters, at, strict=True)) for at in first.targets]
    verdicts: list[list[Verdict]] = [[] for _ in truths]
    asked = [expectations(truth) for truth in truths]
    for number in range(len(EXPECTED)):
        wanted = [each[number] if each else None for each in asked]
        for expectation in set(wanted) - {None}:
            rows = [row for row, each in enumerate(wanted) if each == expectation]
            found = ask(values[rows], expectation=expectation)
            for row, finding in zip(rows, found, strict=True):
                verdicts[row].append(finding.verdict)
    return [
        Answer(
            growth=finding.growth,
            probability=finding.class_probability,
            forecasts=forecast_bounds([finding], targets)[0],
            verdicts=tuple(said),
            outcome=_outcome(finding),
        )
        for finding, said in zip(ask(values, targets=targets), verdicts, strict=True)
    ]


def _outcome(finding: Finding) -> str | None:
    return finding.exactness and finding.exactness.outcome


def _extrap(drawings: Sequence[Drawing], parameters: tuple[str, ...]) -> list[Answer]:
    first = drawings[0]
    values = np.concatenate([drawing.values for drawing in drawings])
    truths = [each.function.growth for each in drawings for _ in each.values]
    models = peer.ask(first.settings, values, "".join(parameters)).models
    columns = dict(zip(parameters, first.targets.T, strict=True))
    return [
        Answer(
            growth=model.growth,
            probability={},
            forecasts=_without_intervals(model, columns),
            verdicts=tuple(
                judge(model.growth, each, default_deviation_limit(each))
                for each in expectations(truth)
            ),
        )
        for model, truth in zip(models, truths, strict=True)
    ]


def _without_intervals(model: Model, targets: Mapping[str, Reals]) -> Reals:
    values = np.broadcast_to(model(targets), (2,))
    return np.column_stack([values, np.full((2, 2), np.nan)])
