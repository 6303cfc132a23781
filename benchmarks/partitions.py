"""What it would bring to partition the points on PostgreSQL, at ten million of them.

The same database twice, in one server: as the product makes it, and with the table of
points in a partition for each project and month (ranges of runs, since points know no
time). Every tenth block of 46 commits counts as another project's, so that ten projects
measure at the same time. The product's own statements ask both in turn; they name runs
and no project, so a run is looked for in one partition of each project. Processor time
of this process and the one of PostgreSQL that serves it, in brackets the time until the
answer is there, medians. Removed are the points of one project, once by statement as
`scalewatch remove` does, once with its partitions, and taken back.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Final

import numpy as np
from benchmarks.growing_rows import COMMITS, EACH_BLOCK, PROJECT_ID
from benchmarks.growing_store import Snapshot, grown, own_postgresql, snapshot_at
from benchmarks.growing_works import Work, unremembered, works
from benchmarks.growth import BLOCKS, QUICK
from benchmarks.large_store import PROCESSES
from benchmarks.options import asked, usual
from benchmarks.results import Results
from sqlalchemy import Connection, text
from tests.support.servers.postgres import PostgreSQL

from scalewatch.web.process import spare_collections

PROJECTS: Final = 10
ROUNDS: Final = 25
REMOVALS: Final = 3
AT_ONCE: Final = 4
KINDS: Final = ("posting", "match table", "history", "commit", "analysis")
RUNS_OF_BLOCK: Final = COMMITS * len(PROCESSES)

OWNER: Final = f"{PROJECT_ID} + (run_id - 1) / {RUNS_OF_BLOCK} % {PROJECTS}"
"""Which project a point counts as."""

MONTHS: Final = (
    "SELECT to_char(received_at, 'YYYYMM') AS month, min(id) "
    "FROM run GROUP BY month ORDER BY month"
)
WIDENED: Final = (
    "CREATE TABLE parted (LIKE point INCLUDING DEFAULTS, "
    f"project_id integer NOT NULL DEFAULT {PROJECT_ID}) PARTITION BY LIST (project_id)"
)
REMOVED: Final = PROJECT_ID + 1
DELETED: Final = (
    "DELETE FROM point WHERE run_id IN "  # noqa: S608 - our own names
    f"(SELECT id FROM run WHERE {OWNER.replace('run_id', 'id')} = {REMOVED})"
)
DROPPED: Final = f"DROP TABLE point_{REMOVED}"
OCCUPIED: Final = (
    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
    "WHERE relkind = 'r' AND relname LIKE 'point%'"
)

Spent = tuple[float, float]
"""Seconds of processor time, and until the answer is there."""


def main(results: Results) -> None:
    """Measure the same work on both, then the removal of a project's points."""
    most = asked().measurements or int(usual(BLOCKS[-1] * EACH_BLOCK, QUICK))
    blocks = [number for number in BLOCKS if number * EACH_BLOCK <= most]
    spare_collections()
    with own_postgresql() as server, ExitStack() as opened:
        whole = grown(server, blocks)[-1]
        parted = _parted(server, whole)
        pair = [
            opened.enter_context(snapshot_at(server.url(name), blocks[-1]))
            for name in (whole, parted)
        ]
        results.heading(f"{pair[0].measurements:,} measurements")
        _compare(results, pair)
        _sizes(results, pair)


def _parted(server: PostgreSQL, whole: str) -> str:
    """Return a copy of a database whose points are partitioned; make it if need be."""
    name, unfinished = f"{whole}_parted", "unfinished_parted"
    if not server.has(name):
        server.drop(unfinished)
        with snapshot_at(server.create(unfinished, whole), 0) as snapshot:
            own = snapshot.engine.execution_options(isolation_level="AUTOCOMMIT")
            with own.connect() as connection:
                _part(connection)
        server.rename(unfinished, name)
    return name


def _part(connection: Connection) -> None:
    """Put the points into partitions, by project and below that by month."""
    connection.execute(text(WIDENED))
    starts = [*connection.execute(text(MONTHS))]
    ends = [first for _, first in starts[1:]] + ["MAXVALUE"]
    for project in range(PROJECT_ID, PROJECT_ID + PROJECTS):
        connection.execute(
            text(
                f"CREATE TABLE point_{project} PARTITION OF parted "
                f"FOR VALUES IN ({project}) PARTITION BY RANGE (run_id)"
            )
        )
        for (month, first), end in zip(starts, ends, strict=True):
            connection.execute(
                text(
                    f"CREATE TABLE point_{project}_{month} PARTITION OF "
                    f"point_{project} FOR VALUES FROM ({first}) TO ({end})"
                )
            )
    for statement in (
        f"INSERT INTO parted SELECT point.*, {OWNER} FROM point ORDER BY run_id",  # noqa: S608 - our own names
        "CREATE INDEX ON parted (run_id)",
        "ALTER TABLE parted ADD FOREIGN KEY (run_id) REFERENCES run ON DELETE CASCADE",
        "ALTER TABLE parted ADD FOREIGN KEY (series_id) REFERENCES series",
        "DROP TABLE point",
        "ALTER TABLE parted RENAME TO point",
        "VACUUM ANALYZE",
    ):
        connection.execute(text(statement))


def _compare(results: Results, pair: Sequence[Snapshot]) -> None:
    """Add a row for each kind of work and for the removal, with the ratio."""
    row = results.table("work", "one table", "partitions", "ratio")
    with ExitStack() as opened, unremembered():
        both = [dict(opened.enter_context(works(each.engine))) for each in pair]
        for kind in KINDS:
            taken = [
                [
                    _timed(each, own[kind], turn)
                    for each, own in zip(pair, both, strict=True)
                ]
                for turn in range(ROUNDS + 1)
            ]
            row(kind, *_cells(taken[1:]))  # the first one warms caches
    removals = [
        [
            _removed(each, how)
            for each, how in zip(pair, (DELETED, DROPPED), strict=True)
        ]
        for _ in range(REMOVALS)
    ]
    row("points of a project removed", *_cells(removals))


def _timed(snapshot: Snapshot, work: Work, turn: int) -> Spent:
    used, begun = snapshot.used(), time.perf_counter()
    for number in range(turn, turn + AT_ONCE):
        work(number)
    taken = time.perf_counter() - begun
    return (snapshot.used() - used) / AT_ONCE, taken / AT_ONCE


def _removed(snapshot: Snapshot, statement: str) -> Spent:
    with snapshot.engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        used, begun = snapshot.used(), time.perf_counter()
        connection.execute(text(statement))
        taken = time.perf_counter() - begun
        spent = snapshot.used() - used, taken
        connection.rollback()
    return spent


def _cells(taken: Sequence[Sequence[Spent]]) -> Iterator[str]:
    """Write medians of processor and other time, and the ratio of the former."""
    middle = np.median(np.array(taken), axis=0) * 1e3
    for used, passed in middle:
        yield f"{used:.1f} ({passed:.1f}) ms"
    yield f"{middle[1][0] / middle[0][0]:.2f}"


def _sizes(results: Results, pair: Sequence[Snapshot]) -> None:
    """Tell what the points occupy, with their indices."""
    row = results.table("points", "one table", "partitions")
    occupied = []
    for snapshot in pair:
        with snapshot.engine.connect() as connection:
            occupied.append(connection.scalar(text(OCCUPIED)))
    row("with their indices", *(f"{each / 2**20:,.0f} MiB" for each in occupied))
