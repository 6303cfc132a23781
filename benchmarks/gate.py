"""How often two commits alone stop one: unchanged ones, and those that became dearer.

Noise as in `truths_history`: repetitions scatter and 5 % of them are 1.5 to 3 times
slower, each setting is a job of its own that lies 2 % beside the others, and all
settings of a run lie a percent or more beside those of another run. A report compares
`REPORT` series; a second job measures the commit as the first one did.
"""

from itertools import product
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.truths_history import JOB, OUTLIERS, REPETITIONS, P
from numpy.typing import NDArray

from scalewatch.modelling import compare_versions
from scalewatch.services.gates.constants import is_worse, level_of
from scalewatch.services.gates.rules import LEAST_CONSTANT

Reals = NDArray[np.float64]

REPORT: Final = 100
SEED: Final = 20_261_122
REPETITION_NOISE: Final = (0.02, 0.05, 0.10)
RUN_NOISE: Final = (0.0, 0.01, 0.03)
FACTORS: Final = (1.1, 1.3)


def main() -> None:
    """Print how many are suspected by one job, and stopped by two."""
    series = options.series(500, quick=100)
    print(
        f"{series} series a cell that changed, and {20 * series} that did not, in "
        f"reports of {REPORT}\n"
    )
    columns = " | ".join(f"× {factor} suspected | stopped" for factor in FACTORS)
    print(
        f"| repetitions | runs as a whole | unchanged suspected | stopped | {columns} |"
    )
    print(f"|{'---|' * (4 + 2 * len(FACTORS))}")
    for noise, run in product(REPETITION_NOISE, RUN_NOISE):
        shares = [_shares(1.0, noise, run, 20 * series)]
        shares += [_shares(factor, noise, run, series) for factor in FACTORS]
        cells = " | ".join(
            f"{suspected:.4f} | {stopped:.4f}" for suspected, stopped in shares
        )
        print(f"| {noise:.0%} | {run:.0%} | {cells} |", flush=True)


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
                is_worse(compared, LEAST_CONSTANT, is_cost=True)
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


if __name__ == "__main__":
    main()
