"""How long scaling errors and hotspot scans take, in processor time of one core."""

from collections.abc import Callable
from time import process_time

import numpy as np

from scalewatch.modelling import scan_profiles, strong_errors, weak_errors

SCALES = np.arange(1.0, 201)
SERIES = 1000
PROFILES, FUNCTIONS = 1000, 500
ROUNDS = 5


def main() -> None:
    """Print the fastest of some rounds of each."""
    rng = np.random.default_rng(1)
    times = rng.uniform(1, 2, (SERIES, SCALES.size))
    sizes = 60 * SCALES
    grid = rng.uniform(1, 2, (SERIES, sizes.size, SCALES.size))
    profiles = [
        {f"f{i}": time for i, time in enumerate(profile)}
        for profile in rng.exponential(1, (PROFILES, FUNCTIONS)).tolist()
    ]
    pairs = f"{SERIES:,} series × {SCALES.size} × {SCALES.size} scales"
    print("| what | size | seconds |")
    print("|---|---|---|")
    for what, size, run in (
        ("A, strong scaling errors", pairs, lambda: strong_errors(SCALES, times)),
        ("B, weak ones", pairs, lambda: weak_errors(SCALES, sizes, grid, 6000.0)),
        (
            "hotspot scan, χ², τ and Holm",
            f"{PROFILES:,} profiles × {FUNCTIONS} regions",
            lambda: scan_profiles(range(PROFILES), profiles),
        ),
    ):
        print(f"| {what} | {size} | {_fastest(run):.2f} |")


def _fastest(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        start = process_time()
        run()
        seconds.append(process_time() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
