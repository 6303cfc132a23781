"""How often two commits alone stop one: unchanged ones, and those that became dearer.

Noise as in `truths_history`: repetitions scatter and 5 % of them are 1.5 to 3 times
slower, each setting is a job of its own that lies 2 % beside the others, and all
settings of a run lie a percent or more beside those of another run. A report compares
100 series; a second job measures the commit as the first one did. One job makes series
suspicious; what two agree on stops the commit. Where runs as a whole differ by 3 %,
which two commits cannot show, a rule such as `constant = 0.1` keeps unchanged series
from being stopped; a tenth more is for histories.
"""

from itertools import product
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.results import Results
from benchmarks.truths_history import JOB, OUTLIERS, REPETITIONS, P
from numpy.typing import NDArray

from scalewatch.modelling import Direction, compare_versions
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    direction_of,
    level_of,
)

Reals = NDArray[np.float64]

REPORT: Final = 100
SEED: Final = 20_261_122
REPETITION_NOISE: Final = (0.02, 0.05, 0.10)
RUN_NOISE: Final = (0.0, 0.01, 0.03)
FACTORS: Final = (1.1, 1.3)

ALIKE: Final = 0.01
STOPPED: Final = Goal(
    "unchanged series that two jobs stop, runs up to 1 % apart, worst", "{:.2f} %"
)


def main(results: Results) -> None:
    """Count what one job suspects, and what two stop."""
    series = options.series(500, quick=100)
    results.say(
        f"{series} series a cell that changed, and {20 * series:,} that did not, in "
        f"reports of {REPORT}."
    )
    changed = [
        name
        for factor in FACTORS
        for name in (f"× {factor} suspected", f"× {factor} stopped")
    ]
    unchanged = ("unchanged suspected", "unchanged stopped")
    row = results.table("repetitions", "runs as a whole", *unchanged, *changed, words=2)
    stopped_wrongly = {}
    for noise, run in product(REPETITION_NOISE, RUN_NOISE):
        shares = [_shares(1.0, noise, run, 20 * series)]
        shares += [_shares(factor, noise, run, series) for factor in FACTORS]
        stopped_wrongly[noise, run] = shares[0][1]
        cells = [f"{share:.4f}" for pair in shares for share in pair]
        row(f"{100 * noise:.0f} %", f"{100 * run:.0f} %", *cells)
    alike = [stopped for (_, run), stopped in stopped_wrongly.items() if run <= ALIKE]
    results.figure(STOPPED, 100 * max(alike))


def _shares(
    factor: float, noise: float, run: float, series: int
) -> tuple[float, float]:
    """Return which share one job suspects, and which two agree on."""
    rng = np.random.default_rng((SEED, int(1_000 * noise), int(1_000 * run)))
    growing = rng.choice([0.0, 0.3, 1.0, 3.0], (series, 1))
    curve = 1 + growing * np.log2(P) / np.log2(P[-1])
    before = _run(curve, noise, run, rng)
    said = [
        np.array(
            [
                direction_of(compared, LEAST_CONSTANT, is_cost=True) is Direction.WORSE
                for compared in compare_versions(
                    P,
                    before,
                    _run(factor * curve, noise, run, rng),
                    level=level_of(REPORT),
                )
            ]
        )
        for _ in range(2)
    ]
    return float(said[0].mean()), float((said[0] & said[1]).mean())


def _run(curve: Reals, noise: float, run: float, rng: np.random.Generator) -> Reals:
    """Return repetitions of one run of all series, shape (S, n, R)."""
    shape = (*curve.shape, REPETITIONS)
    scatter = rng.normal(0, run, (len(curve), 1, 1))
    scatter = scatter + rng.normal(0, JOB, (*curve.shape, 1))
    scatter = scatter + rng.normal(0, noise, shape)
    is_slow = rng.random(shape) < OUTLIERS
    slower = np.where(is_slow, rng.uniform(1.5, 3, shape), 1.0)
    return curve[..., np.newaxis] * np.exp(scatter) * slower
