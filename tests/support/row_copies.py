"""Rows of further commits, as if the values of one of them had been measured again."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid4, uuid5

import numpy as np
import orjson
import zstandard
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    Select,
    Table,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import Row, canonical, digest_of
from scalewatch.storage.database.session import Sessions
from scalewatch.wire import Commit

DELAY = timedelta(hours=1)
"""Time between a commit and its runs."""

AT_ONCE = 1000
"""Copies that are made together."""

Locate = Callable[[Row, np.random.Generator], list[float | None]]
"""Draws the logarithms of a location for the commit that its row is of."""

_TEMPORARY = MetaData()

_PAIRS = Table(
    "subject_pair",
    _TEMPORARY,
    Column("machine_id", Integer, primary_key=True),
    Column("target_id", Integer, primary_key=True),
    Column("source_id", Integer),
    prefixes=["TEMPORARY"],
)
"""Commits of a machine that are copied."""

_RUNS = Table(
    "run_pair",
    _TEMPORARY,
    Column("source_id", Integer, primary_key=True),
    Column("target_id", Integer, primary_key=True),
    prefixes=["TEMPORARY"],
)
"""Runs that are copied."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A machine that measures at a commit what it measured at another one."""

    machine: str
    source: str
    target: Commit


@dataclass(frozen=True, slots=True)
class Pair:
    """A copy by the ids of its rows."""

    machine_id: int
    source_id: int
    target_id: int
    commit: Commit

    @property
    def row(self) -> Row:
        """It as a row of `_PAIRS`."""
        return {
            "machine_id": self.machine_id,
            "source_id": self.source_id,
            "target_id": self.target_id,
        }

    @property
    def job(self) -> Row:
        """The job that has analysed it."""
        return {
            "kind": "analyse",
            "subject": f"{self.target_id}/{self.machine_id}",
            "state": "done",
            "due_at": None,
        }

    @property
    def edition(self) -> Row:
        """The mark of what that has found."""
        return {
            "commit_id": self.target_id,
            "machine_id": self.machine_id,
            "mark": uuid4(),
        }

    @property
    def measured_at(self) -> datetime:
        """When it was measured, if it is known when the commit was made."""
        assert self.commit.committed_at is not None
        return self.commit.committed_at + DELAY


Sources = dict[tuple[int, int], list[tuple[dict[str, Any], dict[str, Any]]]]
"""Runs and what was posted, by machine and commit."""


def copy_measurements(
    sessions: Sessions, project: str, copies: Sequence[Copy], locate: Locate
) -> None:
    """Insert runs, points, repetitions, models and what else follows from copies.

    They come in the order of the commits, as if these had been measured one after the
    other, and some at a time: a long history would not fit into memory.

    Parameters
    ----------
    locate
        Draws the location of a series at a commit, of which it gets the copied row.
    """
    with sessions.writing.begin() as session:
        machines = _ids(session, project, tables.Machine, tables.Machine.name)
        commits = _ids(session, project, tables.Commit, tables.Commit.sha)
        sources = _sources(session)
        _date(session)
    pairs = [
        Pair(
            machines[one.machine],
            commits[one.source],
            commits[one.target.sha],
            one.target,
        )
        for one in copies
    ]
    pairs.sort(key=lambda pair: pair.target_id)
    draw = np.random.default_rng(1)
    for start in range(0, len(pairs), AT_ONCE):
        with sessions.writing.begin() as session:
            _copy(session, pairs[start : start + AT_ONCE], sources, locate, draw)
    with sessions.writing.begin() as session:
        _date_states(session)


def _copy(
    session: Session,
    pairs: Sequence[Pair],
    sources: Sources,
    locate: Locate,
    draw: np.random.Generator,
) -> None:
    """Insert all that follows from some copies."""
    _TEMPORARY.create_all(session.connection())
    _fill(session, _PAIRS, [pair.row for pair in pairs])
    _copy_runs(session, pairs, sources)
    _copy_points(session)
    originals = {pair.source_id for pair in pairs}
    _copy_judgements(session, originals)
    _copy_locations(session, originals, locate, draw)
    _insert(session, tables.Job, [pair.job for pair in pairs])
    _insert(session, tables.Edition, [pair.edition for pair in pairs])
    _TEMPORARY.drop_all(session.connection())


def _ids(
    session: Session, project: str, table: type[tables.Table], name: Any
) -> dict[str, int]:
    rows = session.execute(
        select(name, table.id)
        .join(tables.Project, tables.Project.id == table.project_id)
        .where(tables.Project.name == project)
    )
    return dict(rows.all())


def _sources(session: Session) -> Sources:
    """Return all runs with what was posted, by machine and commit."""
    found: Sources = defaultdict(list)
    for run, body in session.execute(
        select(tables.Run, tables.Payload.body)
        .join(tables.Payload, tables.Payload.run_id == tables.Run.id)
        .order_by(tables.Run.id)
    ):
        content = orjson.loads(zstandard.decompress(body))
        found[run.machine_id, run.commit_id].append((_values(run), content))
    return found


def _copy_runs(session: Session, copies: Sequence[Pair], sources: Sources) -> None:
    """Insert runs with the content that would have been posted."""
    next_id = session.scalar(select(func.max(tables.Run.id))) or 0
    runs, payloads, pairs = [], [], []
    for pair in copies:
        described = pair.commit.model_dump()
        for run, content in sources[pair.machine_id, pair.source_id]:
            next_id += 1
            uuid = uuid5(NAMESPACE_OID, f"{run['uuid']} {pair.target_id}")
            changed = {"id": next_id, "uuid": uuid, "commit_id": pair.target_id}
            runs.append({**run, **changed, "received_at": pair.measured_at})
            posted = canonical({**content, "id": str(uuid), "commit": described})
            payloads.append(
                {
                    "run_id": next_id,
                    "digest": digest_of(posted),
                    "body": zstandard.compress(posted),
                }
            )
            pairs.append({"source_id": run["id"], "target_id": next_id})
    _insert(session, tables.Run, runs)
    _insert(session, tables.Payload, payloads)
    _fill(session, _RUNS, pairs)


def _copy_points(session: Session) -> None:
    for table in (tables.Point, tables.Samples, tables.Procedure):
        rows = (
            _columns(table, run_id=_RUNS.c.target_id)
            .join(_RUNS, _RUNS.c.source_id == table.run_id)
            # As runs come one after the other.
            .order_by(_RUNS.c.target_id, *table.__table__.primary_key)
        )
        session.execute(insert(table).from_select(_names(table), rows))


def _copy_judgements(session: Session, originals: Collection[int]) -> None:
    """Insert models, what they assume, verdicts, and how probable they are."""
    for table in (tables.Model, tables.Verdict):
        rows = _copies(table, originals)
        session.execute(insert(table).from_select(_names(table), rows))
    for whole in (tables.Assumption, tables.Probabilities):
        rows = _columns(whole, commit_id=_PAIRS.c.target_id).join(
            _PAIRS,
            (_PAIRS.c.source_id == whole.commit_id)
            & (_PAIRS.c.machine_id == whole.machine_id),
        )
        session.execute(insert(whole).from_select(_names(whole), rows))


def _copy_locations(
    session: Session,
    originals: Collection[int],
    locate: Locate,
    draw: np.random.Generator,
) -> None:
    """Insert locations, each drawn for its commit."""
    table = tables.Location
    rows = []
    for values in session.execute(_copies(table, originals)).all():
        row = dict(zip(_names(table), values, strict=True))
        rows.append({**row, "log": locate(row, draw)})
    inserts.add(session, table, rows)


def _copies(
    table: type[tables.Model | tables.Verdict | tables.Location],
    originals: Collection[int],
) -> Select[Any]:
    """Select what is known of series, once for each commit that copies theirs."""
    return (
        _columns(table, commit_id=_PAIRS.c.target_id)
        .join(tables.Series, tables.Series.id == table.series_id)
        .join(
            _PAIRS,
            (_PAIRS.c.source_id == table.commit_id)
            & (_PAIRS.c.machine_id == tables.Series.machine_id),
        )
        .where(table.commit_id.in_(originals))
        .order_by(_PAIRS.c.target_id, table.series_id)
    )


def _date(session: Session) -> None:
    """Let every commit be measured soon after it was made."""
    made = select(tables.Commit.id, tables.Commit.committed_at).where(
        tables.Commit.id.in_(select(tables.Run.commit_id))
    )
    for commit_id, moment in session.execute(made).all():
        session.execute(
            update(tables.Run)
            .where(tables.Run.commit_id == commit_id)
            .values(received_at=moment + DELAY)
        )
    session.execute(
        update(tables.Commit).values(first_run_at=tables.Commit.committed_at)
    )


def _date_states(session: Session) -> None:
    """Let the state of a machine be seen first by its first run."""
    first_seen = (
        select(func.min(tables.Run.received_at))
        .where(tables.Run.fingerprint_id == tables.Fingerprint.id)
        .scalar_subquery()
    )
    session.execute(update(tables.Fingerprint).values(first_seen_at=first_seen))


def _fill(session: Session, table: Table, rows: Sequence[Row]) -> None:
    """Fill a table of our own."""
    _insert(session, table, rows)
    if session.get_bind().dialect.name == "postgresql":
        # It knows nothing of a new table, and guesses.
        session.execute(text(f"ANALYZE {table.name}"))


def _insert(session: Session, table: Any, rows: Sequence[Row]) -> None:
    if rows:  # a None is a value, not a wish for the default
        session.execute(insert(table), rows, execution_options={"render_nulls": True})


def _names(table: type[tables.Table]) -> list[str]:
    return [column.name for column in table.__table__.columns]


def _columns(table: type[tables.Table], **changed: Any) -> Select[Any]:
    """Select all columns of a table, with something else in place of some."""
    return select(
        *(changed.get(name, getattr(table, name)) for name in _names(table))
    ).select_from(table)


def _values(row: tables.Table) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _names(type(row))}
