"""Whether intervals hold, and probabilities come true, as often as they promise.

Learned noise is learned from the series of the cell, as the analysis does per machine
and metric and `scalewatch model` per metric; the goals are about these columns. Curves
of the space are published, visible and MPI-like; outside of it are free exponents, a
logarithm beside a power, and a switch of protocols that makes everything 15 % dearer. A
series by itself is too sure where noise is shared or protocols switch: only many series
tell. Nothing was tuned on the seeds.

The calibration error is the mean distance of stated probability and frequency over ten
bins, of the series of both seeds together. As a distance it is never zero: "by chance"
is what perfect probabilities would show, the mean over redrawn outcomes that come true
exactly as often as stated, of the cell of the row that would show most. Verdicts are
drawn as the prior has them, 61 % matches, and in the last columns a third each, which
the prior does not expect; series that no growth explains state nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
from benchmarks import options, truths
from benchmarks.accuracy import SEEDS, VERDICTS, expectations
from benchmarks.calibration_error import calibration_error, chance_error
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.goals import Goal
from benchmarks.results import Results
from benchmarks.truths import NOISES, Noise
from numpy.typing import NDArray

from scalewatch.modelling import (
    Finding,
    Growth,
    default_deviation_limit,
    find_models,
    judge,
    learn_noise,
)

Reals = NDArray[np.float64]
Draw = truths.Draw
Statements = tuple[Reals, NDArray[np.bool_]]

FAR: Final = (4, 16)
LEVEL: Final = 0.9
THIRDS: Final = (1 / 3, 1 / 3, 1 / 3)
BELIEVED: Final = (0.61, 0.195, 0.195)
"""Shares of the verdicts as the prior has them for most expectations."""

INSIDE: Final = Goal(
    "90 % intervals that hold, curves of the space, farthest cell from 0.90",
    "{:.3f}",
    most=0.03,
    reason="cells that miss it lie on the safe side and are off by less than chance",
)
OUTSIDE: Final = Goal(
    "90 % intervals that hold, curves outside of it but switches, worst cell",
    "{:.3f}",
    least=0.80,
)
SWITCHES: Final = Goal(
    "90 % intervals that hold, switches by 15 %, worst cell",
    "{:.3f}",
    least=0.80,
    reason="with skewed noise of 10 % or noise shared by a job four to five of ten "
    "switches cannot be told from noise at six points, even by a test that knows "
    "growth, noise and size; only wider intervals for all series would hold",
)
GROWTHS: Final = Goal("calibration error of growths, worst cell", "{:.3f}", most=0.05)
STATED: Final = Goal(
    "calibration error of verdicts, worst cell",
    "{:.3f}",
    most=0.05,
    reason="one cell of 27, MPI-like with 50 % noise; chance would show 0.009",
)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Series of a cell and seed: true growths, settings and what was measured."""

    growths: Sequence[Growth]
    p: Reals
    values: Reals
    rng: np.random.Generator

    def choices(self, *, learned: bool) -> dict[str, Any]:
        """Return the noise that is learned from the series, or nothing."""
        return {"noise": learn_noise(self.p, self.values)} if learned else {}


def main(results: Results) -> None:
    """Measure intervals, probabilities of growths, and those of verdicts."""
    series = options.series(400, quick=50)
    results.say(f"{series} series a cell and seed, six points, seeds {SEEDS}.")
    _coverage(results, series)
    _classes(results, 10 * series)
    _verdicts(results, 10 * series)


def _coverage(results: Results, series: int) -> None:
    results.heading("Share of 90 % intervals that hold, and median width in log G")
    row = results.table(
        "curves",
        "noise",
        "4 p_max",
        "16 p_max",
        "width at 16",
        "learned noise: 4 p_max",
        "learned: 16 p_max",
        "learned: width at 16",
        words=2,
    )
    held: dict[str, list[float]] = {}
    families = {**truths.INSIDE, **truths.OUTSIDE}
    for (family, draw), (noise, factor) in product(families.items(), NOISES.items()):
        found = np.mean(
            [_holding(draw, factor, series, seed) for seed in SEEDS], axis=0
        )
        row(family, noise, *(f"{cell:.3f}" for cell in found.ravel()))
        held.setdefault(family, []).extend(found[1, :2])
    inside = [share for family in truths.INSIDE for share in held.pop(family)]
    results.figure(INSIDE, max(abs(share - LEVEL) for share in inside))
    switches = min(held.pop("switch by 15 %"))
    results.figure(OUTSIDE, min(map(min, held.values())))
    results.figure(SWITCHES, switches)


def _holding(draw: Draw, noise: Noise, series: int, seed: int) -> Reals:
    """Return coverages and the width, without and with learned noise, (2, 3)."""
    rng, p = np.random.default_rng(seed), truths.processes(6)
    truth = draw(series, p, rng)
    values = truths.measure(truth.curve, p, noise, rng)
    targets = p[-1] * np.array(FAR)
    exact = truth.curve(targets)
    rows = []
    for choices in ({}, {"noise": learn_noise(p, values)}):
        findings = find_models(p, values, targets=targets, level=LEVEL, **choices)
        _, low, high = forecast_bounds(findings, targets).transpose(2, 0, 1)
        holds = np.where(np.isnan(low), np.nan, (low <= exact) & (exact <= high))
        width = np.nanmedian(np.log(high / low)[:, 1])
        rows.append([*np.nanmean(holds, axis=0), width])
    return np.array(rows)


def _classes(results: Results, series: int) -> None:
    results.heading(
        "Expected calibration error of the likeliest growth, "
        f"{len(SEEDS) * series} series, by themselves and with learned noise"
    )
    columns = [
        name for family in truths.INSIDE for name in (family, f"{family}, learned")
    ]
    row = results.table("noise", *columns, "learned, by chance")
    worst, by_chance = 0.0, []
    for noise, factor in NOISES.items():
        cells, chances = [], []
        for draw in truths.INSIDE.values():
            drawn = _drawn(draw, factor, series)
            alone, learned = (
                _pooled(_likeliest(each, learned=is_learned) for each in drawn)
                for is_learned in (False, True)
            )
            cells += [calibration_error(*alone), calibration_error(*learned)]
            chances.append(chance_error(learned[0]))
        row(noise, *(f"{cell:.3f}" for cell in (*cells, max(chances))))
        worst = max(worst, *cells[1::2])
        by_chance += chances
    _say_chance(results, by_chance)
    results.figure(GROWTHS, worst)


def _likeliest(drawn: _Drawn, *, learned: bool) -> Statements:
    """Return the likeliest growth's probability and if it is true, (S,) each."""
    findings = find_models(drawn.p, drawn.values, **drawn.choices(learned=learned))
    likeliest = [next(iter(each.class_probability.items())) for each in findings]
    is_right = [
        growth == true
        for (growth, _), true in zip(likeliest, drawn.growths, strict=True)
    ]
    return np.array([share for _, share in likeliest]), np.array(is_right)


def _verdicts(results: Results, series: int) -> None:
    results.heading(
        "Expected calibration error of the likeliest verdict and of a mismatch, "
        f"{len(SEEDS) * series} series, default deviation limits"
    )
    row = results.table(
        "curves",
        "noise",
        "drawn as believed",
        "of a mismatch",
        "learned noise",
        "of a mismatch",
        "learned, by chance",
        "a third each, learned",
        "of a mismatch",
        words=2,
    )
    worst, by_chance = 0.0, []
    all_stated, all_true = [], []
    for (family, draw), (noise, factor) in product(
        truths.INSIDE.items(), NOISES.items()
    ):
        cells = []
        for shares, is_learned in (
            (BELIEVED, False),
            (BELIEVED, True),
            (THIRDS, True),
        ):
            stated, is_true = _pooled(
                _judged(each, shares, learned=is_learned)
                for each in _drawn(draw, factor, series)
            )
            rows, best = np.arange(len(stated)), stated.argmax(axis=1)
            cells.append(calibration_error(stated.max(axis=1), is_true[rows, best]))
            cells.append(calibration_error(stated[:, 2], is_true[:, 2]))
            if shares is BELIEVED and is_learned:
                worst = max(worst, *cells[-2:])
                by_chance.append(
                    max(map(chance_error, (stated.max(axis=1), stated[:, 2])))
                )
                cells.append(by_chance[-1])
                all_stated.append(stated)
                all_true.append(is_true)
        row(family, noise, *(f"{cell:.3f}" for cell in cells))
    _say_chance(results, by_chance)
    results.figure(STATED, worst)
    _reliability(results, np.concatenate(all_stated), np.concatenate(all_true))


def _reliability(results: Results, stated: Reals, is_true: NDArray[np.bool_]) -> None:
    """Tell how often verdicts hold that were stated with some probability."""
    results.heading("Verdicts that come true, drawn as believed, learned noise")
    results.say("Mean of what is stated → share that is so, number of series.")
    row = results.table("stated", *VERDICTS)
    edges = (0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1)
    for low, high in pairwise(edges):
        cells = []
        for column, came_true in zip(stated.T, is_true.T, strict=True):
            is_here = (low <= column) & ((column < high) | (high == 1))
            mean = f"{column[is_here].mean():.3f} → {came_true[is_here].mean():.3f}"
            cells.append(f"{mean}, {is_here.sum():,}" if is_here.any() else "")
        row(f"{low} … {high}", *cells)


def _judged(drawn: _Drawn, shares: Sequence[float], *, learned: bool) -> Statements:
    """Return the probability of each verdict and which one is true, (S, 3) each.

    Series that no growth explains have no such probability, and are not among them.
    """
    asked = expectations(drawn.growths, drawn.rng, shares)
    choices = drawn.choices(learned=learned)
    findings: dict[int, Finding] = {}
    for growth in set(asked):
        rows = [row for row, each in enumerate(asked) if each == growth]
        values = drawn.values[rows]
        found = find_models(drawn.p, values, expectation=growth, **choices)
        findings |= zip(rows, found, strict=True)
    true = [
        judge(growth, each, default_deviation_limit(each))
        for growth, each in zip(drawn.growths, asked, strict=True)
    ]
    told = [row for row in range(len(asked)) if findings[row].verdict_probability]
    probability = np.array(
        [
            [findings[row].verdict_probability[verdict] for verdict in VERDICTS]
            for row in told
        ]
    )
    is_true = np.array([[true[row] is each for each in VERDICTS] for row in told])
    return probability, is_true


def _drawn(draw: Draw, noise: Noise, series: int) -> list[_Drawn]:
    """Draw and measure the series of a cell, of each seed."""
    p = truths.processes(6)
    cell = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        truth = draw(series, p, rng)
        values = truths.measure(truth.curve, p, noise, rng)
        cell.append(_Drawn(truth.growths or (), p, values, rng))
    return cell


def _pooled(pairs: Iterable[Statements]) -> Statements:
    """Join what is stated and what is true of all seeds."""
    stated, is_true = zip(*pairs, strict=True)
    return np.concatenate(stated), np.concatenate(is_true)


def _say_chance(results: Results, by_chance: Sequence[float]) -> None:
    results.say(
        "Perfect probabilities would show "
        f"{min(by_chance):.3f} to {max(by_chance):.3f} by chance."
    )
