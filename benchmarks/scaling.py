"""How long scaling errors and hotspot scans take, and the page that shows contours.

The mathematics in processor time of one core, the fastest of five; the first call of a
process also waits for the operating system to hand out the 320 MB of an answer. The
page in time of the server, as its reader waits for it: contours of ten machines with
six scales each, on the large project of the tests, requests one at a time to the
application in the same process.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

import numpy as np
from benchmarks.goals import Goal
from benchmarks.results import Results
from fastapi.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from scalewatch.app import create_app
from scalewatch.modelling import scan_profiles, strong_errors, weak_errors
from scalewatch.storage.database.session import connect
from scalewatch.web.process import spare_collections
from support.large_database import large_database
from support.large_project import PROJECT

SCALES = np.arange(1.0, 201)
SERIES = 1000
PROFILES, FUNCTIONS = 1000, 500
ROUNDS = 5
REQUESTS = 60

SLOWEST = Goal(
    "α, β or hotspot scan of 1,000 series or profiles, slowest", "{:.2f} s", most=1
)
CONTOURS = Goal("page of contours, p99", "{:.0f} ms", most=150)


def main(results: Results) -> None:
    """Measure the fastest of some rounds of each."""
    rng = np.random.default_rng(1)
    times = rng.uniform(1, 2, (SERIES, SCALES.size))
    sizes = 60 * SCALES
    grid = rng.uniform(1, 2, (SERIES, sizes.size, SCALES.size))
    profiles = [
        {f"f{i}": time for i, time in enumerate(profile)}
        for profile in rng.exponential(1, (PROFILES, FUNCTIONS)).tolist()
    ]
    pairs = f"{SERIES:,} series × {SCALES.size} × {SCALES.size} scales"
    row = results.table("what", "size", "seconds", words=2)
    taken = []
    for what, size, run in (
        ("A, strong scaling errors", pairs, lambda: strong_errors(SCALES, times)),
        ("B, weak ones", pairs, lambda: weak_errors(SCALES, sizes, grid, 6000.0)),
        (
            "hotspot scan, χ², τ and Holm",
            f"{PROFILES:,} profiles × {FUNCTIONS} regions",
            lambda: scan_profiles(range(PROFILES), profiles),
        ),
    ):
        taken.append(_fastest(run))
        row(what, size, f"{taken[-1]:.2f}")
    results.figure(SLOWEST, max(taken))
    _time_pages(results)


def _time_pages(results: Results) -> None:
    """Time what the server takes for the contours of the project of real size."""
    spare_collections()  # as what serves does
    engine = connect(f"sqlite:///{large_database()}")
    client = TestClient(create_app(engine, embedded_worker=False))
    row = results.table("address", "median, ms", "p99, ms")
    page = f"/p/{PROJECT}/scaling/contours"
    for address in (
        page,
        f"/api/v1/projects/{PROJECT}/scaling-error",
        f"/api/v1/figures/scaling-error-contours?project={PROJECT}",
    ):
        waits = _waits(client, address)
        most = quantiles(waits, n=100)[-1]
        row(address, f"{median(waits):.0f}", f"{most:.0f}")
        if address == page:
            results.figure(CONTOURS, most)
    engine.dispose()


def _waits(client: TestClient, address: str) -> list[float]:
    """Return the milliseconds of each request but the first, which warms caches."""
    waits = []
    for _ in range(REQUESTS + 1):
        start = perf_counter()
        client.get(address).raise_for_status()
        waits.append(1000 * (perf_counter() - start))
    return waits[1:]


def _fastest(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        start = process_time()
        run()
        seconds.append(process_time() - start)
    return min(seconds)
