"""Rows of further commits, as if the values of one of them had been measured again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

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
    update,
)
from sqlalchemy.orm import Session, aliased

from scalewatch.storage import tables
from scalewatch.storage.digests import canonical, digest_of
from scalewatch.storage.inserts import Row
from scalewatch.wire import Commit

DELAY = timedelta(hours=1)
"""Time between a commit and its runs."""

SCATTER = 0.01
"""Of the locations of copies, as between commits that change nothing."""

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


def copy_measurements(session: Session, project: str, copies: Sequence[Copy]) -> None:
    """Insert runs, points, repetitions, models and what else follows from copies."""
    _TEMPORARY.create_all(session.connection())
    machines = _ids(session, project, tables.Machine, tables.Machine.name)
    commits = _ids(session, project, tables.Commit, tables.Commit.sha)
    _insert(
        session,
        _PAIRS,
        [
            {
                "machine_id": machines[one.machine],
                "source_id": commits[one.source],
                "target_id": commits[one.target.sha],
            }
            for one in copies
        ],
    )
    _copy_runs(session, {commits[one.target.sha]: one.target for one in copies})
    _copy_points(session)
    _copy_judgements(session)
    _copy_locations(session)
    _insert(
        session,
        tables.Job,
        [
            {
                "kind": "analyse",
                "subject": f"{commits[one.target.sha]}/{machines[one.machine]}",
                "state": "done",
                "due_at": None,
            }
            for one in copies
        ],
    )
    _date(session)
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


def _copy_runs(session: Session, commits: Mapping[int, Commit]) -> None:
    """Insert runs with the content that would have been posted."""
    target_ids: dict[tuple[int, int], list[int]] = defaultdict(list)
    for machine_id, target_id, source_id in session.execute(select(_PAIRS)):
        target_ids[machine_id, source_id].append(target_id)
    described = {
        commit_id: commit.model_dump() for commit_id, commit in commits.items()
    }
    next_id = session.scalar(select(func.max(tables.Run.id))) or 0
    runs, payloads, pairs = [], [], []
    for run, body in session.execute(
        select(tables.Run, tables.Payload.body)
        .join(tables.Payload, tables.Payload.run_id == tables.Run.id)
        .order_by(tables.Run.id)
    ).all():
        content = orjson.loads(zstandard.decompress(body))
        for target_id in target_ids[run.machine_id, run.commit_id]:
            next_id += 1
            uuid = uuid5(NAMESPACE_OID, f"{run.uuid} {target_id}")
            content |= {"id": str(uuid), "commit": described[target_id]}
            runs.append(
                _values(run) | {"id": next_id, "uuid": uuid, "commit_id": target_id}
            )
            posted = canonical(content)
            payloads.append(
                {
                    "run_id": next_id,
                    "digest": digest_of(posted),
                    "body": zstandard.compress(posted),
                }
            )
            pairs.append({"source_id": run.id, "target_id": next_id})
    _insert(session, tables.Run, runs)
    _insert(session, tables.Payload, payloads)
    _insert(session, _RUNS, pairs)


def _copy_points(session: Session) -> None:
    for table in (tables.Point, tables.Samples, tables.Procedure):
        rows = (
            _columns(table, run_id=_RUNS.c.target_id)
            .join(_RUNS, _RUNS.c.source_id == table.run_id)
            .order_by(*table.__table__.primary_key)
        )
        session.execute(insert(table).from_select(_names(table), rows))


def _copy_judgements(session: Session) -> None:
    """Insert models and verdicts; a model gets the next id that is free."""
    last = session.scalar(select(func.max(tables.Model.id))) or 0
    number = func.row_number().over(order_by=(_PAIRS.c.target_id, tables.Model.id))
    models = (
        _columns(tables.Model, id=last + number, commit_id=_PAIRS.c.target_id)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .join(
            _PAIRS,
            (_PAIRS.c.source_id == tables.Model.commit_id)
            & (_PAIRS.c.machine_id == tables.Series.machine_id),
        )
    )
    session.execute(insert(tables.Model).from_select(_names(tables.Model), models))
    source, target = tables.Model, aliased(tables.Model)
    verdicts = (
        _columns(tables.Verdict, model_id=target.id)
        .join(source, source.id == tables.Verdict.model_id)
        .join(tables.Series, tables.Series.id == source.series_id)
        .join(
            _PAIRS,
            (_PAIRS.c.source_id == source.commit_id)
            & (_PAIRS.c.machine_id == tables.Series.machine_id),
        )
        .join(
            target,
            (target.series_id == source.series_id)
            & (target.commit_id == _PAIRS.c.target_id),
        )
        .where(target.id > last)
    )
    session.execute(
        insert(tables.Verdict).from_select(_names(tables.Verdict), verdicts)
    )


def _copy_locations(session: Session) -> None:
    """Insert locations, each a little beside the one that it copies."""
    draw = np.random.default_rng(1)
    table = tables.Location
    found = session.execute(
        _columns(table, commit_id=_PAIRS.c.target_id)
        .join(tables.Series, tables.Series.id == table.series_id)
        .join(
            _PAIRS,
            (_PAIRS.c.source_id == table.commit_id)
            & (_PAIRS.c.machine_id == tables.Series.machine_id),
        )
        .order_by(table.series_id, _PAIRS.c.target_id)
    )
    rows = []
    for values in found.all():
        row = dict(zip(_names(table), values, strict=True))
        beside = draw.normal(0, SCATTER, len(row["log"])).tolist()
        log = [
            None if at is None else at + by
            for at, by in zip(row["log"], beside, strict=True)
        ]
        rows.append({**row, "log": log})
    _insert(session, table.__table__, rows)


def _date(session: Session) -> None:
    """Let every commit be measured soon after it was made."""
    made = select(tables.Commit.id, tables.Commit.committed_at)
    for commit_id, moment in session.execute(made).all():
        session.execute(
            update(tables.Run)
            .where(tables.Run.commit_id == commit_id)
            .values(received_at=moment + DELAY)
        )
    session.execute(
        update(tables.Commit).values(first_run_at=tables.Commit.committed_at)
    )
    first_seen = (
        select(func.min(tables.Run.received_at))
        .where(tables.Run.fingerprint_id == tables.Fingerprint.id)
        .scalar_subquery()
    )
    session.execute(update(tables.Fingerprint).values(first_seen_at=first_seen))


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
