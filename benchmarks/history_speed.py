"""How long it takes to judge the histories of a whole report, here and in the product.

The product's detection reads the newest commits of all series from the database, finds
the changes and groups their causes. Its cost is shown for several lengths: the first
detection of a worker, and the one after one machine of ten has measured another commit,
as a worker caches the result of each history that has not changed. Beyond 400 commits
the oldest ones are dropped, 50 at a time, as that changes every history. Otava sees one
p of six. All times are seconds of processor time.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from benchmarks import otava_peer
from benchmarks.goals import OTAVA, Goal
from benchmarks.results import Results
from benchmarks.truths_history import P, unchanged
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import find_changes
from scalewatch.modelling.histories.histories import Histories, locations
from scalewatch.services.regressions.detection import detect
from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions, connect, sessions_of

Reals = NDArray[np.float64]

REGIONS, MACHINES, COMMITS = 40, 10, 200
LENGTHS: Final = (50, 200, 400)
SEED = 20_260_801
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


JUDGED: Final = Goal(
    "400 series × 200 commits judged, from SQLite", "{:.2f} s", most=2, rival=OTAVA
)


def main(results: Results) -> None:
    """Time each part alone, and the product for several lengths."""
    series = REGIONS * MACHINES
    values = unchanged(series, COMMITS, np.random.default_rng(SEED))
    located, reading = _timed(lambda: locations(values))
    _, watching = _timed(lambda: find_changes(Histories.of(P, located), pmnf("p")))
    times = np.median(values[:, :, -1], axis=2)
    _, peer = otava_peer.change_points(list(times), otava_peer.DEFAULTS)
    row = results.table(f"{series} series", "commits", "seconds")
    row(f"locations of {values.size:,} repetitions", COMMITS, f"{reading:.2f}")
    row("all changes, located and explained", COMMITS, f"{watching:.2f}")
    row("otava, one p of six", COMMITS, f"{peer:.2f}")
    for commits in LENGTHS:
        first, again = _looks(commits)
        row("the product, from SQLite", commits, f"{first:.2f}")
        row("the same after another commit on a machine", commits, f"{again:.2f}")
        if commits == COMMITS:
            results.figure(JUDGED, first, peer)


def _looks(commits: int) -> tuple[float, float]:
    """Return what the first look takes, and what the next one does."""
    with _stored(commits) as sessions:
        with sessions.reading() as session:
            _, first = _timed(lambda: detect(session, 1))
        with sessions.writing.begin() as session:
            _measure_again(session, commits)
        with sessions.reading() as session:
            _, again = _timed(lambda: detect(session, 1))
    return first, again


def _measure_again(session: Session, commits: int) -> None:
    """Let the first machine measure another commit, as it has measured the newest."""
    newest = session.get_one(tables.Commit, commits)
    further = tables.Commit(
        id=commits + 1,
        project_id=newest.project_id,
        sha=f"{commits + 1:040x}",
        parents=[newest.sha],
        committed_at=FIRST + timedelta(days=commits + 1),
    )
    session.add(further)
    session.flush()
    measured = select(tables.Location).where(
        tables.Location.commit_id == commits, tables.Location.fingerprint_id == 1
    )
    for row in session.scalars(measured).all():
        session.add(
            tables.Location(
                series_id=row.series_id,
                commit_id=further.id,
                fingerprint_id=row.fingerprint_id,
                grid_id=row.grid_id,
                log=row.log,
            )
        )


@contextmanager
def _stored(commits: int) -> Iterator[Sessions]:
    """Yield a database with the histories of a project."""
    values = unchanged(
        REGIONS * MACHINES, commits, np.random.default_rng((SEED, commits))
    )
    with tempfile.TemporaryDirectory() as folder:
        engine = connect(f"sqlite:///{Path(folder) / 'scalewatch.db'}")
        tables.Table.metadata.create_all(engine)
        sessions = sessions_of(engine)
        with sessions.writing.begin() as session:
            for table, rows in _rows(locations(values)):
                session.execute(table.__table__.insert(), rows)
        yield sessions
        engine.dispose()


def _rows(log: Reals) -> Iterator[tuple[type[tables.Table], list[dict[str, Any]]]]:
    series, commits, _ = log.shape
    yield tables.Project, [{"id": 1, "name": "history"}]
    yield (
        tables.Commit,
        [
            {
                "id": number,
                "project_id": 1,
                "sha": f"{number:040x}",
                "parents": [f"{number - 1:040x}"],
                "committed_at": FIRST + timedelta(days=number),
            }
            for number in range(1, commits + 1)
        ],
    )
    machines = range(1, MACHINES + 1)
    yield (
        tables.Machine,
        [{"id": n, "project_id": 1, "name": f"machine-{n}"} for n in machines],
    )
    yield (
        tables.Fingerprint,
        [{"id": n, "machine_id": n, "digest": "", "facts": {}} for n in machines],
    )
    yield (
        tables.Configuration,
        [{"id": 1, "project_id": 1, "digest": "", "settings": {}}],
    )
    yield (
        tables.Series,
        [
            {
                "id": n + 1,
                "machine_id": n % MACHINES + 1,
                "configuration_id": 1,
                "region": f"region-{n // MACHINES}",
                "metric": "time",
                "unit": "s",
                "better": "lower",
            }
            for n in range(series)
        ],
    )
    yield (
        tables.Grid,
        [
            {
                "id": 1,
                "digest": "",
                "parameters": ["p"],
                "settings": [[p] for p in P.tolist()],
            }
        ],
    )
    yield (
        tables.Location,
        [
            {
                "series_id": n + 1,
                "commit_id": t + 1,
                "fingerprint_id": n % MACHINES + 1,
                "grid_id": 1,
                "log": log[n, t].tolist(),
            }
            for n in range(series)
            for t in range(commits)
        ],
    )


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    value = call()
    return value, time.process_time() - started
