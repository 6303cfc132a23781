"""Queries on machines, their states, and what was assumed of their noise."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, Select, bindparam, func, select
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.errors import NotFound
from scalewatch.modelling.machines.states import is_same_state
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import (
    canonical,
    digest_of,
    insert_new,
    insert_or_find,
)
from scalewatch.storage.database.lists import is_among
from scalewatch.storage.database.session import once
from scalewatch.wire import Fact

_COMMIT: Final = tables.Commit.__table__
_FINGERPRINT: Final = tables.Fingerprint.__table__
_MACHINE: Final = tables.Machine.__table__
_RUN: Final = tables.Run.__table__

STATE: Final = func.coalesce(_FINGERPRINT.c.state_id, _FINGERPRINT.c.id)
"""The id of the state that a fingerprint belongs to."""

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_OF_PROJECT: Final = (
    select(tables.Machine)
    .where(tables.Machine.project_id == bindparam("project"))
    .order_by(tables.Machine.id)
)

_PROVENANCES: Final = (
    select(tables.Project.name, tables.Machine.name, tables.Machine.provenance)
    .join(tables.Machine, tables.Machine.project_id == tables.Project.id)
    .where(tables.Machine.provenance.is_not(None))
    .order_by(tables.Project.name, tables.Machine.id)
)
_PROVENANCES_IN: Final = _PROVENANCES.where(tables.Project.name == bindparam("project"))
_LEARNED: Final = ("machine_id", "metric", "conditions", "commit_id")
_ASSUMED: Final = ("commit_id", "machine_id", "metric")

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_KEPT: Final = select(tables.Noise).where(
    tables.Noise.machine_id == bindparam("machine"),
    tables.Noise.metric == bindparam("metric"),
    tables.Noise.conditions == bindparam("conditions"),
    is_among(tables.Noise.__table__.c.commit_id, "commits"),
)


class StateSince(NamedTuple):
    """A machine, its states before and since a commit, and when that was made."""

    machine: str
    before_id: int
    state_id: int
    at: datetime


def of_project(session: Session, project_id: int) -> Sequence[tables.Machine]:
    """Return a project's machines in the order in which they appeared."""
    bound = {"project": project_id}
    question = ("machines", project_id)
    return once(session, question, lambda: session.scalars(_OF_PROJECT, bound).all())


def last_seen(session: Session, project_id: int) -> Sequence[Row[str, datetime, int]]:
    """Return name, last run and number of runs per machine, by first appearance."""
    return session.execute(_last_seen(), {"project": project_id}).all()


@cache
def _last_seen() -> Select[Any]:
    # A subquery for each machine lets the index on runs answer.
    of_machine = _RUN.c.machine_id == _MACHINE.c.id
    last_run_at = select(func.max(_RUN.c.received_at)).where(of_machine)
    runs = select(func.count()).select_from(_RUN).where(of_machine)
    seen = (
        select(
            _MACHINE.c.id,
            _MACHINE.c.name,
            last_run_at.correlate(_MACHINE).scalar_subquery().label("last"),
            runs.correlate(_MACHINE).scalar_subquery().label("runs"),
        )
        .where(_MACHINE.c.project_id == bindparam("project"))
        .subquery()
    )
    return (
        select(seen.c.name, seen.c.last, seen.c.runs)
        .where(seen.c.last.is_not(None))
        .order_by(seen.c.id)
    )


def seen_anywhere(session: Session) -> Sequence[Row[int, str, datetime]]:
    """Return project, name and last run of all visible machines that sent one."""
    last_run_at = (
        select(func.max(_RUN.c.received_at))
        .where(_RUN.c.machine_id == tables.Machine.id)
        .correlate(tables.Machine)
        .scalar_subquery()
        .label("last")
    )
    seen = (
        select(tables.Machine.project_id, tables.Machine.name, last_run_at)
        .join(tables.Project, tables.Project.id == tables.Machine.project_id)
        .order_by(tables.Machine.id)
    )
    return [row for row in session.execute(seen).all() if row.last is not None]


def newest_facts(session: Session, project_id: int) -> dict[str, dict[str, Any]]:
    """Return the fingerprint of each machine's last run, by name."""
    return dict(session.execute(_newest_facts(), {"project": project_id}).all())


@cache
def _newest_facts() -> Select[Any]:
    newest = (
        select(_RUN.c.id)
        .where(_RUN.c.machine_id == _MACHINE.c.id)
        .order_by(_RUN.c.received_at.desc(), _RUN.c.id.desc())
        .limit(1)
        .correlate(_MACHINE)
        .scalar_subquery()
    )
    return (
        select(_MACHINE.c.name, _FINGERPRINT.c.facts)
        .join(_RUN, _RUN.c.id == newest)
        .join(_FINGERPRINT, _FINGERPRINT.c.id == _RUN.c.fingerprint_id)
        .where(_MACHINE.c.project_id == bindparam("project"))
    )


def named(session: Session, project_id: int, name: str) -> tables.Machine:
    """Return a machine of a project.

    Raises
    ------
    NotFound
        If the project has none of this name.
    """
    machine = session.scalar(
        select(tables.Machine).where(
            tables.Machine.project_id == project_id, tables.Machine.name == name
        )
    )
    if machine is None:
        raise NotFound("machine", name)
    return machine


def states(
    session: Session, machine_id: int
) -> Sequence[Row[dict[str, Any], datetime, datetime, int]]:
    """Return facts, first run, last run and number of runs per state, newest first."""
    # Runs are counted by an index before they are joined: there are many.
    by_fingerprint = (
        select(
            _RUN.c.fingerprint_id,
            func.min(_RUN.c.received_at).label("first"),
            func.max(_RUN.c.received_at).label("last"),
            func.count().label("runs"),
        )
        .where(_RUN.c.machine_id == machine_id)
        .group_by(_RUN.c.fingerprint_id)
        .subquery()
    )
    seen = (
        select(
            STATE.label("state_id"),
            func.min(by_fingerprint.c.first).label("first_run_at"),
            func.max(by_fingerprint.c.last).label("last_run_at"),
            func.sum(by_fingerprint.c.runs).label("runs"),
        )
        .join(_FINGERPRINT, _FINGERPRINT.c.id == by_fingerprint.c.fingerprint_id)
        .group_by(STATE)
        .subquery()
    )
    return session.execute(
        select(
            tables.Fingerprint.facts,
            seen.c.first_run_at,
            seen.c.last_run_at,
            seen.c.runs,
        )
        .join(seen, seen.c.state_id == tables.Fingerprint.id)
        .order_by(seen.c.last_run_at.desc())
    ).all()


def begun_since(
    session: Session, project_id: int, first: datetime
) -> Iterator[StateSince]:
    """Yield where the state of a machine changed from one commit to the next."""
    rows = session.execute(_states(), {"project": project_id}).all()
    for (before, before_id, _), (machine, state_id, at) in pairwise(rows):
        if machine == before and state_id != before_id and at >= first:
            yield StateSince(machine, before_id, state_id, at)


@cache
def _states() -> Select[Any]:
    """Return the query of the last state at each commit, of machines with several."""
    made = func.coalesce(_COMMIT.c.committed_at, _COMMIT.c.first_run_at)
    several = (
        select(_FINGERPRINT.c.machine_id)
        .join(_MACHINE, _MACHINE.c.id == _FINGERPRINT.c.machine_id)
        .where(_MACHINE.c.project_id == bindparam("project"))
        .group_by(_FINGERPRINT.c.machine_id)
        .having(func.count(STATE.distinct()) > 1)
    )
    newest = (
        select(_RUN.c.machine_id, _RUN.c.commit_id, func.max(_RUN.c.id).label("id"))
        .where(_RUN.c.machine_id.in_(several))
        .group_by(_RUN.c.machine_id, _RUN.c.commit_id)
        .subquery()
    )
    return (
        select(_MACHINE.c.name, STATE, made)
        .select_from(_RUN)
        .join(newest, newest.c.id == _RUN.c.id)
        .join(_FINGERPRINT, _FINGERPRINT.c.id == _RUN.c.fingerprint_id)
        .join(_MACHINE, _MACHINE.c.id == _RUN.c.machine_id)
        .join(_COMMIT, _COMMIT.c.id == _RUN.c.commit_id)
        .order_by(_MACHINE.c.id, made, _COMMIT.c.id)
    )


def provenances(
    session: Session, project: str | None = None
) -> Sequence[Row[str, str, str | None]]:
    """Return project, name and provenance of simulated and published machines."""
    if project is None:
        return session.execute(_PROVENANCES).all()
    return session.execute(_PROVENANCES_IN, {"project": project}).all()


def id_of(session: Session, project_id: int, machine: wire.Machine) -> int:
    """Return the id of a machine, new or not; its provenance is kept, if stated."""
    keys = {"project_id": project_id, "name": machine.name}
    stated = {"provenance": machine.provenance} if machine.provenance else {}
    created = insert_new(session, tables.Machine, {**keys, **stated})
    if created is not None:
        return created
    known = session.scalars(select(tables.Machine).filter_by(**keys)).one()
    if machine.provenance:
        known.provenance = machine.provenance
        session.flush()
    return known.id


def fingerprint_id(session: Session, machine_id: int, facts: dict[str, Fact]) -> int:
    """Return the id of a machine's fingerprint, new or not.

    A new one that differs from a known state in nothing that matters belongs to it.
    """
    keys = {"machine_id": machine_id, "digest": digest_of(canonical(facts))}
    # Runs of two nodes may come at once: the second waits for the state of the first.
    machine = select(tables.Machine.id).where(tables.Machine.id == machine_id)
    session.execute(machine.with_for_update())
    row = tables.Fingerprint
    known = session.execute(
        select(row.id, row.facts)
        .where(row.machine_id == machine_id, row.state_id.is_(None))
        .order_by(row.id)
    )
    alike = (each.id for each in known.all() if is_same_state(each.facts, facts))
    others = {"facts": facts, "state_id": next(alike, None)}
    return insert_or_find(session, row, keys, others)


def noise_learned_at(
    session: Session,
    machine_id: int,
    metric: str,
    conditions: str,
    commit_ids: Collection[int],
) -> dict[int, tables.Noise]:
    """Return what commits keep as learned under these conditions, by their ids."""
    bound = {"machine": machine_id, "metric": metric, "conditions": conditions}
    rows = session.scalars(_KEPT, {**bound, "commits": [*commit_ids]})
    return {row.commit_id: row for row in rows}


def keep_noise(session: Session, rows: Sequence[inserts.Row]) -> None:
    """Insert or replace what commits keep as learned."""
    inserts.put(session, tables.Noise, rows, keys=_LEARNED)


def noise_assumed(session: Session, machine_id: int, commit_id: int) -> dict[str, Any]:
    """Return what models assume of the noise of each metric of a machine."""
    rows = session.execute(
        select(tables.Assumption.metric, tables.Assumption.noise).where(
            tables.Assumption.commit_id == commit_id,
            tables.Assumption.machine_id == machine_id,
        )
    )
    return dict(rows.all())


def assume_noise(session: Session, rows: Sequence[inserts.Row]) -> None:
    """Insert or replace what models assume of the noise."""
    inserts.put(session, tables.Assumption, rows, keys=_ASSUMED)
