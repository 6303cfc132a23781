"""Matches of a text's words: projects, machines, regions, commits, regressions.

Every query joins projects, so that a session finds what it may see. Text is compared
without case; `%` and `_` mean themselves.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, String, and_, cast, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session

from scalewatch.storage import tables
from scalewatch.storage.commits.commits import TIME

Text = InstrumentedAttribute[Any] | ColumnElement[Any]


class NamedMatch(NamedTuple):
    """A machine or a region, by the project that it belongs to."""

    project: str
    name: str


class CommitMatch(NamedTuple):
    """A commit, by the project that it belongs to."""

    project: str
    sha: str
    tag: str | None
    message: str | None
    made_at: datetime


class RegressionMatch(NamedTuple):
    """A regression by the project that it belongs to, with a region that matches."""

    project: str
    id: int
    state: str
    sentence: str
    region: str


def projects(
    session: Session, words: Sequence[str], limit: int | None
) -> Sequence[str]:
    """Return the names of projects, in alphabetical order."""
    name = tables.Project.name
    wanted = select(name).where(_holds(words, name)).order_by(name)
    return session.scalars(wanted.limit(limit)).all()


def machines(
    session: Session, words: Sequence[str], project: str | None, limit: int | None
) -> list[NamedMatch]:
    """Return machines, in alphabetical order."""
    name = tables.Machine.name
    matching = (
        select(tables.Project.name, name)
        .join(tables.Machine, tables.Machine.project_id == tables.Project.id)
        .where(_holds(words, name))
        .order_by(name, tables.Project.name)
    )
    rows = session.execute(matching.where(_is_of(project)).limit(limit)).all()
    return list(map(NamedMatch._make, rows))


def regions(
    session: Session, words: Sequence[str], project: str | None, limit: int | None
) -> list[NamedMatch]:
    """Return regions, in alphabetical order."""
    name = tables.Series.region
    matching = (
        select(tables.Project.name, name)
        .join(tables.Machine, tables.Machine.project_id == tables.Project.id)
        .join(tables.Series, tables.Series.machine_id == tables.Machine.id)
        .where(_holds(words, name))
        .distinct()
        .order_by(name, tables.Project.name)
    )
    rows = session.execute(matching.where(_is_of(project)).limit(limit)).all()
    return list(map(NamedMatch._make, rows))


def commits(
    session: Session, words: Sequence[str], project: str | None, limit: int | None
) -> list[CommitMatch]:
    """Return commits by hash, tag, message or date, newest first."""
    commit = tables.Commit
    date = func.substr(cast(TIME, String), 1, len("2026-01-31"))
    texts = (
        commit.sha,
        func.coalesce(commit.tag, ""),
        func.coalesce(commit.message, ""),
        date,
    )
    matching = (
        select(tables.Project.name, commit.sha, commit.tag, commit.message, TIME)
        .join(commit, commit.project_id == tables.Project.id)
        .where(_holds(words, *texts))
        .order_by(TIME.desc(), commit.id.desc())
    )
    rows = session.execute(matching.where(_is_of(project)).limit(limit)).all()
    return list(map(CommitMatch._make, rows))


def regressions(
    session: Session, words: Sequence[str], project: str | None, limit: int | None
) -> list[RegressionMatch]:
    """Return regressions by region, sentence, state or owner, the newest first."""
    row, region = tables.Regression, tables.Series.region
    texts = (region, row.sentence, row.state, func.coalesce(row.owner, ""))
    matching = (
        select(tables.Project.name, row.id, row.state, row.sentence, func.min(region))
        .join(row, row.project_id == tables.Project.id)
        .join(tables.Shift, tables.Shift.regression_id == row.id)
        .join(tables.Series, tables.Series.id == tables.Shift.series_id)
        .where(_holds(words, *texts), _is_of(project))
        .group_by(tables.Project.name, row.id)
        .order_by(row.opened_at.desc(), row.id.desc())
    )
    rows = session.execute(matching.limit(limit)).all()
    return list(map(RegressionMatch._make, rows))


def _is_of(project: str | None) -> ColumnElement[bool]:
    return true() if project is None else tables.Project.name == project


def _holds(words: Sequence[str], *texts: Text) -> ColumnElement[bool]:
    """Tell whether each word is in one of the texts."""
    return and_(
        *(
            or_(
                *(
                    func.lower(text).contains(word.lower(), autoescape=True)
                    for text in texts
                )
            )
            for word in words
        )
    )
