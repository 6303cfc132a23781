"""Queries on projects, how they are treated, and which ones a session can find."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, event, func, or_, select, update
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import insert_missing
from scalewatch.storage.database.session import once

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_NAMED: Final = select(tables.Project).where(tables.Project.name == bindparam("name"))


def listed(session: Session) -> Sequence[tables.Project]:
    """Return all projects by name."""
    return session.scalars(select(tables.Project).order_by(tables.Project.name)).all()


def named(session: Session, name: str) -> tables.Project | None:
    """Return the project of this name."""
    bound = {"name": name}
    return once(session, ("project", name), lambda: session.scalar(_NAMED, bound))


def existing(session: Session, name: str) -> tables.Project:
    """Return the project of this name.

    Raises
    ------
    NotFound
        If no run of such a project was ever posted.
    """
    project = named(session, name)
    if project is None:
        raise NotFound("project", name)
    return project


def find_or_create(session: Session, name: str) -> tables.Project:
    """Return the project of this name, new or not."""
    project = named(session, name)
    if project is None:
        insert_missing(session, tables.Project, [{"name": name}])
        project = existing(session, name)
    return project


def note_repository(session: Session, project_id: int, repository: str) -> None:
    """Keep where the code of a project lies, as its first run says that tells it."""
    session.execute(
        update(tables.Project)
        .where(tables.Project.id == project_id, tables.Project.repository.is_(None))
        .values(repository=repository)
    )


def is_found(session: Session, project_id: int) -> bool:
    """Tell whether a project is there, and the session can find it."""
    wanted = select(tables.Project.id).where(tables.Project.id == project_id)
    return session.scalar(wanted) is not None


def lock(session: Session, project_id: int) -> None:
    """Take a lock of this name until the transaction ends.

    On SQLite a writing transaction has the database to itself in any case.
    """
    session.execute(
        select(tables.Project.id)
        .where(tables.Project.id == project_id)
        .with_for_update()
    )


def count(session: Session) -> int:
    """Return how many projects there are."""
    return session.scalar(select(func.count()).select_from(tables.Project)) or 0


def restrict(session: Session, project: str | None) -> None:
    """Let a session find public projects alone and, where one is named, this one.

    Every SELECT of the session that reads from projects gets the condition, joins
    and subqueries included: what joins a private project is not found either. So a
    query on anything that belongs to a project joins it.
    """
    private = select(tables.Policy.project_id).where(tables.Policy.is_private)
    is_public = tables.Project.id.not_in(private)
    is_visible = or_(is_public, tables.Project.name == project)
    criteria = with_loader_criteria(tables.Project, is_visible, include_aliases=True)

    def add(state: ORMExecuteState) -> None:
        if state.is_select:
            state.statement = state.statement.options(criteria)

    event.listen(session, "do_orm_execute", add)


def policy_of(session: Session, project_id: int) -> tables.Policy:
    """Return a project's policy; the default policy where none was set."""
    declared = session.get(tables.Policy, project_id)
    return declared or tables.Policy(project_id=project_id, is_private=False)


def change_policy(
    session: Session, project_id: int, changed: Mapping[str, Any]
) -> None:
    """Change some columns of a project's policy."""
    is_private = policy_of(session, project_id).is_private
    row = {"project_id": project_id, "is_private": is_private, **changed}
    inserts.put(session, tables.Policy, [row], keys=("project_id",))


def owners(session: Session, project_ids: Collection[int]) -> dict[int, list[Any]]:
    """Return the owners of regions that projects state: pairs of pattern and name."""
    policy = tables.Policy
    rows = session.execute(
        select(policy.project_id, policy.owners).where(
            policy.project_id.in_(project_ids)
        )
    )
    return dict(rows.all())
