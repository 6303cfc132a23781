"""Queries on regressions, and on what happened to them."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, and_, delete, or_, select
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.inserts import upsert


class Member(NamedTuple):
    """A series that a regression is about, and its shift."""

    regression_id: int
    series_id: int
    region: str
    metric: str
    machine_id: int
    machine: str
    configuration: dict[str, Any]
    first_commit_id: int
    last_commit_id: int
    details: dict[str, Any]


def of_project(
    session: Session,
    project_id: int,
    states: Sequence[str] = (),
    commit_id: int | None = None,
) -> Sequence[tables.Regression]:
    """Return regressions, the newest cause first.

    Parameters
    ----------
    commit_id
        Only those whose cause begins or ends at this commit, if it is given.
    """
    wanted = (
        select(tables.Regression)
        .join(tables.Project, tables.Project.id == tables.Regression.project_id)
        .where(tables.Regression.project_id == project_id)
        .order_by(tables.Regression.opened_at.desc(), tables.Regression.id.desc())
    )
    if states:
        wanted = wanted.where(tables.Regression.state.in_(states))
    if commit_id is not None:
        ends = (tables.Regression.first_commit_id, tables.Regression.last_commit_id)
        wanted = wanted.where(or_(*(end == commit_id for end in ends)))
    return session.scalars(wanted).all()


def identified(
    session: Session, project_id: int, regression_id: int
) -> tables.Regression:
    """Return a regression of a project.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    found = session.scalar(
        select(tables.Regression).where(
            tables.Regression.id == regression_id,
            tables.Regression.project_id == project_id,
        )
    )
    if found is None:
        raise NotFound("regression", regression_id)
    return found


def members(session: Session, regression_ids: Sequence[int]) -> dict[int, list[Member]]:
    """Return the series that each regression is about."""
    rows = session.execute(
        select(
            tables.Shift.regression_id,
            tables.Shift.series_id,
            tables.Series.region,
            tables.Series.metric,
            tables.Series.machine_id,
            tables.Machine.name,
            tables.Configuration.settings,
            tables.Shift.first_commit_id,
            tables.Shift.last_commit_id,
            tables.Shift.details,
        )
        .join(tables.Series, tables.Series.id == tables.Shift.series_id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Series.configuration_id,
        )
        .where(tables.Shift.regression_id.in_(regression_ids))
        .order_by(tables.Series.region, tables.Machine.name, tables.Series.id)
    )
    found: dict[int, list[Member]] = {}
    for member in map(Member._make, rows):
        found.setdefault(member.regression_id, []).append(member)
    return found


def shifts_of(session: Session, series: Collection[int]) -> Sequence[Row[Any]]:
    """Return the columns of shifts of series, not those of withdrawn suspicions."""
    withdrawn = and_(
        tables.Regression.state == "fixed", tables.Regression.fixed_commit_id.is_(None)
    )
    return session.execute(
        select(*tables.Shift.__table__.columns)
        .join(tables.Regression, tables.Regression.id == tables.Shift.regression_id)
        .where(tables.Shift.series_id.in_(series), ~withdrawn)
    ).all()


def happenings(
    session: Session, regression_ids: Sequence[int]
) -> dict[int, list[tables.Happening]]:
    """Return what happened to each regression, oldest first."""
    rows = session.scalars(
        select(tables.Happening)
        .where(tables.Happening.regression_id.in_(regression_ids))
        .order_by(tables.Happening.id)
    )
    found: dict[int, list[tables.Happening]] = {}
    for row in rows:
        found.setdefault(row.regression_id, []).append(row)
    return found


def put_shifts(
    session: Session, regression_id: int, rows: Sequence[dict[str, Any]]
) -> None:
    """Replace the series that a regression is about; what is as before is left alone.

    Parameters
    ----------
    rows
        Columns of shifts; numbers are compared as JSON writes them.
    """
    stored = session.execute(
        select(
            tables.Shift.series_id,
            tables.Shift.first_commit_id,
            tables.Shift.last_commit_id,
            tables.Shift.details,
        ).where(tables.Shift.regression_id == regression_id)
    )
    known = {row.series_id: row._asdict() for row in stored}
    gone = known.keys() - {row["series_id"] for row in rows}
    if gone:
        session.execute(
            delete(tables.Shift).where(
                tables.Shift.regression_id == regression_id,
                tables.Shift.series_id.in_(gone),
            ),
            execution_options={"synchronize_session": False},
        )
    changed = [row for row in rows if known.get(row["series_id"]) != row]
    if changed:
        upsert(
            session,
            tables.Shift,
            [{"regression_id": regression_id, **row} for row in changed],
            keys=("regression_id", "series_id"),
        )


def put_watch(session: Session, project_id: int, details: dict[str, Any]) -> None:
    """Store what the newest look found out about the whole project."""
    row = {"project_id": project_id, "at": tables.now(), "details": details}
    upsert(session, tables.Watch, [row], keys=("project_id",))


def watch_of(session: Session, project_id: int) -> tables.Watch | None:
    """Return what the newest look found out, if there was one."""
    return session.get(tables.Watch, project_id)
