"""Queries on regressions, and on what happened to them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    func,
    or_,
    select,
)
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.modelling import Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.lists import is_among


@dataclass(frozen=True, slots=True)
class ShiftDetails:
    """The change of a series in a history, explained and weighed.

    Parameters
    ----------
    kind, probability
        The likeliest kind, and the probability of all.
    factor, low, high
        After over before, on average over the settings, with its 90 % interval.
    largest_factor, largest
        The same at the largest setting, and that setting; empty where there is one.
    tilt, faster_probability
        Exponent by which after over before grows, and how surely it is positive.
    statistic
        Likelihood ratio, twice its logarithm.
    p_value, q_value
        Of as clear a change in a history without one, and corrected for all series.
    is_sure
        Whether more than chance and one job speak for it.
    noticed_at
        Hash of the commit at which it was noticed.
    commits_before, commits_after
        How many the two segments have.
    target, at_target
        A larger scale, and after over before there; None where nothing can tell. Of
        one setting the scale is empty.
    growth_before, growth_after, verdict_before, verdict_after
        Of the segments; None where they cannot be told.
    expectation, expectation_version
        The growth that the verdicts are about.
    shares
        Of commits at the upper of two levels, before and after; of modes only.
    """

    kind: ShiftKind
    probability: Mapping[ShiftKind, float]
    factor: float
    low: float
    high: float
    largest_factor: float
    largest: Mapping[str, float]
    tilt: float
    faster_probability: float
    is_gradual: bool
    statistic: float
    p_value: float
    q_value: float
    is_sure: bool
    noticed_at: str
    commits_before: int
    commits_after: int
    target: Mapping[str, float]
    at_target: Bounds | None
    growth_before: str | None
    growth_after: str | None
    verdict_before: Verdict | None
    verdict_after: Verdict | None
    expectation: str | None
    expectation_version: int | None
    shares: tuple[float, float] | None = None

    @property
    def has_one_setting(self) -> bool:
        """Whether the series has no growth that could change."""
        return not self.largest

    @property
    def kind_probability(self) -> float:
        """Probability that the change is of its kind."""
        return self.probability[self.kind]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ShiftDetails":
        """Return details as `to_json` wrote them."""
        known = [field.name for field in fields(cls) if field.name in stored]
        parts = {name: stored[name] for name in known}
        bounds, shares = parts["at_target"], parts.get("shares")
        return cls(
            **parts
            | {
                "kind": ShiftKind(parts["kind"]),
                "probability": {
                    ShiftKind(kind): share
                    for kind, share in parts["probability"].items()
                },
                "at_target": Bounds(**bounds) if bounds else None,
                "verdict_before": _verdict(parts["verdict_before"]),
                "verdict_after": _verdict(parts["verdict_after"]),
                "shares": None if shares is None else tuple(shares),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Return an object of what JSON knows."""
        return asdict(self) | {
            "kind": str(self.kind),
            "probability": {str(kind): p for kind, p in self.probability.items()},
            "verdict_before": self.verdict_before and str(self.verdict_before),
            "verdict_after": self.verdict_after and str(self.verdict_after),
        }


def _verdict(stored: str | None) -> Verdict | None:
    return None if stored is None else Verdict(stored)


class RegressionShift(NamedTuple):
    """Where a series changed, what is known of it, and of the regression it is of."""

    regression_id: int
    series_id: int
    first_commit_id: int
    last_commit_id: int
    opened_at: datetime
    is_worse: bool
    state: str
    sentence: str
    details: ShiftDetails


class DatedShift(NamedTuple):
    """A series that changed, and when the first commit was made that shows it."""

    series_id: int
    regression_id: int
    is_worse: bool
    at: datetime


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
    details: ShiftDetails


FINDINGS: Final = ("failure", "expectation", "drift")
"""Kinds of findings about series; others are changes in histories."""


class Dated(NamedTuple):
    """A regression, its project, and when the commit was made that shows it first."""

    row: tables.Regression
    project: str
    at: datetime


def for_the_worse(session: Session) -> list[Dated]:
    """Return what became worse in all projects that the session can find.

    Without withdrawn suspicions.
    """
    regression, commit = tables.Regression, tables.Commit
    made = func.coalesce(commit.committed_at, commit.first_run_at)
    rows = session.execute(
        select(regression, tables.Project.name, made)
        .join(tables.Project, tables.Project.id == regression.project_id)
        .join(commit, commit.id == regression.last_commit_id)
        .where(regression.is_worse, ~_is_withdrawn(regression.__table__))
    )
    return [Dated._make(row) for row in rows]


def edition(session: Session) -> tuple[object, ...]:
    """Return what changes with any regression of the database."""
    event, detection = tables.RegressionEvent, tables.Detection
    parts = (
        select(func.count(event.id)),
        select(func.max(event.at)),
        select(func.count(tables.Regression.id)),
        select(func.max(detection.at)),
        select(func.count(detection.project_id)),
    )
    return tuple(
        session.execute(select(*(part.scalar_subquery() for part in parts))).one()
    )


def anywhere(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """Return the projects of regressions, of those that the session can find."""
    rows = session.execute(
        select(tables.Regression.id, tables.Project.name)
        .join(tables.Project, tables.Project.id == tables.Regression.project_id)
        .where(tables.Regression.id.in_(ids))
    )
    return dict(rows.all())


def findings(session: Session, project_id: int) -> Sequence[tables.Regression]:
    """Return the findings about a project that were not fixed, oldest first."""
    regression = tables.Regression
    wanted = select(regression).where(
        regression.project_id == project_id,
        regression.kind.in_(FINDINGS),
        regression.state != "fixed",
    )
    return session.scalars(wanted.order_by(regression.id)).all()


def of_project(
    session: Session,
    project_id: int,
    states: Sequence[str] = (),
    commit_id: int | None = None,
) -> Sequence[tables.Regression]:
    """Return changes of a project, the newest cause first.

    Parameters
    ----------
    commit_id
        Only those whose cause begins or ends at this commit, if it is given.
    """
    wanted = (
        select(tables.Regression)
        .join(tables.Project, tables.Project.id == tables.Regression.project_id)
        .where(
            tables.Regression.project_id == project_id,
            tables.Regression.kind.not_in(FINDINGS),
        )
        .order_by(tables.Regression.opened_at.desc(), tables.Regression.id.desc())
    )
    if states:
        wanted = wanted.where(tables.Regression.state.in_(states))
    if commit_id is not None:
        ends = (tables.Regression.first_commit_id, tables.Regression.last_commit_id)
        wanted = wanted.where(or_(*(end == commit_id for end in ends)))
    return session.scalars(wanted).all()


def worse_anywhere(session: Session, state: str) -> Sequence[tables.Regression]:
    """Return changes for the worse of all visible projects, the newest first."""
    wanted = (
        select(tables.Regression)
        .join(tables.Project, tables.Project.id == tables.Regression.project_id)
        .where(tables.Regression.state == state, tables.Regression.is_worse)
        .order_by(tables.Regression.opened_at.desc(), tables.Regression.id.desc())
    )
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
    row = session.scalar(
        select(tables.Regression).where(
            tables.Regression.id == regression_id,
            tables.Regression.project_id == project_id,
        )
    )
    if row is None:
        raise NotFound("regression", regression_id)
    return row


def begun_at(
    session: Session, project_id: int, sha: str, region: str
) -> Sequence[tables.Regression]:
    """Return regressions of a region whose cause begins at a commit, newest first.

    Parameters
    ----------
    sha
        Hash of the commit, or the beginning of it.
    """
    regression = tables.Regression
    of_region = (
        select(tables.Shift.regression_id)
        .join(tables.Series, tables.Series.id == tables.Shift.series_id)
        .where(tables.Series.region == region)
    )
    wanted = (
        select(regression)
        .join(tables.Commit, tables.Commit.id == regression.first_commit_id)
        .where(
            regression.project_id == project_id,
            tables.Commit.sha.startswith(sha, autoescape=True),
            regression.id.in_(of_region),
        )
        .order_by(regression.opened_at.desc(), regression.id.desc())
    )
    return session.scalars(wanted).all()


def members(session: Session, regression_ids: Sequence[int]) -> dict[int, list[Member]]:
    """Return the series that each regression is about."""
    by_regression: dict[int, list[Member]] = {}
    for row in session.execute(_members(), {"regressions": [*regression_ids]}).all():
        *known, configuration, first, last, details = row
        parts = (*known, _settings(configuration), first, last, _details(details))
        member = Member._make(parts)
        by_regression.setdefault(member.regression_id, []).append(member)
    return by_regression


@cache
def _members() -> Select[Any]:
    shift, series, machine, configuration = (
        kind.__table__
        for kind in (tables.Shift, tables.Series, tables.Machine, tables.Configuration)
    )
    return (
        select(
            shift.c.regression_id,
            shift.c.series_id,
            series.c.region,
            series.c.metric,
            series.c.machine_id,
            machine.c.name,
            cast(configuration.c.settings, Text),
            shift.c.first_commit_id,
            shift.c.last_commit_id,
            cast(shift.c.details, Text),
        )
        .join(series, series.c.id == shift.c.series_id)
        .join(machine, machine.c.id == series.c.machine_id)
        .join(configuration, configuration.c.id == series.c.configuration_id)
        .where(is_among(shift.c.regression_id, "regressions"))
        .order_by(series.c.region, machine.c.name, series.c.id)
    )


class NamedPlace(NamedTuple):
    """A region on a machine that a regression is about, beside others of its commit."""

    regression_id: int
    first_commit_id: int
    kind: str
    is_worse: bool
    region: str
    machine: str


def named_places(session: Session, regression_ids: Sequence[int]) -> list[NamedPlace]:
    """Return what regressions are about that begin where any of these do, newest first.

    They are told from each other by what they are about.
    """
    regression, shift, series, machine = (
        kind.__table__
        for kind in (tables.Regression, tables.Shift, tables.Series, tables.Machine)
    )
    begun = regression.alias()
    rows = session.execute(
        select(
            regression.c.id,
            regression.c.first_commit_id,
            regression.c.kind,
            regression.c.is_worse,
            series.c.region,
            machine.c.name,
        )
        .join(shift, shift.c.regression_id == regression.c.id)
        .join(series, series.c.id == shift.c.series_id)
        .join(machine, machine.c.id == series.c.machine_id)
        .where(
            regression.c.first_commit_id.in_(
                select(begun.c.first_commit_id).where(
                    is_among(begun.c.id, "regressions")
                )
            )
        )
        .order_by(regression.c.opened_at.desc(), regression.c.id.desc()),
        {"regressions": [*regression_ids]},
    )
    return [NamedPlace._make(row) for row in rows]


def shifts_of(session: Session, series: Collection[int]) -> list[RegressionShift]:
    """Return the shifts of series, not those of withdrawn suspicions."""
    rows = session.execute(_shifts(), {"series": [*series]}).all()
    return [
        RegressionShift._make((*known, _details(details))) for *known, details in rows
    ]


@cache
def _shifts() -> Select[Any]:
    shift, regression = tables.Shift.__table__, tables.Regression.__table__
    columns = {**regression.c, **shift.c, "details": cast(shift.c.details, Text)}
    return (
        select(*(columns[name] for name in RegressionShift._fields))
        .join(regression, regression.c.id == shift.c.regression_id)
        .where(is_among(shift.c.series_id, "series"), ~_is_withdrawn(regression))
    )


def _is_withdrawn(regression: FromClause) -> ColumnElement[bool]:
    return and_(regression.c.state == "fixed", regression.c.fixed_commit_id.is_(None))


def shifted_between(
    session: Session, project_id: int, since: datetime, until: datetime
) -> list[DatedShift]:
    """Return what changed in a project between two moments, oldest change first.

    Without withdrawn suspicions, and with what became worse before and is still open.
    """
    bound = {"project": project_id, "since": since, "until": until}
    return [
        DatedShift._make(row) for row in session.execute(_dated_shifts(), bound).all()
    ]


@cache
def _dated_shifts() -> Select[Any]:
    shift, regression, commit = (
        kind.__table__ for kind in (tables.Shift, tables.Regression, tables.Commit)
    )
    made = func.coalesce(commit.c.committed_at, commit.c.first_run_at)
    kind = commit.c.first_run_at.type
    since, until = (bindparam(name, type_=kind) for name in ("since", "until"))
    is_open = and_(regression.c.is_worse, regression.c.state == "open")
    return (
        select(shift.c.series_id, regression.c.id, regression.c.is_worse, made)
        .join(regression, regression.c.id == shift.c.regression_id)
        .join(commit, commit.c.id == shift.c.last_commit_id)
        .where(
            regression.c.project_id == bindparam("project"),
            made <= until,
            or_(made >= since, is_open),
            ~_is_withdrawn(regression),
        )
        .order_by(made, shift.c.series_id)
    )


def events(
    session: Session, regression_ids: Sequence[int]
) -> dict[int, list[tables.RegressionEvent]]:
    """Return what happened to each regression, oldest first."""
    rows = session.scalars(
        select(tables.RegressionEvent)
        .where(tables.RegressionEvent.regression_id.in_(regression_ids))
        .order_by(tables.RegressionEvent.id)
    )
    events: dict[int, list[tables.RegressionEvent]] = {}
    for row in rows:
        events.setdefault(row.regression_id, []).append(row)
    return events


@lru_cache(maxsize=4096)
def _details(text: str) -> ShiftDetails:
    """Return stored details; many histories are about the same changes."""
    return ShiftDetails.from_json(orjson.loads(text))


@lru_cache(maxsize=4096)
def _settings(text: str) -> dict[str, Any]:
    """Return a stored configuration; many series share it."""
    configuration: dict[str, Any] = orjson.loads(text)
    return configuration


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
        inserts.put(
            session,
            tables.Shift,
            [{"regression_id": regression_id, **row} for row in changed],
            keys=("regression_id", "series_id"),
        )


def put_detection(session: Session, project_id: int, details: dict[str, Any]) -> None:
    """Store what the newest look found out about the whole project."""
    row = {"project_id": project_id, "at": tables.now(), "details": details}
    inserts.put(session, tables.Detection, [row], keys=("project_id",))


def detection_of(session: Session, project_id: int) -> tables.Detection | None:
    """Return what the newest look found out, if there was one."""
    return session.get(tables.Detection, project_id)
