"""Whether the rule `smape` chooses what Extra-P chooses, series by series.

Eight sets of process counts; uniform noise of 2, 10 and 50 %, skewed noise with
outliers, constant and falling measurements. Series agree that get the same growth; of
these the cross-validated SMAPEs are compared, too. Without noise the errors of all
exact fits are rounding errors, and differ as such.
"""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, peer
from benchmarks.goals import EXTRA_P, Goal
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import find_models, pmnf

Reals = NDArray[np.float64]

SEED: Final = 20261121
REPETITIONS: Final = 5
PROCESSES: Final = {
    "4 … 128": 2.0 ** np.arange(2, 8),
    "4 … 64": 2.0 ** np.arange(2, 7),
    "4 … 512": 2.0 ** np.arange(2, 10),
    "1 … 32": 2.0 ** np.arange(6),
    "4 … 4096, by 4": 4.0 ** np.arange(1, 7),
    "32 … 65536": 2.0 ** np.array([5, 8, 10, 12, 14, 16]),
    "6 … 200, uneven": np.array([6.0, 12, 24, 36, 48, 96, 200]),
    "1e3 … 1e6": np.array([1e3, 4e3, 1.6e4, 6.4e4, 2.5e5, 1e6]),
}

SAME: Final = Goal(
    "series for which `--rule smape` has Extra-P's growth",
    "{:.2f} %",
    least=100,
    rival=EXTRA_P,
)


def main(results: Results) -> None:
    """Count the series that agree, by process counts and kind of measurement."""
    series = options.series(120, quick=20)
    draw = np.random.default_rng(SEED)
    results.say(f"{series} series a cell, {REPETITIONS} repetitions, seed {SEED}.")
    row = results.table(
        "p", "measurements", "same choice", "largest difference of SMAPE", words=2
    )
    total = same = 0
    for (name, p), (kind, measure) in product(PROCESSES.items(), _kinds(draw).items()):
        values = measure(p, series)
        answer = peer.ask(p[:, np.newaxis], values, names="p")
        findings = find_models(p, values, rule="smape")
        agrees = [
            finding.model is not None
            and [term.growth for term in finding.model.terms]
            == [term.growth for term in model.terms]
            for finding, model in zip(findings, answer.models, strict=True)
        ]
        smape = np.array([finding.smape for finding in findings])
        difference = np.abs(smape - answer.smape)[agrees].max(initial=0.0)
        row(name, kind, f"{sum(agrees)} of {series}", f"{difference:.0e}")
        total, same = total + series, same + sum(agrees)
    results.say(f"{same:,} of {total:,} series have the same growth.")
    results.figure(SAME, 100 * same / total)


def _kinds(draw: np.random.Generator) -> dict[str, Callable[[Reals, int], Reals]]:
    """Return generators of measurements, shape (S, n, R), by name."""

    def growing(noise: float) -> Callable[[Reals, int], Reals]:
        def measure(p: Reals, series: int) -> Reals:
            return _truths(p, series, draw) * _uniform(noise, p, series)

        return measure

    def constant(p: Reals, series: int) -> Reals:
        return draw.uniform(1, 1000, (series, 1, 1)) * _uniform(0.1, p, series)

    def falling(p: Reals, series: int) -> Reals:
        truths = _truths(p, series, draw)
        return (truths.max(axis=1, keepdims=True) - truths + 1) * _uniform(
            0.1, p, series
        )

    def skewed(p: Reals, series: int) -> Reals:
        shape = (series, len(p), REPETITIONS)
        factor = np.exp(draw.normal(0, 0.05, shape))
        is_outlier = draw.random(shape) < 0.05
        factor[is_outlier] *= draw.uniform(1.5, 3, is_outlier.sum())
        return _truths(p, series, draw) * factor

    def _uniform(noise: float, p: Reals, series: int) -> Reals:
        shape = (series, len(p), REPETITIONS)
        return draw.uniform(1 - noise / 2, 1 + noise / 2, shape)

    return {
        "2 % noise": growing(0.02),
        "10 % noise": growing(0.1),
        "50 % noise": growing(0.5),
        "skewed noise": skewed,
        "constant": constant,
        "falling": falling,
    }


def _truths(p: Reals, series: int, draw: np.random.Generator) -> Reals:
    """Draw c₀ + c₁·t(p), shape (S, n, 1), coefficients as Extra-P's generator."""
    table = np.stack([growth(p=p) for growth in pmnf() if growth.factors])
    terms = table[draw.integers(len(table), size=series)]
    constant, slope = draw.uniform(0.001, 1000, (2, series, 1))
    return (constant + slope * terms)[:, :, np.newaxis]
