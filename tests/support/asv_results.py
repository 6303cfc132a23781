"""A folder of results as asv 0.6 writes it: benchmarks, a machine, a file a commit."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

SECOND = 1000
"""asv's times are in milliseconds."""

DAY = 24 * 3600 * SECOND
FIRST = 1_790_000_000 * SECOND
PROCESSES = ("1", "2", "4", "8", "16", "32")
COLUMNS = (
    *("result", "params", "version", "started_at", "duration"),
    *("stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75"),
    *("stats_number", "stats_repeat", "samples", "profile"),
)
BENCHMARK = "halo.Exchange.time_step"


def sha(number: int) -> str:
    """Return the hash of a commit."""
    return f"{number:08x}" + 32 * "c"


def asv_results(
    folder: Path, commits: int, seconds: Callable[[int, int], float]
) -> Path:
    """Write results of commits, the newest last, and return their folder.

    Parameters
    ----------
    seconds
        What a step takes by the number of the commit and of processes.
    """
    random = np.random.default_rng(7)
    machine = folder / "results" / "node01"
    machine.mkdir(parents=True)
    about = {"machine": "node01", "os": "Linux", "num_cpu": "32", "ram": "64GB"}
    _write(machine / "machine.json", {**about, "version": 1})
    known = {
        "name": BENCHMARK,
        "code": "def time_step(self, mpi_procs): ...",
        "param_names": ["mpi_procs"],
        "params": [list(PROCESSES)],
        "type": "time",
        "unit": "seconds",
        "version": "1f",
    }
    _write(machine.parent / "benchmarks.json", {BENCHMARK: known, "version": 2})
    for number in range(commits):
        samples = [
            (seconds(number, int(p)) * random.normal(1, 0.01, 8)).tolist()
            for p in PROCESSES
        ]
        name = f"{sha(number)[:8]}-virtualenv-py3.11-numpy.json"
        _write(machine / name, _results(number, samples, about))
    return machine.parent


def _results(
    number: int, samples: Sequence[Sequence[float]], about: dict[str, str]
) -> dict[str, object]:
    middle = [float(np.median(each)) for each in samples]
    low, high = [min(each) for each in samples], [max(each) for each in samples]
    row = [
        *(middle, [list(PROCESSES)], "1f", FIRST + number * DAY, 4.2),
        *(low, high, low, high, [1] * len(middle), [8] * len(middle), samples),
    ]
    return {
        "commit_hash": sha(number),
        "env_name": "virtualenv-py3.11-numpy",
        "date": FIRST + number * DAY,
        "params": {**about, "numpy": "", "python": "3.11"},
        "python": "3.11",
        "requirements": {"numpy": ""},
        "env_vars": {},
        "result_columns": list(COLUMNS),
        "results": {BENCHMARK: row},
        "durations": {"<build>": 3.9},
        "version": 2,
    }


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content))
