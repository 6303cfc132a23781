"""How many series a second each rule models, against Extra-P in the same run.

43 hypotheses, six process counts, five repetitions, uniform noise of 10 %, one core,
from raw repetitions to findings. Rates are per second of processor time, the best of
five trials. They depend on the machine and on what else it does; only the ratios of one
run compare. Memory is the peak beside the measurements.
"""

import cProfile
import pstats
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from benchmarks import peer
from benchmarks.goals import EXTRA_P, Goal
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import find_models, pmnf
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.laplace import DifferenceFits, GrowthFits
from scalewatch.modelling.rules.evidence.least_squares import Sums
from scalewatch.modelling.rules.evidence.posterior import posterior
from scalewatch.modelling.rules.evidence.weighing import Likelihood

Reals = NDArray[np.float64]

SEED: Final = 20261121
P: Final = 2.0 ** np.arange(2, 8)
REPETITIONS: Final = 5
RULES: Final = ("evidence", "paper", "smape")
BATCHES: Final = (1_000, 10_000, 100_000)
PEER_SERIES: Final = 200
STEPS: Final[dict[str, tuple[Callable[..., object], ...]]] = {
    "all, under the profiler": (find_models,),
    "locations of the repetitions": (locate,),
    "weighing all curves": (Hypotheses.weigh,),
    "of it sums and closed-form fits": (
        Sums.of,
        GrowthFits.solve,
        DifferenceFits.solve,
    ),
    "of it likelihoods of what is not negligible": (Likelihood.__call__,),
    "posterior of the growths": (posterior,),
}
TRIALS: Final = 5

DEFAULT: Final = Goal(
    "models a second of the default rule, fewest of three batches",
    "{:,.0f} × Extra-P",
    least=2_500,
    rival=EXTRA_P,
)
OTHERS: Final = Goal(
    "models a second of `--rule paper` and `--rule smape`, fewest",
    "{:,.0f} × Extra-P",
    least=3_000,
    rival=EXTRA_P,
)
MEMORY: Final = Goal(
    "memory beside 100,000 series, most of three rules", "{:.0f} MB", most=200
)


def main(results: Results) -> None:
    """Measure rates, their ratios to Extra-P's, memory and the steps of the default."""
    values = measurements(PEER_SERIES)
    extra_p = PEER_SERIES / min(
        peer.ask(P[:, np.newaxis], values, names="p").seconds for _ in range(TRIALS)
    )
    results.say(f"Extra-P {peer.VERSION}: {extra_p:.0f} series/s")
    headings = [f"{batch:,} series" for batch in BATCHES]
    row = results.table("rule", *headings, f"memory at {BATCHES[-1]:,}")
    ratios, peaks = {}, []
    for rule in RULES:
        found = rates(rule)
        ratios[rule] = min(found) / extra_p
        peaks.append(memory(rule))
        cells = [f"{rate:,.0f}/s = {rate / extra_p:,.0f} ×" for rate in found]
        row(rule, *cells, f"{peaks[-1]:.0f} MB")
    results.heading("Where the default rule spends its time, and its floor")
    row = results.table("step", "µs a series")
    for step, seconds in steps(BATCHES[1]):
        row(step, f"{seconds / BATCHES[1] * 1e6:.2f}")
    results.figure(DEFAULT, ratios["evidence"])
    results.figure(OTHERS, min(ratios["paper"], ratios["smape"]))
    results.figure(MEMORY, max(peaks))


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
    stats = pstats.Stats(profiler).stats
    for step, functions in STEPS.items():
        codes = [getattr(f, "__func__", f).__code__ for f in functions]
        places = [(one.co_filename, one.co_firstlineno, one.co_name) for one in codes]
        yield step, sum(stats[place][3] for place in places)
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
