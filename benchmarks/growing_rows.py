"""The rows of a store that grows: a first block of commits, and copies of it.

The services record and analyse the first block. The others are copies of its rows, in
the order in which the product writes them.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha1
from typing import Any, Final

from benchmarks.large_store import PROCESSES
from sqlalchemy import (
    Connection,
    Insert,
    Integer,
    String,
    bindparam,
    cast,
    func,
    insert,
    literal,
    null,
    select,
    update,
)

from scalewatch.jobs import perform_next
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import Sessions
from scalewatch.wire import Commit, RunReport
from support.large_project import PROJECT, Size, declare, reports_of
from support.recorded import record_runs

COMMITS: Final = 46
SIZE: Final = Size(machines=1, commits=COMMITS, processes=PROCESSES)
EACH_BLOCK: Final = 44 * len(PROCESSES) * COMMITS
"""Measurements of a block: 44 series at five scales of each commit."""

FIRST: Final = datetime(2021, 1, 1, tzinfo=UTC)
SPACING: Final = timedelta(hours=1)
RELEASES: Final = 10 * COMMITS
"""One of so many commits is released."""

OF_RUNS: Final = (tables.Payload, tables.Samples, tables.Procedure, tables.Point)
OF_COMMITS: Final = (
    tables.Model,
    tables.Verdict,
    tables.Probabilities,
    tables.Assumption,
    tables.Noise,
    tables.Edition,
    tables.Location,
)
PROJECT_ID: Final = 1


def report_of(sha: str) -> RunReport:
    """Return a run of a commit as the machine would measure it once more."""
    return next(reports_of(SIZE, Commit(sha=sha), COMMITS - 1, machine=0))


def begin(sessions: Sessions) -> None:
    """Record the first block through the services, and analyse it."""
    with sessions.writing.begin() as session:
        projects.find_or_create(session, PROJECT)
        declare(session)
    for number in range(COMMITS):
        described = {
            **_description(number),
            "parents": [_sha(number - 1)] if number else [],
            "message": f"Change number {number}\n\nWhat and why follows.",
        }
        commit = Commit.model_validate(described, strict=False)
        with sessions.writing.begin() as session:
            record_runs(session, [*reports_of(SIZE, commit, number, machine=0)])
        while perform_next(sessions, owner="growing store"):
            pass
    with sessions.writing.begin() as session:
        session.execute(update(tables.Run).values(received_at=_MADE))
        first_run = {"first_run_at": tables.Commit.committed_at}
        session.execute(update(tables.Commit).values(first_run))
        session.execute(update(tables.Fingerprint).values(first_seen_at=FIRST))


def copy(connection: Connection, block: int) -> None:
    """Insert a block: the rows of the first one, as of later commits."""
    commits = range(block * COMMITS, (block + 1) * COMMITS)
    connection.execute(
        insert(tables.Commit),
        [
            {
                **_description(number),
                "id": number + 1,
                "project_id": PROJECT_ID,
                "parents": [_sha(number - 1)],
                "message": f"Change number {number}\n\nWhat and why follows.",
                "first_run_at": FIRST + number * SPACING,
            }
            for number in commits
        ],
    )
    moved = {
        "runs": block * COMMITS * len(PROCESSES),
        "commits": block * COMMITS,
    }
    for statement in _copying(connection.dialect.name):
        connection.execute(statement, moved)


def _description(number: int) -> dict[str, Any]:
    """Return what is known of a commit, whether it is recorded or copied."""
    return {
        "sha": _sha(number),
        "branch": "main",
        "committed_at": FIRST + number * SPACING,
        "tag": f"v1.{number // RELEASES}" if number % RELEASES == 0 else None,
    }


def _sha(number: int) -> str:
    return sha1(b"%d" % number).hexdigest()  # noqa: S324


_RUNS: Final = bindparam("runs", type_=Integer)
_COMMITS: Final = bindparam("commits", type_=Integer)
_MADE: Final = (
    select(tables.Commit.committed_at)
    .where(tables.Commit.id == tables.Run.commit_id)
    .scalar_subquery()
)
_MADE_THEN: Final = (
    select(tables.Commit.committed_at)
    .where(tables.Commit.id == tables.Run.commit_id + _COMMITS)
    .scalar_subquery()
)


@cache
def _copying(dialect: str) -> list[Insert]:
    """Return the statements that insert a block, in the order of references."""
    anew = (
        func.lower(func.hex(func.randomblob(16)))
        if dialect == "sqlite"
        else func.gen_random_uuid()
    )
    moved = {"run_id": _RUNS, "commit_id": _COMMITS}
    runs = _copies(
        tables.Run,
        tables.Run.id <= COMMITS * len(PROCESSES),
        {"id": _RUNS, **moved},
        uuid=anew,
        received_at=_MADE_THEN,
    )
    of_runs = (
        _copies(table, table.run_id <= COMMITS * len(PROCESSES), moved)
        for table in OF_RUNS
    )
    of_commits = (
        _copies(
            table,
            table.commit_id <= COMMITS,
            moved,
            **({"mark": anew} if table is tables.Edition else {}),
        )
        for table in OF_COMMITS
    )
    return [runs, *of_runs, *of_commits, _jobs()]


def _copies(
    table: Any, is_first: Any, moved: Mapping[str, Any], **changed: Any
) -> Insert:
    relation = table.__table__
    columns = {
        column.name: column + moved[column.name]
        if column.name in moved
        else changed.get(column.name, column)
        for column in relation.columns
    }
    # In the order in which they are measured, which no table but locations has.
    order = (
        relation.columns[name]
        for name in ("id", "run_id", "commit_id", "series_id")
        if name in relation.columns
    )
    rows = select(*columns.values()).where(is_first).order_by(*order)
    return insert(relation).from_select([*columns], rows)


def _jobs() -> Insert:
    """Return what inserts the jobs that have analysed a block."""
    edition, commit = tables.Edition, tables.Commit
    subject = (
        cast(edition.commit_id + _COMMITS, String)
        + "/"
        + cast(edition.machine_id, String)
    )
    rows = (
        select(
            literal("analyse"),
            subject,
            literal("done"),
            null(),
            literal(1),
            commit.committed_at,
            commit.committed_at,
        )
        .join(commit, commit.id == edition.commit_id + _COMMITS)
        .where(edition.commit_id <= COMMITS)
        .order_by(edition.commit_id)
    )
    names = ("kind", "subject", "state", "due_at", "attempts")
    return insert(tables.Job).from_select([*names, "created_at", "finished_at"], rows)
