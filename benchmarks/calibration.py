"""Whether intervals hold, and probabilities come true, as often as they promise."""

from collections.abc import Sequence
from itertools import product
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
        "\n### Expected calibration error of the likeliest verdict and of a mismatch, "
        f"{series} series, default deviation limits\n"
    )
    print(
        "| curves | noise | verdicts drawn as believed | of a mismatch "
        "| a third each | of a mismatch |"
    )
    print("|---|---|---|---|---|---|")
    for (family, draw), (noise, factor) in product(
        truths.INSIDE.items(), NOISES.items()
    ):
        cells = [
            error
            for shares in (BELIEVED, (1 / 3, 1 / 3, 1 / 3))
            for error in _verdict_errors(draw, factor, series, shares)
        ]
        text = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {family} | {noise} | {text} |")


def _verdict_errors(
    draw: Draw, noise: Noise, series: int, shares: Sequence[float]
) -> tuple[float, float]:
    """Return the errors of the likeliest verdict and of a mismatch."""
    rng, p = np.random.default_rng(SEEDS[0]), truths.processes(6)
    truth = draw(series, p, rng)
    values = truths.measure(truth.curve, p, noise, rng)
    growths = truth.growths or ()
    asked = expectations(growths, rng, shares)
    findings: dict[int, Finding] = {}
    for growth in set(asked):
        rows = [row for row, each in enumerate(asked) if each == growth]
        found = find_models(p, values[rows], expectation=growth)
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
    best = probability.argmax(axis=1)
    return (
        calibration_error(probability.max(axis=1), is_true[np.arange(series), best]),
        calibration_error(probability[:, 2], is_true[:, 2]),
    )


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
