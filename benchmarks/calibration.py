"""Whether intervals hold, and probabilities come true, as often as they promise."""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Final

import numpy as np
from benchmarks import options, truths
from benchmarks.accuracy import SEEDS, VERDICTS, expectations
from benchmarks.truths import NOISES, Noise
from numpy.typing import NDArray

from scalewatch.modelling import (
    Finding,
    default_deviation_limit,
    find_models,
    judge,
    learn_noise,
)

Reals = NDArray[np.float64]
Draw = truths.Draw

FAR: Final = (4, 16)
LEVEL: Final = 0.9
THIRDS: Final = (1 / 3, 1 / 3, 1 / 3)
BELIEVED: Final = (0.61, 0.195, 0.195)
"""Shares of the verdicts as the prior has them for most expectations."""


def main() -> None:
    """Print all tables."""
    series = options.series(400, quick=50)
    print(f"{series} series a cell and seed, six points, seeds {SEEDS}\n")
    _coverage(series)
    _classes(10 * series)
    _verdicts(10 * series)


def _coverage(series: int) -> None:
    print("### Share of 90 % intervals that hold, and their median width in log G\n")
    print(
        "| curves | noise | 4 p_max | 16 p_max | width at 16 "
        "| learned noise: 4 p_max | 16 p_max | width at 16 |"
    )
    print("|---|---|---|---|---|---|---|---|")
    families = {**truths.INSIDE, **truths.OUTSIDE}
    for (family, draw), (noise, factor) in product(families.items(), NOISES.items()):
        found = np.mean(
            [_holding(draw, factor, series, seed) for seed in SEEDS], axis=0
        )
        cells = " | ".join(f"{cell:.3f}" for cell in found.ravel())
        print(f"| {family} | {noise} | {cells} |")


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
        low, high = np.array(
            [[(each.low, each.high) for each in f.forecasts] for f in findings]
        ).transpose(2, 0, 1)
        holds = (low <= exact) & (exact <= high)
        rows.append([*holds.mean(axis=0), np.median(np.log(high / low)[:, 1])])
    return np.array(rows)


def _classes(series: int) -> None:
    print(
        f"\n### Expected calibration error of the likeliest growth, {series} series, "
        "by themselves and with learned noise\n"
    )
    print(
        "| noise | " + " | ".join(f"{each} | learned" for each in truths.INSIDE) + " |"
    )
    print("|---|" + "---|---|" * len(truths.INSIDE))
    for noise, factor in NOISES.items():
        cells = []
        for draw in truths.INSIDE.values():
            rng, p = np.random.default_rng(SEEDS[0]), truths.processes(6)
            truth = draw(series, p, rng)
            values = truths.measure(truth.curve, p, factor, rng)
            for choices in ({}, {"noise": learn_noise(p, values)}):
                findings = find_models(p, values, **choices)
                likeliest = [next(iter(f.class_probability.items())) for f in findings]
                is_right = [
                    growth == true
                    for (growth, _), true in zip(
                        likeliest, truth.growths or (), strict=True
                    )
                ]
                stated = [share for _, share in likeliest]
                cells.append(calibration_error(stated, is_right))
        print(f"| {noise} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")


def _verdicts(series: int) -> None:
    print(
        f"\n### Expected calibration error of the likeliest verdict, {series} series, "
        "default deviation limits\n"
    )
    print(
        "| curves | noise | drawn as believed | of a mismatch | learned noise "
        "| of a mismatch | a third each, learned | of a mismatch |"
    )
    print("|---|---|---|---|---|---|---|---|")
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
            stated, is_true = _judged(draw, factor, series, shares, learned=is_learned)
            rows, best = np.arange(series), stated.argmax(axis=1)
            cells.append(calibration_error(stated.max(axis=1), is_true[rows, best]))
            cells.append(calibration_error(stated[:, 2], is_true[:, 2]))
            if shares is BELIEVED and is_learned:
                all_stated.append(stated)
                all_true.append(is_true)
        text = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {family} | {noise} | {text} |", flush=True)
    _reliability(np.concatenate(all_stated), np.concatenate(all_true))


def _reliability(stated: Reals, is_true: NDArray[np.bool_]) -> None:
    """Print how often verdicts hold that were stated with some probability."""
    print("\n### Verdicts that come true, drawn as believed, learned noise\n")
    print("| stated | " + " | ".join(f"{each}, series" for each in VERDICTS) + " |")
    print("|---|" + "---|" * len(VERDICTS))
    edges = (0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1)
    for low, high in pairwise(edges):
        cells = []
        for column, came_true in zip(stated.T, is_true.T, strict=True):
            is_here = (low <= column) & ((column < high) | (high == 1))
            mean = f"{column[is_here].mean():.3f} → {came_true[is_here].mean():.3f}"
            cells.append(f"{mean}, {is_here.sum():,}" if is_here.any() else "")
        print(f"| {low} … {high} | {' | '.join(cells)} |")


def _judged(
    draw: Draw, noise: Noise, series: int, shares: Sequence[float], *, learned: bool
) -> tuple[Reals, NDArray[np.bool_]]:
    """Return the probability of each verdict and which one is true, (S, 3) each."""
    rng, p = np.random.default_rng(SEEDS[0]), truths.processes(6)
    truth = draw(series, p, rng)
    values = truths.measure(truth.curve, p, noise, rng)
    growths = truth.growths or ()
    asked = expectations(growths, rng, shares)
    choices = {"noise": learn_noise(p, values)} if learned else {}
    findings: dict[int, Finding] = {}
    for growth in set(asked):
        rows = [row for row, each in enumerate(asked) if each == growth]
        found = find_models(p, values[rows], expectation=growth, **choices)
        findings |= zip(rows, found, strict=True)
    true = [
        judge(growth, each, default_deviation_limit(each))
        for growth, each in zip(growths, asked, strict=True)
    ]
    probability = np.array(
        [
            [findings[row].verdict_probability[verdict] for verdict in VERDICTS]
            for row in range(series)
        ]
    )
    is_true = np.array([[each is verdict for verdict in VERDICTS] for each in true])
    return probability, is_true


def calibration_error(
    probability: Sequence[float] | Reals, is_true: Sequence[bool] | NDArray[np.bool_]
) -> float:
    """Return the mean distance of probability and frequency over ten equal bins."""
    stated, came_true = np.asarray(probability), np.asarray(is_true)
    bins = np.minimum((10 * stated).astype(int), 9)
    weight = np.bincount(bins, minlength=10)
    distance = np.abs(
        np.bincount(bins, stated, 10) - np.bincount(bins, came_true.astype(float), 10)
    )
    return float(distance.sum() / weight.sum())
