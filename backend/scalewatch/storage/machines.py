"""Queries on machines and their fingerprints."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.digests import canonical, digest_of
from scalewatch.storage.inserts import find_or_insert, insert_missing
from scalewatch.wire import Fact


def of_project(session: Session, project_id: int) -> Sequence[tables.Machine]:
    """Return a project's machines in the order in which they appeared."""
    return session.scalars(
        select(tables.Machine)
        .where(tables.Machine.project_id == project_id)
        .order_by(tables.Machine.id)
    ).all()


def measuring(session: Session, commit_id: int) -> Sequence[str]:
    """Return the names of the machines that measured a commit, by first appearance."""
    measured = select(tables.Run.machine_id).where(tables.Run.commit_id == commit_id)
    return session.scalars(
        select(tables.Machine.name)
        .where(tables.Machine.id.in_(measured))
        .order_by(tables.Machine.id)
    ).all()


def last_seen(session: Session, project_id: int) -> Sequence[Row[str, datetime, int]]:
    """Return name, last run and number of runs per machine, by first appearance."""
    # By machine, so that the index on runs answers: there are many of them.
    own = tables.Run.machine_id == tables.Machine.id
    last_run_at = select(func.max(tables.Run.received_at)).where(own)
    runs = select(func.count()).select_from(tables.Run).where(own)
    seen = (
        select(
            tables.Machine.id,
            tables.Machine.name,
            last_run_at.correlate(tables.Machine).scalar_subquery().label("last"),
            runs.correlate(tables.Machine).scalar_subquery().label("runs"),
        )
        .where(tables.Machine.project_id == project_id)
        .subquery()
    )
    return session.execute(
        select(seen.c.name, seen.c.last, seen.c.runs)
        .where(seen.c.last.is_not(None))
        .order_by(seen.c.id)
    ).all()


def newest_facts(session: Session, project_id: int) -> dict[str, dict[str, Any]]:
    """Return the fingerprint of each machine's last run, by name."""
    newest = (
        select(tables.Run.id)
        .where(tables.Run.machine_id == tables.Machine.id)
        .order_by(tables.Run.received_at.desc(), tables.Run.id.desc())
        .limit(1)
        .correlate(tables.Machine)
        .scalar_subquery()
    )
    rows = session.execute(
        select(tables.Machine.name, tables.Fingerprint.facts)
        .join(tables.Run, tables.Run.id == newest)
        .join(tables.Fingerprint, tables.Fingerprint.id == tables.Run.fingerprint_id)
        .where(tables.Machine.project_id == project_id)
    )
    return dict(rows.all())


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
    last_run_at = func.max(tables.Run.received_at)
    seen = (
        select(
            tables.Run.fingerprint_id,
            func.min(tables.Run.received_at).label("first_run_at"),
            last_run_at.label("last_run_at"),
            func.count().label("runs"),
        )
        .where(tables.Run.machine_id == machine_id)
        .group_by(tables.Run.fingerprint_id)
        .subquery()
    )
    return session.execute(
        select(
            tables.Fingerprint.facts,
            seen.c.first_run_at,
            seen.c.last_run_at,
            seen.c.runs,
        )
        .join(seen, seen.c.fingerprint_id == tables.Fingerprint.id)
        .order_by(seen.c.last_run_at.desc())
    ).all()


def provenances(
    session: Session, project: str | None = None
) -> Sequence[Row[str, str, str | None]]:
    """Return project, name and provenance of machines on which nobody measured."""
    wanted = (
        select(tables.Project.name, tables.Machine.name, tables.Machine.provenance)
        .join(tables.Machine, tables.Machine.project_id == tables.Project.id)
        .where(tables.Machine.provenance.is_not(None))
        .order_by(tables.Project.name, tables.Machine.id)
    )
    if project is not None:
        wanted = wanted.where(tables.Project.name == project)
    return session.execute(wanted).all()


def find_or_create(
    session: Session, project_id: int, machine: wire.Machine
) -> tables.Machine:
    """Return a machine, new or not; what a run says of its provenance is kept."""
    wanted = select(tables.Machine).where(
        tables.Machine.project_id == project_id, tables.Machine.name == machine.name
    )
    found = session.scalar(wanted)
    if found is None:
        row = {"project_id": project_id, "name": machine.name}
        insert_missing(session, tables.Machine, [row])
        found = session.scalars(wanted).one()
    if machine.provenance and found.provenance != machine.provenance:
        found.provenance = machine.provenance
    return found


def fingerprint_id(session: Session, machine_id: int, facts: dict[str, Fact]) -> int:
    """Return the id of a machine's state, new or not."""
    keys = {"machine_id": machine_id, "digest": digest_of(canonical(facts))}
    return find_or_insert(session, tables.Fingerprint, keys, {"facts": facts})
