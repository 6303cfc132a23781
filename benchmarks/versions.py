"""Whether the factor between two versions lies in its interval as often as promised.

Both versions grow alike, the later one takes a tenth longer; each is one run of six
points. The noise is learned from both.
"""

from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, truths
from benchmarks.accuracy import SEEDS
from benchmarks.truths import NOISES, Draw, Noise
from numpy.typing import NDArray

from scalewatch.modelling import Comparison, compare_versions, learn_noise

FACTOR: Final = 1.1


def main() -> None:
    """Print how often 90 % intervals hold, and a growth is said to change."""
    series = options.series(300, quick=50)
    print(f"{series} series a cell and seed, six points, seeds {SEEDS}\n")
    print(
        "| curves | noise | by themselves: interval holds | growth is said to change "
        "| learned noise: interval holds | growth is said to change |"
    )
    print("|---|---|---|---|---|---|")
    families = {**truths.INSIDE, **truths.OUTSIDE}
    for (family, draw), (noise, factor) in product(families.items(), NOISES.items()):
        cells = np.mean([_shares(draw, factor, series, seed) for seed in SEEDS], axis=0)
        text = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {family} | {noise} | {text} |", flush=True)


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


if __name__ == "__main__":
    main()
