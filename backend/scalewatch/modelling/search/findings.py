"""Findings of the search about each series of a batch, built on demand from arrays.

Forecasts reach up to where their bounds are a factor of ten apart: beyond, a growth is
told, and no value.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.growths.verdict import Verdict, decide, judge
from scalewatch.modelling.measurements.batch import most_repetitions
from scalewatch.modelling.measurements.repetitions import Unsteadiness, unsteady
from scalewatch.modelling.misfit import local_exponent, misfit_of
from scalewatch.modelling.rules.evidence.last_step import (
    allows_match,
    last_settings,
    level_of_mismatch,
)
from scalewatch.modelling.rules.rule import Sample, Selection
from scalewatch.modelling.search.finding import Finding, Forecast
from scalewatch.reasons import NO_EXPECTATION, LastStep, Unsettled


def selected_model(
    sample: Sample, selection: Selection, row: int, log2_scale: int = 0
) -> Model:
    """Return the model of a series, where a hypothesis was chosen for it.

    Parameters
    ----------
    log2_scale
        Power of two that undoes the scaling of the sample.
    """
    scaled = selection.coefficients[row]
    constant, *coefficients = np.ldexp(scaled, log2_scale).tolist()
    least = np.fmin.reduce(np.abs(sample.values[row]), axis=None)
    return Model(
        0.0 if abs(scaled[0]) < ASSUMED.constant_rounding * least else constant,
        tuple(map(Term, coefficients, selection.hypotheses[selection.chosen[row]])),
    )


WIDEST: Final = ASSUMED.widest_forecast


def is_told(forecasts: ArrayLike) -> NDArray[np.bool_]:
    """Tell which forecasts of value, low and high, shape (…, 3), are close enough."""
    _, low, high = np.moveaxis(np.asarray(forecasts), -1, 0)
    return np.asarray((high <= WIDEST * low) | (high == low))


def horizons(
    sample: Sample, selection: Selection, select: Callable[[Sample], Selection]
) -> dict[int, float]:
    """Return the largest setting that forecasts reach, of series that miss a target.

    Parameters
    ----------
    sample, selection
        What a rule was asked and answered.
    select
        The rule.

    Returns
    -------
    dict
        By position in the sample; of one parameter alone.
    """
    if selection.forecasts is None or len(sample.settings) > 1:
        return {}
    ((name, x),) = sample.settings.items()
    targets = np.array([target[name] for target in sample.targets])
    is_close = is_told(selection.forecasts).all(axis=1)
    rows = np.flatnonzero(~is_close & (selection.chosen >= 0))
    if not len(rows):
        return {}
    steps = np.union1d(_steps(x[-1], targets.max()), targets[targets > x[-1]])
    reached = select(
        replace(
            sample,
            values=sample.values[rows],
            targets=tuple({name: float(step)} for step in steps),
        )
    ).forecasts
    assert reached is not None
    further = np.cumprod(is_told(reached), axis=1).sum(axis=1)
    ends = np.concatenate([x[-1:], steps])[further]
    return dict(zip(rows.tolist(), ends.tolist(), strict=True))


def _steps(last: float, largest: float) -> Reals:
    """Return settings from the last one measured up to the largest target."""
    doublings = math.log2(max(largest / last, 2.0)) if last > 0 else 1.0
    steps = min(
        math.ceil(doublings * ASSUMED.steps_per_doubling), ASSUMED.farthest_steps
    )
    return last * np.exp2(np.arange(1, steps + 1) / ASSUMED.steps_per_doubling)


Key = TypeVar("Key")


VERDICTS: Final = (Verdict.MATCH, Verdict.APPROXIMATE, Verdict.MISMATCH)
"""Columns of `Selection.verdict_probability`."""


@dataclass(frozen=True)
class Group:
    """Series of a batch that were measured at the same settings.

    Parameters
    ----------
    rows
        Positions in the batch, shape (S,).
    sample
        What the rule saw, values scaled.
    selection
        What it answered, coefficients and forecasts scaled.
    log2_scale
        Power of two that undoes the scaling, shape (S,).
    rule
        Name of the rule.
    horizons
        The largest settings that forecasts reach, of series that miss a target.
    """

    rows: NDArray[np.intp]
    sample: Sample
    selection: Selection
    log2_scale: NDArray[np.intc]
    rule: str
    horizons: Mapping[int, float]

    @cached_property
    def alarm(self) -> NDArray[np.float64]:
        """Probability at which a mismatch of each series is settled, shape (S,)."""
        level = level_of_mismatch(self.selection.exponents, self.sample)
        return np.broadcast_to(level, self.rows.shape)

    @cached_property
    def last_steps(self) -> Mapping[int, "_LastStep"]:
        """Last steps of the series whose exponent a rule bounds, by row."""
        bounds = self.selection.exponents
        if bounds is None:
            return {}
        ((parameter, x),) = self.sample.settings.items()
        between = last_settings(x)[1:]
        start, end = x[between].tolist()
        is_bounded = ~np.isinf(bounds).any(axis=1) & (self.selection.chosen >= 0)
        rows = np.flatnonzero(is_bounded)
        medians = np.nanmedian(self.sample.values[rows][:, between], axis=2)
        exponents = np.diff(np.log(medians), axis=1)[:, 0] / math.log(end / start)
        return {
            row: _LastStep(parameter, (start, end), exponent, (low, high))
            for row, exponent, (low, high) in zip(
                rows.tolist(), exponents.tolist(), bounds[rows].tolist(), strict=True
            )
        }


class Findings(Sequence[Finding]):
    """One finding per series of the batch, in its order.

    Parameters
    ----------
    groups
        What was modelled.
    single
        Findings about other series by position: those that cannot be modelled, and
        those of exact counts.
    values
        Repetitions of the batch, shape (S, n, R), NaN where missing.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        single: Mapping[int, Finding],
        values: NDArray[np.float64],
    ) -> None:
        self.groups = tuple(groups)
        self.single = single
        self._values = values
        self._size = sum(len(group.rows) for group in groups) + len(single)
        self._group = np.full(self._size, -1, dtype=np.intp)
        self._row = np.zeros(self._size, dtype=np.intp)
        for number, group in enumerate(groups):
            self._group[group.rows] = number
            self._row[group.rows] = np.arange(len(group.rows))

    @cached_property
    def unsteadiness(self) -> Mapping[int, Unsteadiness]:
        """Ways in which repetitions are not alike, by position of the series."""
        return unsteady(self._values)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> list[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | list[Finding]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._size))]
        position = range(self._size)[index]
        group = self._group[position]
        finding = (
            self.single[position]
            if group < 0
            else _finding(self.groups[group], int(self._row[position]))
        )
        if position not in self.unsteadiness:
            return finding
        return replace(finding, unsteadiness=self.unsteadiness[position])

    def __iter__(self) -> Iterator[Finding]:
        return (self[position] for position in range(self._size))


def refusal(
    points: int,
    repetitions: int,
    expectation: Growth | None,
    deviation_limit: Growth | None,
    reason: str,
) -> Finding:
    """Return the finding of a series that cannot be modelled."""
    return Finding(
        model=None,
        growth=None,
        points=points,
        repetitions=repetitions,
        adjusted_r2=None,
        smape=None,
        class_probability={},
        expectation=expectation,
        deviation_limit=deviation_limit,
        divergence=None,
        verdict=Verdict.UNDECIDED,
        verdict_probability={},
        forecasts=(),
        reason=reason,
    )


def _finding(group: Group, row: int) -> Finding:
    sample, selection = group.sample, group.selection
    points = sample.values.shape[1]
    repetitions = most_repetitions(sample.values[row])
    if selection.chosen[row] < 0:
        return refusal(
            points,
            repetitions,
            sample.expectation,
            sample.deviation_limit,
            selection.reasons[row],
        )
    model = selected_model(sample, selection, row, group.log2_scale[row])
    growth, expectation = model.growth, sample.expectation
    verdict_probability = _verdict_probability(selection, row)
    alarm = float(group.alarm[row])
    verdict, reason = _verdict(sample, growth, verdict_probability, alarm)
    divergence = None if expectation is None else _divergence(growth, expectation)
    steps = group.last_steps.get(row)
    last_step = steps.unlike(model) if steps else None
    if verdict is Verdict.MATCH and steps and not steps.allows(expectation):
        verdict, reason = Verdict.UNDECIDED, str(steps.beside(expectation))
    elif verdict is Verdict.MATCH and last_step is not None:
        verdict, reason = Verdict.UNDECIDED, str(last_step)
    elif verdict is Verdict.UNDECIDED and steps and not steps.allows(expectation):
        reason = f"{reason}; {steps.beside(expectation)}"
    # Only rules that tell odds claim that a growth explains what was measured.
    misfit = None
    if selection.hypothesis_probability is not None:
        misfit = misfit_of(
            model,
            sample.settings,
            sample.values[row],
            _number(selection.adjusted_r2[row]),
            float(selection.smape[row]),
        )
    class_probability = _class_probability(selection, row)
    if misfit is not None:
        class_probability, verdict_probability, divergence = {}, {}, None
        if expectation is not None:
            verdict, reason = Verdict.UNDECIDED, str(misfit)
    if row in selection.reasons:
        verdict, reason, verdict_probability = (
            Verdict.UNDECIDED,
            selection.reasons[row],
            {},
        )
    return Finding(
        model=model,
        growth=growth,
        points=points,
        repetitions=repetitions,
        adjusted_r2=_number(selection.adjusted_r2[row]),
        smape=_number(selection.smape[row]),
        class_probability=class_probability,
        expectation=expectation,
        deviation_limit=sample.deviation_limit,
        divergence=divergence,
        verdict=verdict,
        verdict_probability=verdict_probability,
        forecasts=_forecasts(group, row, model),
        reason=reason,
        rule=group.rule,
        unexplained=0.0 if misfit is None else 1.0,
        misfit=misfit,
        horizon=group.horizons.get(row),
        last_step=last_step,
    )


@dataclass(frozen=True, slots=True)
class _LastStep:
    """Last settings of a series, its exponent between them, and the bounds of it."""

    parameter: str
    between: tuple[float, float]
    exponent: float
    bounds: tuple[float, float]

    def allows(self, expectation: Growth | None) -> bool:
        """Tell whether a curve that goes so may have the expected growth."""
        return expectation is None or allows_match(
            self.bounds, expectation, self.between
        )

    def beside(self, expectation: Growth | None) -> LastStep:
        """Return it beside the expectation."""
        expected = local_exponent(expectation or CONSTANT, self.between)
        return self._and(f"the expected {expectation}", expected)

    def unlike(self, model: Model) -> LastStep | None:
        """Return it beside a model that goes otherwise; None where it does not."""
        with np.errstate(all="ignore"):
            start, end = (model({self.parameter: at}) for at in self.between)
            ratio = float(end) / float(start) if start > 0 else 0.0
        if not 0 < ratio < math.inf:
            return None
        exponent = math.log(ratio) / math.log(self.between[1] / self.between[0])
        low, high = self.bounds
        return None if low <= exponent <= high else self._and("the model", exponent)

    def _and(self, other: str, expected: float) -> LastStep:
        return LastStep(self.parameter, *self.between, self.exponent, other, expected)


def _verdict(
    sample: Sample, growth: Growth, probability: Mapping[Verdict, float], alarm: float
) -> tuple[Verdict, str | None]:
    """Return the verdict, and why there is none."""
    if sample.expectation is None or sample.deviation_limit is None:
        return Verdict.UNDECIDED, NO_EXPECTATION
    if not probability:
        return _judge(growth, sample.expectation, sample.deviation_limit), None
    verdict = decide(probability, sample.level, alarm)
    if verdict is not Verdict.UNDECIDED:
        return verdict, None
    shares = {str(each): probability[each] for each in VERDICTS}
    return verdict, str(Unsettled(shares))


# A batch has few growths and many series.
_judge = lru_cache(judge)
_divergence = lru_cache(Growth.__truediv__)


def _verdict_probability(selection: Selection, row: int) -> dict[Verdict, float]:
    if selection.verdict_probability is None:
        return {}
    shares = selection.verdict_probability[row].tolist()
    return dict(zip(VERDICTS, shares, strict=True))


def _class_probability(selection: Selection, row: int) -> dict[Growth, float]:
    """Add up hypotheses of the same leading-order term, likeliest first."""
    if selection.hypothesis_probability is None or selection.leading is None:
        return {}
    probability: dict[Growth, float] = {}
    shares = selection.hypothesis_probability[row]
    for index in np.flatnonzero(shares > ASSUMED.trace):
        place = index if selection.likely is None else selection.likely[row, index]
        growth = selection.leading[place]
        probability[growth] = probability.get(growth, 0.0) + float(shares[index])
    likely = [
        growth for growth in probability if probability[growth] >= ASSUMED.unlisted
    ]
    likely.sort(key=lambda growth: (-probability[growth], growth))
    return {growth: probability[growth] for growth in likely}


def _forecasts(group: Group, row: int, model: Model) -> tuple[Forecast, ...]:
    horizon = group.horizons.get(row, math.inf)
    sample, forecasts = group.sample, group.selection.forecasts
    if forecasts is None:
        bounds = [(float(model(at)), None, None) for at in sample.targets]
    else:
        with np.errstate(over="ignore"):
            bounds = np.ldexp(forecasts[row], group.log2_scale[row]).tolist()
    forecasts_told = (
        Forecast(at, value, low, high, sample.level)
        for at, (value, low, high) in zip(sample.targets, bounds, strict=True)
        if math.isfinite(value) and next(iter(at.values())) <= horizon
    )
    return tuple(filter(_is_close, forecasts_told))


def _is_close(forecast: Forecast) -> bool:
    """Tell whether bounds are close enough, where a rule has any."""
    if forecast.low is None or forecast.high is None:
        return True
    bounds = (forecast.value, forecast.low, forecast.high)
    return math.isfinite(forecast.high) and bool(is_told(bounds))


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
