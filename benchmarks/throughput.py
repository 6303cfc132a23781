"""How many series a second each rule models, against Extra-P in the same run."""

import cProfile
import pstats
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from benchmarks import peer
from numpy.typing import NDArray

from scalewatch.modelling import find_models, pmnf

Reals = NDArray[np.float64]

SEED: Final = 20261121
P: Final = 2.0 ** np.arange(2, 8)
REPETITIONS: Final = 5
RULES: Final = ("evidence", "paper", "smape")
BATCHES: Final = (1_000, 10_000, 100_000)
PEER_SERIES: Final = 200
STEPS: Final = {
    "search.find_models": "all, under the profiler",
    "location.locate": "locations of the repetitions",
    "relative.of": "sums and closed-form fits",
    "likelihood.__call__": "likelihoods",
    "evidence.log_evidence": "widths and evidences",
    "posterior.posterior": "posterior of the growths",
}
TRIALS: Final = 5


def main() -> None:
    """Print rates per second of processor time, their ratio, and the memory."""
    values = measurements(PEER_SERIES)
    extra_p = PEER_SERIES / min(
        peer.ask(P[:, np.newaxis], values, names="p").seconds for _ in range(TRIALS)
    )
    print(f"Extra-P {peer.VERSION}: {extra_p:.0f} series/s\n")
    headings = [f"{batch:,} series" for batch in BATCHES]
    print(f"| rule | {' | '.join(headings)} | memory at {BATCHES[-1]:,} |")
    print(f"|---|{'---|' * len(BATCHES)}---|")
    for rule in RULES:
        cells = [f"{rate:,.0f}/s = {rate / extra_p:,.0f} ×" for rate in rates(rule)]
        print(f"| {rule} | {' | '.join(cells)} | {memory(rule):.0f} MB |")
    print("\nWhere the default rule spends its time, and its floor:\n")
    print("| step | µs a series |\n|---|---|")
    for step, seconds in steps(BATCHES[1]):
        print(f"| {step} | {seconds / BATCHES[1] * 1e6:.2f} |")


def measurements(series: int) -> Reals:
    """Draw growing series with 10 % of uniform noise, shape (S, n, R)."""
    draw = np.random.default_rng(SEED)
    growths = pmnf()
    columns = np.stack([np.broadcast_to(each(p=P), len(P)) for each in growths])
    constant, coefficient = draw.uniform(0.001, 1000, (2, series, 1))
    truths = constant + coefficient * columns[draw.integers(len(columns), size=series)]
    noise = draw.uniform(0.95, 1.05, (series, len(P), REPETITIONS))
    return truths[:, :, np.newaxis] * noise


def rates(rule: str) -> list[float]:
    """Return series of each batch modelled per second of processor time.

    The best of some trials, in each of which all batches have their turn, small ones so
    often that they take as long as the middle one: a short turn can be lucky.
    """
    batches = [measurements(series) for series in BATCHES]
    best = [0.0] * len(batches)
    for _ in range(TRIALS):
        for place, values in enumerate(batches):
            times = max(BATCHES[1] // len(values), 1)
            started = time.process_time()
            for _ in range(times):
                find_models(P, values, rule=rule)
            seconds = time.process_time() - started
            best[place] = max(best[place], times * len(values) / seconds)
    return best


def memory(rule: str) -> float:
    """Return the peak memory that the largest batch takes beside itself, in MB."""
    values = measurements(BATCHES[-1])
    tracemalloc.start()
    find_models(P, values, rule=rule)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def steps(series: int) -> Iterator[tuple[str, float]]:
    """Yield what the default rule does with the time that it takes, and the floor."""
    values = measurements(series)
    profiler = cProfile.Profile(time.process_time)
    profiler.runcall(find_models, P, values, rule="evidence")
    cumulative: dict[str, float] = {}
    for (path, _, function), found in pstats.Stats(profiler).stats.items():
        step = f"{Path(path).stem}.{function}"
        cumulative[step] = cumulative.get(step, 0.0) + found[3]
    for step, name in STEPS.items():
        yield name, cumulative[step]
    yield "floor: the three matrix products of the sums alone", floor(series)


def floor(series: int) -> float:
    """Return the time of Σ τw, Σ τw² and Σ τ²w² of all growths, in seconds."""
    tau = np.random.default_rng(SEED).random((len(pmnf()), len(P)))
    w = measurements(series)[:, :, 0].T.copy()
    started = time.process_time()
    for start in range(0, series, 1000):
        block = w[:, start : start + 1000]
        squares = block * block
        _ = tau @ block, tau @ squares, (tau * tau) @ squares
    return time.process_time() - started
