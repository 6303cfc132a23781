"""Forecasts and verdicts on measured curves that nobody here wrote.

The largest one, two or three settings of a series are hidden, the others modelled by
the default rule, and each hidden median compared with its forecast at 90 %. Error is
|log(forecast / measured)|, width the ratio of the bounds, and the score Winkler's on
the logarithm: the width, and 20 times by what an interval misses. A ruler through the
last two points is the rival. A verdict is contradicted where the whole series has a
stated one that is another; match and approximate are not. With one dataset left out
means: one factor for all intervals, learned from the other datasets; the size of the
discrepancy is chosen likewise, by the score of the other datasets, each weighing alike.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any, Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.real_series import VARIABLE, RealSeries, folder, real_series
from benchmarks.results import Results, Row

from scalewatch.modelling import Verdict, find_models
from scalewatch.modelling.measurements.assumptions import ASSUMED

LEVEL: Final = 0.9
MOST_WIDTH: Final = 20.0
FEW: Final = 10
"""Forecasts of a dataset below which its share tells nothing."""

POOR: Final = 0.7

SIZES: Final = (0.5, 0.6, 0.7, 0.8, 1.0)
"""Sizes of the discrepancy that are tried."""

HOLDS: Final = Goal(
    "real curves: 90 % intervals that hold, mean over datasets", "{:.3f}", least=0.88
)
WORST: Final = Goal(
    "real curves: 90 % intervals that hold, worst kind", "{:.3f}", least=0.80
)
WIDTH: Final = Goal("real curves: median width", "{:.2f}", most=1.7)
ERROR: Final = Goal("real curves: median error", "{:.3f}", most=0.060)
NEARER: Final = Goal(
    "real curves: nearer than the last two points", "{:.2f}", least=0.60
)
CONTRADICTED: Final = Goal(
    "real curves: stated verdicts that all data contradict", "{:.1%}", most=0.015
)
STATED: Final = Goal("real curves: verdicts that are stated", "{:.0%}", least=0.45)
PRINTED: Final = Goal(
    "real curves: printed model within its interval", "{:.1%}", least=0.99
)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A hidden measurement, and what was forecast of it, as natural logarithms.

    Parameters
    ----------
    series
        The whole one.
    hidden
        How many settings were hidden.
    beyond
        Its setting over the largest that was not hidden.
    measured, ruler
        Its median, and the line through the last two points.
    value, low, high
        The forecast; None where there was none.
    is_printed_inside
        Whether the printed model lies between the bounds.
    """

    series: RealSeries
    hidden: int
    beyond: float
    measured: float
    ruler: float
    value: float
    low: float
    high: float
    is_forecast: bool
    is_printed_inside: bool

    @property
    def holds(self) -> bool:
        """Whether the interval does."""
        return self.low <= self.measured <= self.high

    @property
    def width(self) -> float:
        """Logarithm of the ratio of the bounds."""
        return self.high - self.low

    @property
    def error(self) -> float:
        """Distance of the value from what was measured."""
        return abs(self.value - self.measured)

    @property
    def is_nearer(self) -> bool:
        """Whether the value is nearer than the ruler."""
        return self.error < abs(self.ruler - self.measured)

    @property
    def score(self) -> float:
        """Score of the interval, the lower the better."""
        miss = max(0.0, self.low - self.measured, self.measured - self.high)
        return min(self.width, MOST_WIDTH) + 2 / (1 - LEVEL) * miss

    @property
    def missed_parts(self) -> float:
        """How many times the half width the measurement lies from the value."""
        reach = (
            self.high - self.value
            if self.measured > self.value
            else self.value - self.low
        )
        return self.error / max(reach, 1e-9)


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdict on a series with settings hidden, and that on all of them."""

    hidden: int
    before: Verdict
    whole: Verdict

    @property
    def is_stated(self) -> bool:
        """Whether the series with settings hidden has one."""
        return self.before is not Verdict.UNDECIDED

    @property
    def is_contradicted(self) -> bool:
        """Whether it is stated and the whole series has the opposite one."""
        both = {self.before, self.whole}
        return self.is_stated and Verdict.MISMATCH in both and len(both - _UNSTATED) > 1


_UNSTATED: Final = {Verdict.UNDECIDED}


@dataclass(frozen=True, slots=True)
class Answers:
    """All forecasts and verdicts about some series."""

    forecasts: tuple[HeldOut, ...]
    verdicts: tuple[Judged, ...]

    @property
    def given(self) -> list[HeldOut]:
        """Forecasts that were not withheld."""
        return [each for each in self.forecasts if each.is_forecast]

    @property
    def by_dataset(self) -> dict[str, list[HeldOut]]:
        """The same by dataset."""
        return _grouped(self.given, lambda each: each.series.dataset)

    @property
    def poor(self) -> tuple[int, int]:
        """Datasets whose intervals hold in less than 70 %, of how many."""
        held = [_held(each) for each in self.by_dataset.values() if len(each) >= FEW]
        return sum(share < POOR for share in held), len(held)


def main(results: Results) -> None:
    """Hide, forecast, judge, compare."""
    if not (folder() / "series.csv").exists():
        results.say(f"No series: {VARIABLE} names no folder that has them.")
        return
    every = real_series()
    every = every[:: max(1, len(every) // options.series(len(every), quick=40))]
    answers = answers_about(every)
    repeated = [each for each in every if each.is_repeated]
    once = answers_about([each.first() for each in repeated], verdicts=False)
    results.say(
        f"{len(every)} series of {len({each.dataset for each in every})} datasets, "
        f"{len(answers.forecasts)} forecasts, {len(answers.verdicts)} verdicts."
    )
    _tell_forecasts(results, answers, once)
    _tell_datasets(results, answers)
    _tell_sizes(results, every)
    _tell_verdicts(results, answers.verdicts)
    _tell_figures(results, answers)


def answers_about(
    every: Sequence[RealSeries],
    *,
    verdicts: bool = True,
    prepare: Callable[[], Any] | None = None,
    **choices: Any,
) -> Answers:
    """Ask about each series with settings hidden.

    Parameters
    ----------
    verdicts
        Whether verdicts are asked for, too.
    prepare
        Called in each process before.
    choices
        Of `find_models`.
    """
    ask = partial(about, verdicts=verdicts, choices=choices)
    with ProcessPoolExecutor(initializer=prepare) as pool:
        parts = list(pool.map(ask, every, chunksize=4))
    return Answers(
        tuple(given for each, _ in parts for given in each),
        tuple(judged for _, each in parts for judged in each),
    )


def about(
    series: RealSeries, *, verdicts: bool, choices: dict[str, Any]
) -> tuple[list[HeldOut], list[Judged]]:
    """Ask about a series with settings hidden, see `answers_about`."""
    given = [
        each
        for number in series.hidden()
        for each in _forecast(series, number, choices)
    ]
    if not verdicts:
        return given, []
    judged = []
    for expectation in series.expectations:
        question = {"expectation": expectation, **choices}
        whole = _finding(series, question).verdict
        judged += [
            Judged(number, _finding(series.but(number), question).verdict, whole)
            for number in series.hidden()
        ]
    return given, judged


def _finding(series: RealSeries, choices: dict[str, Any]) -> Any:
    settings, values = series.arrays()
    return find_models(settings, values, parameter=series.parameter, **choices)[0]


def _forecast(
    series: RealSeries, number: int, choices: dict[str, Any]
) -> Iterable[HeldOut]:
    rest = series.but(number)
    targets = series.settings[-number:]
    finding = _finding(rest, {"targets": targets, "level": LEVEL, **choices})
    forecasts = {each.at[series.parameter]: each for each in finding.forecasts}
    before, last = np.log(rest.settings[-2:])
    second, first = np.log(rest.medians[-2:])
    slope = (first - second) / (last - before)
    for target, measured in zip(targets, series.medians[-number:], strict=True):
        forecast = forecasts.get(target)
        is_forecast = forecast is not None and bool(forecast.low and forecast.low > 0)
        logs = (math.nan,) * 3
        if is_forecast:
            logs = tuple(map(math.log, (forecast.value, forecast.low, forecast.high)))
        yield HeldOut(
            series=series,
            hidden=number,
            beyond=target / rest.settings[-1],
            measured=math.log(measured),
            ruler=float(first + slope * (math.log(target) - last)),
            value=logs[0],
            low=logs[1],
            high=logs[2],
            is_forecast=is_forecast,
            is_printed_inside=is_forecast
            and finding.model is not None
            and forecast.low
            <= float(finding.model({series.parameter: target}))
            <= forecast.high,
        )


COLUMNS: Final = ("n", "holds", "width", "score", "error", "ruler", "nearer", "inside")


def _tell_forecasts(results: Results, answers: Answers, once: Answers) -> None:
    row = results.table("forecasts", *COLUMNS)
    given = answers.given
    withheld = 1 - len(given) / len(answers.forecasts)
    _tell(row, f"all, {withheld:.1%} withheld", given)
    for kind, part in _grouped(given, lambda each: each.series.kind).items():
        _tell(row, kind, part)
    for reach, part in _grouped(given, _reach).items():
        _tell(row, reach, part)
    for hidden, part in _grouped(given, lambda each: each.hidden).items():
        _tell(row, f"{hidden} hidden", part)
    _tell(row, "single values", [e for e in given if not e.series.is_repeated])
    _tell(row, "repeated", [e for e in given if e.series.is_repeated])
    _tell(row, "– of these the first repetition", once.given)
    factors, left_out = _left_out(answers)
    _tell(row, f"× {np.mean(factors):.2f}, one dataset left out", left_out)


def _tell(row: Row, name: str, given: Sequence[HeldOut]) -> None:
    if given:
        row(
            name,
            len(given),
            f"{_held(given):.1%}",
            f"{math.exp(median(each.width for each in given)):.2f}",
            f"{_mean(each.score for each in given):.2f}",
            f"{median(each.error for each in given):.3f}",
            f"{median(abs(each.ruler - each.measured) for each in given):.3f}",
            f"{_mean(each.is_nearer for each in given):.0%}",
            f"{_mean(each.is_printed_inside for each in given):.1%}",
        )


def _reach(given: HeldOut) -> str:
    limits = {1.5: "to 1.5 ×", 3.0: "2 ×", 6.0: "4 ×"}
    return next((name for most, name in limits.items() if given.beyond < most), "8 ×")


def _left_out(answers: Answers) -> tuple[list[float], list[HeldOut]]:
    """Return intervals times the factor under which those of the others hold."""
    factors, widened = [], []
    for dataset, part in answers.by_dataset.items():
        others = [
            (each.missed_parts, 1 / max(len(given), FEW))
            for other, given in answers.by_dataset.items()
            if other != dataset
            for each in given
        ]
        missed, weight = np.array(sorted(others)).T
        share = np.cumsum(weight) / weight.sum()
        factor = float(missed[np.searchsorted(share, LEVEL)])
        factors.append(factor)
        widened += [
            replace(
                each,
                low=each.value + factor * (each.low - each.value),
                high=each.value + factor * (each.high - each.value),
            )
            for each in part
        ]
    return factors, widened


def _tell_datasets(results: Results, answers: Answers) -> None:
    row = results.table("dataset", *COLUMNS)
    for dataset, given in sorted(answers.by_dataset.items()):
        _tell(row, dataset, given)
    poor, of = answers.poor
    results.say(
        f"{poor} of {of} datasets of {FEW} forecasts hold less than {POOR:.0%}."
    )


def _tell_sizes(results: Results, every: Sequence[RealSeries]) -> None:
    """Tell what each size gives, and what that gives which other datasets choose."""
    known = {
        size: answers_about(every, prepare=partial(_assume, size)) for size in SIZES
    }
    scores = {
        size: {
            dataset: _mean(each.score for each in given)
            for dataset, given in answers.by_dataset.items()
        }
        for size, answers in known.items()
    }
    datasets = sorted(scores[SIZES[0]])
    chosen = {
        dataset: min(
            SIZES,
            key=lambda size: _mean(
                score for other, score in scores[size].items() if other != dataset
            ),
        )
        for dataset in datasets
    }
    row = results.table("size of the discrepancy", *COLUMNS)
    for size, answers in known.items():
        times = sum(each == size for each in chosen.values())
        verdicts = answers.verdicts
        stated = sum(each.is_stated for each in verdicts)
        contradicted = sum(each.is_contradicted for each in verdicts)
        share = f"{contradicted / max(stated, 1):.1%} contradicted"
        _tell(row, f"{size}, chosen {times} times, {share}", answers.given)
    left_out = [
        each
        for dataset, size in chosen.items()
        for each in known[size].by_dataset[dataset]
    ]
    _tell(row, "chosen by the other datasets", left_out)


def _assume(size: float) -> None:
    object.__setattr__(ASSUMED, "sizes", (0.0, size))


def _tell_verdicts(results: Results, verdicts: Sequence[Judged]) -> None:
    row = results.table("hidden", "verdicts", "stated", "contradicted", "of stated")
    grouped = _grouped(verdicts, lambda each: each.hidden)
    for name, part in [*grouped.items(), ("all", verdicts)]:
        stated = sum(each.is_stated for each in part)
        contradicted = sum(each.is_contradicted for each in part)
        share = f"{contradicted / max(stated, 1):.1%}"
        row(name, len(part), f"{stated / len(part):.0%}", contradicted, share)


def _tell_figures(results: Results, answers: Answers) -> None:
    given, verdicts = answers.given, answers.verdicts
    kinds = _grouped(given, lambda each: each.series.kind).values()
    datasets = answers.by_dataset.values()
    results.figure(HOLDS, _mean(map(_held, datasets)))
    results.figure(WORST, min(_held(each) for each in kinds if len(each) >= FEW))
    results.figure(WIDTH, math.exp(median(each.width for each in given)))
    results.figure(ERROR, median(each.error for each in given))
    results.figure(NEARER, _mean(each.is_nearer for each in given))
    stated = sum(each.is_stated for each in verdicts)
    contradicted = sum(each.is_contradicted for each in verdicts)
    results.figure(CONTRADICTED, contradicted / max(stated, 1))
    results.figure(STATED, stated / len(verdicts))
    results.figure(PRINTED, _mean(each.is_printed_inside for each in given))


def _grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return dict(sorted(groups.items()))


def _held(given: Sequence[HeldOut]) -> float:
    return _mean(each.holds for each in given)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
