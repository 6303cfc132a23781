"""Whether the factor between two versions lies in its interval as often as promised.

Both versions grow alike, the later one takes a tenth longer; each is one run of six
points. Shown are the share of 90 % intervals that hold the factor, and how often the
growth is said to change, which it never does; by themselves, and with the noise learned
from all series of both versions.
"""

from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, truths
from benchmarks.accuracy import SEEDS
from benchmarks.goals import Goal
from benchmarks.results import Results
from benchmarks.truths import NOISES, Draw, Noise
from numpy.typing import NDArray

from scalewatch.modelling import Comparison, compare_versions, learn_noise

FACTOR: Final = 1.1

HOLDS: Final = Goal(
    "90 % intervals of the factor between versions that hold, worst cell",
    "{:.3f}",
    least=0.80,
)


def main(results: Results) -> None:
    """Count intervals that hold, and growths that are said to change."""
    series = options.series(300, quick=50)
    results.say(f"{series} series a cell and seed, six points, seeds {SEEDS}.")
    row = results.table(
        "curves",
        "noise",
        "by themselves: interval holds",
        "growth changes",
        "learned noise: interval holds",
        "growth changes",
        words=2,
    )
    held = []
    families = {**truths.INSIDE, **truths.OUTSIDE}
    for (family, draw), (noise, factor) in product(families.items(), NOISES.items()):
        cells = np.mean([_shares(draw, factor, series, seed) for seed in SEEDS], axis=0)
        row(family, noise, *(f"{cell:.3f}" for cell in cells))
        held.append(cells[2])
    results.figure(HOLDS, min(held))


def _shares(draw: Draw, noise: Noise, series: int, seed: int) -> NDArray[np.float64]:
    """Return how often intervals hold and growths change, without and with."""
    rng, p = np.random.default_rng(seed), truths.processes(6)
    curve = draw(series, p, rng).curve
    earlier = truths.measure(curve, p, noise, rng)
    later = FACTOR * truths.measure(curve, p, noise, rng)
    shares = []
    for choices in ({}, {"noise": learn_noise(p, np.concatenate([earlier, later]))}):
        found = [
            each
            for each in compare_versions(p, earlier, later, **choices)
            if isinstance(each, Comparison)
        ]
        shares.append(np.mean([each.low <= FACTOR <= each.high for each in found]))
        shares.append(np.mean([each.change() == "growth" for each in found]))
    return np.array(shares)
