"""Queries on levels of expectations, and on the commits that they are taken from."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, delete, exists, or_, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.commits.commits import TIME
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.database.lists import among, is_among
from scalewatch.storage.judgements import expectations

MATCH = "match"


class Judged(NamedTuple):
    """A series and the version of an expectation of growth that judges it."""

    series_id: int
    expectation_id: int


class StoredLevel(NamedTuple):
    """A level as its row has it, with the commit that it was taken from."""

    series_id: int
    expectation_id: int
    is_matched: bool
    setting: dict[str, float]
    value: float
    kept: float
    sha: str
    tag: str | None


def missing(session: Session, project_id: int) -> list[Judged]:
    """Return the series of a project whose expectation in force has no level."""
    series, level, machine = tables.Series, tables.ExpectedLevel, tables.Machine
    current = expectations.in_force().subquery()
    is_known = exists().where(
        level.series_id == series.id, level.expectation_id == current.c.id
    )
    rows = session.execute(
        select(series.id, current.c.id)
        .join(machine, machine.id == series.machine_id)
        .join(
            current,
            (current.c.project_id == machine.project_id)
            & (current.c.region == series.region)
            & (current.c.metric == series.metric),
        )
        .where(machine.project_id == project_id, ~is_known)
    )
    return list(map(Judged._make, rows))


def taken_from(
    session: Session, commit_ids: Collection[int], machine_ids: Collection[int]
) -> list[Judged]:
    """Return the series of machines whose levels were taken from some commits."""
    level = tables.ExpectedLevel
    rows = session.execute(
        select(level.series_id, level.expectation_id)
        .join(tables.Series, tables.Series.id == level.series_id)
        .where(
            among(level.commit_id, commit_ids),
            among(tables.Series.machine_id, machine_ids),
        )
    )
    return list(map(Judged._make, rows))


def last_matched(
    session: Session, judged: Collection[Judged], branches: Sequence[str] | None
) -> dict[Judged, int]:
    """Return the newest commits at which expectations matched, where one did.

    Commits are looked at from the newest one on, by the index of their order.

    Parameters
    ----------
    branches
        Those of the commits that count, beside commits of no known branch; None for
        all commits.
    """
    return _commits(session, _last_matched(is_any=branches is None), judged, branches)


def first_declared(
    session: Session, judged: Collection[Judged], branches: Sequence[str] | None
) -> dict[Judged, int]:
    """Return the oldest commits of which a run came after the declaration, if any.

    Parameters
    ----------
    branches
        As in `last_matched`.
    """
    return _commits(session, _first_declared(is_any=branches is None), judged, branches)


def _commits(
    session: Session,
    query: Select[Any],
    judged: Collection[Judged],
    branches: Sequence[str] | None,
) -> dict[Judged, int]:
    bound = {
        "series": sorted({each.series_id for each in judged}),
        "expectations": sorted({each.expectation_id for each in judged}),
        "branches": branches,
    }
    commits = {Judged(*pair): at for *pair, at in session.execute(query, bound)}
    return {each: at for each in judged if (at := commits.get(each)) is not None}


@cache
def _last_matched(*, is_any: bool) -> Select[Any]:
    commit, verdict = tables.Commit.__table__.c, tables.Verdict.__table__.c
    is_match = exists().where(
        verdict.commit_id == commit.id,
        verdict.series_id == tables.Series.__table__.c.id,
        verdict.expectation_id == tables.Expectation.__table__.c.id,
        verdict.verdict == MATCH,
    )
    newest = _on_branches(is_any=is_any).where(
        is_match.correlate_except(tables.Verdict)
    )
    return _for_each(newest.order_by(TIME.desc(), commit.id.desc()))


@cache
def _first_declared(*, is_any: bool) -> Select[Any]:
    commit, run = tables.Commit.__table__.c, tables.Run.__table__.c
    series, location = tables.Series.__table__.c, tables.Location.__table__.c
    is_measured = exists().where(
        location.series_id == series.id, location.commit_id == commit.id
    )
    is_later = exists().where(
        run.commit_id == commit.id,
        run.machine_id == series.machine_id,
        run.received_at >= tables.Expectation.__table__.c.declared_at,
    )
    oldest = _on_branches(is_any=is_any).where(
        is_measured.correlate_except(tables.Location),
        is_later.correlate_except(tables.Run),
    )
    return _for_each(oldest.order_by(TIME, commit.id))


def _on_branches(*, is_any: bool) -> Select[Any]:
    """Select the commits of the project of an expectation, on some branches or all."""
    commit, expectation = tables.Commit.__table__.c, tables.Expectation.__table__.c
    commits = select(commit.id).where(commit.project_id == expectation.project_id)
    if is_any:
        return commits
    return commits.where(
        or_(commit.branch.is_(None), is_among(commit.branch, "branches"))
    )


def _for_each(commits: Select[Any]) -> Select[Any]:
    """Select series, expectations that judge them, and the first commit of each."""
    series, expectation = tables.Series.__table__, tables.Expectation.__table__
    first = commits.limit(1).correlate_except(tables.Commit).scalar_subquery()
    judges = (series.c.region == expectation.c.region) & (
        series.c.metric == expectation.c.metric
    )
    return (
        select(series.c.id, expectation.c.id, first)
        .join(expectation, judges)
        .where(
            is_among(series.c.id, "series"),
            is_among(expectation.c.id, "expectations"),
        )
    )


def put(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace levels."""
    keys = ("series_id", "expectation_id")
    inserts.put(session, tables.ExpectedLevel, rows, keys=keys)


def forget(session: Session, judged: Collection[Judged]) -> None:
    """Delete the levels of series that have none any more."""
    level = tables.ExpectedLevel
    for series_id, expectation_id in judged:
        session.execute(
            delete(level).where(
                level.series_id == series_id,
                level.expectation_id == expectation_id,
            )
        )


def of_series(
    session: Session, series_ids: Collection[int], expectation_ids: Collection[int]
) -> list[StoredLevel]:
    """Return the levels of series by versions of expectations."""
    bound = {"series": [*series_ids], "expectations": [*expectation_ids]}
    return list(map(StoredLevel._make, session.execute(_of_series(), bound)))


@cache
def _of_series() -> Select[Any]:
    level, commit = tables.ExpectedLevel.__table__, tables.Commit.__table__
    columns = dict([*commit.c.items(), *level.c.items()])
    return (
        select(*(columns[name] for name in StoredLevel._fields))
        .join(commit, commit.c.id == level.c.commit_id)
        .where(
            is_among(level.c.series_id, "series"),
            is_among(level.c.expectation_id, "expectations"),
        )
    )
