"""Queries on expectations and their versions."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Row as Columns
from sqlalchemy import Select, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from scalewatch.storage import tables
from scalewatch.storage.commits.commits import TIME
from scalewatch.storage.database.inserts import Row, insert_missing
from scalewatch.storage.database.lists import among

_EXPECTATION: Final = tables.Expectation.__table__.c
_DECLARED: Final = select(_EXPECTATION.region, _EXPECTATION.metric).where(
    _EXPECTATION.project_id == bindparam("project_id"), _EXPECTATION.version == 1
)


@cache
def newest() -> Select[tables.Expectation]:
    """Select the newest version of each expectation, withdrawn ones included."""
    later = aliased(tables.Expectation)
    version = (
        select(func.max(later.version))
        .where(
            later.project_id == tables.Expectation.project_id,
            later.region == tables.Expectation.region,
            later.metric == tables.Expectation.metric,
        )
        .correlate(tables.Expectation)
        .scalar_subquery()
    )
    return select(tables.Expectation).where(tables.Expectation.version == version)


@cache
def in_force() -> Select[tables.Expectation]:
    """Select the newest version of each expectation that is a growth."""
    return newest().where(tables.Expectation.growth.is_not(None))


def of_project(session: Session, project_id: int) -> Sequence[Columns[Any]]:
    """Return the columns of what is expected of a project, by region and metric."""
    return session.execute(_of_project(), {"project": project_id}).all()


@cache
def _of_project() -> Select[Any]:
    return (
        in_force()
        .with_only_columns(*_EXPECTATION)
        .where(tables.Expectation.project_id == bindparam("project"))
        .order_by(tables.Expectation.region, tables.Expectation.metric)
    )


def ids_in_force(session: Session, project_id: int) -> Sequence[int]:
    """Return the ids of what is expected of a project, growths and composed models."""
    return session.scalars(_ids_in_force(), {"project": project_id}).all()


@cache
def _ids_in_force() -> Select[Any]:
    expected = tables.Expectation
    return (
        newest()
        .with_only_columns(_EXPECTATION.id)
        .where(
            expected.project_id == bindparam("project"),
            or_(expected.growth.is_not(None), expected.formula.is_not(None)),
        )
        .order_by(_EXPECTATION.id)
    )


def stated_growths(session: Session, ids: Collection[int]) -> dict[int, str]:
    """Return the growths of versions of expectations, as they were stated."""
    rows = session.execute(
        select(_EXPECTATION.id, _EXPECTATION.growth).where(
            among(tables.Expectation.id, ids), _EXPECTATION.growth.is_not(None)
        )
    )
    return dict(map(tuple, rows))


def composed_of(session: Session, project_id: int) -> Sequence[tables.Expectation]:
    """Return the composed models that a project expects, by region and metric."""
    return session.scalars(
        newest()
        .where(
            tables.Expectation.project_id == project_id,
            tables.Expectation.formula.is_not(None),
        )
        .order_by(tables.Expectation.region, tables.Expectation.metric)
    ).all()


def versions(
    session: Session, project_id: int, region: str, metric: str
) -> Sequence[tables.Expectation]:
    """Return all versions of an expectation, newest first, withdrawn ones included."""
    return session.scalars(
        select(tables.Expectation)
        .where(
            tables.Expectation.project_id == project_id,
            tables.Expectation.region == region,
            tables.Expectation.metric == metric,
        )
        .order_by(tables.Expectation.version.desc())
    ).all()


def newest_versions(
    session: Session, project_id: int
) -> dict[tuple[str, str], tables.Expectation]:
    """Return the newest version by region and metric, withdrawn ones included."""
    rows = session.scalars(newest().where(tables.Expectation.project_id == project_id))
    return {(row.region, row.metric): row for row in rows}


def declared(session: Session, project_id: int) -> set[tuple[str, str]]:
    """Return region and metric of all that was ever declared, be it withdrawn since."""
    rows = session.connection().execute(_DECLARED, {"project_id": project_id})
    return {(region, metric) for region, metric in rows}


def add(session: Session, rows: Sequence[Row]) -> None:
    """Insert new versions, except where another transaction has just done so."""
    insert_missing(session, tables.Expectation, rows)


def unjudged(session: Session, project_id: int) -> Sequence[tuple[int, int]]:
    """Return the commits and machines with a model that no verdict compares yet.

    Each is a pair of ids, those of the newest commits first: they are looked at most.
    Withdrawn expectations ask for no verdict.
    """
    expected = tables.Expectation
    is_stated = or_(expected.growth.is_not(None), expected.formula.is_not(None))
    current = newest().where(is_stated).subquery()
    rows = session.execute(
        select(tables.Model.commit_id, tables.Series.machine_id)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .join(tables.Commit, tables.Commit.id == tables.Model.commit_id)
        .join(
            current,
            (current.c.project_id == tables.Machine.project_id)
            & (current.c.region == tables.Series.region)
            & (current.c.metric == tables.Series.metric),
        )
        .outerjoin(
            tables.Verdict,
            (tables.Verdict.commit_id == tables.Model.commit_id)
            & (tables.Verdict.series_id == tables.Model.series_id)
            & (tables.Verdict.expectation_id == current.c.id),
        )
        .where(
            tables.Machine.project_id == project_id,
            tables.Verdict.expectation_id.is_(None),
        )
        .group_by(tables.Model.commit_id, tables.Series.machine_id)
        .order_by(
            func.max(TIME).desc(),
            tables.Model.commit_id.desc(),
            tables.Series.machine_id,
        )
    )
    return [(commit_id, machine_id) for commit_id, machine_id in rows]
