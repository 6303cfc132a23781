"""What the analysis of a commit costs: all series that a machine measured of it.

Six process counts, ten repetitions, growths and noise as in `truths`; processor time,
the best of some trials, on SQLite. The first job of a machine learns its noise, further
ones reuse it for up to 20 commits, unless the settings, the machine or the misfit of
the growths changed.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

import numpy as np
from benchmarks import truths
from benchmarks.goals import Goal
from benchmarks.results import Results
from sqlalchemy import delete

from scalewatch.services.analysis import analysis
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of
from scalewatch.wire import RunReport

SEED: Final = 20261121
SERIES: Final = (20, 100, 500)
REPETITIONS: Final = 10
TRIALS: Final = 5
SUBJECT: Final = AnalysedCommit(commit_id=1, machine_id=1)

FURTHER: Final = Goal("analysis of 100 series, noise kept", "{:.0f} ms")


def main(results: Results) -> None:
    """Measure a job, and the one that learns the noise."""
    row = results.table("series", "the first job", "a further one", "to store it")
    for series in SERIES:
        p, values = _measurements(series)
        with TemporaryDirectory() as folder:
            sessions = _database(Path(folder) / "scalewatch.db", p, values)
            found = _analysed(sessions)
            first = _best(lambda at=sessions: _record(at, _analysed_first(at)))
            further = _best(lambda at=sessions: _record(at, _analysed(at)))
            storing = _best(lambda at=sessions, found=found: _record(at, found))
        row(series, *(f"{1000 * each:.0f} ms" for each in (first, further, storing)))
        if series == 100:
            results.figure(FURTHER, 1000 * further)


def _measurements(
    series: int,
) -> tuple[truths.Reals, truths.Reals]:
    rng, p = np.random.default_rng(SEED), truths.processes(6)
    curve = truths.mpi_like(series, p, rng).curve
    noisy = [
        truths.measure(curve, p, truths.skewed(0.05), rng)
        for _ in range(REPETITIONS // truths.REPETITIONS)
    ]
    return p, np.concatenate(noisy, axis=2)


def _database(path: Path, p: truths.Reals, values: truths.Reals) -> Sessions:
    """Return a database in which the measurements are stored, a run per p."""
    engine = connect(f"sqlite:///{path}")
    schema.upgrade(engine)
    sessions = sessions_of(engine)
    with sessions.writing.begin() as session:
        record_prepared(session, map(prepare, reports(p, values)))
    return sessions


def reports(p: truths.Reals, values: truths.Reals) -> list[RunReport]:
    """Return a run per p, with the repetitions of each series."""
    return [
        RunReport.model_validate(
            {
                "schema": 1,
                "id": str(UUID(int=point + 1)),
                "project": "benchmark",
                "suite": "analysis",
                "commit": {"sha": "a" * 40},
                "machine": {"name": "simulated"},
                "coordinate": {"p": int(at)},
                "results": [
                    {
                        "region": f"region {row}",
                        "metric": "time",
                        "unit": "s",
                        "values": repetitions.tolist(),
                    }
                    for row, repetitions in enumerate(values[:, point])
                ],
            },
            strict=False,
        )
        for point, at in enumerate(p)
    ]


def _analysed(sessions: Sessions) -> analysis.Analysis:
    with sessions.reading() as session:
        return analysis.analyse(session, SUBJECT)


def _analysed_first(sessions: Sessions) -> analysis.Analysis:
    with sessions.writing.begin() as session:
        session.execute(delete(tables.Noise))
    return _analysed(sessions)


def _record(sessions: Sessions, found: analysis.Analysis) -> None:
    with sessions.writing.begin() as session:
        analysis.record(session, found)


def _best(work: Callable[[], object]) -> float:
    """Return the least processor time of some trials, in seconds."""
    seconds = []
    for _ in range(TRIALS):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return min(seconds)
