"""Models and how they were judged: read them, and write them anew."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    JSON,
    ColumnElement,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    func,
    select,
)
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import Row as NewRow
from scalewatch.storage.database.lists import among, is_among
from scalewatch.storage.judgements import probabilities
from scalewatch.storage.judgements.probabilities import NOTHING, Likely


class Modelled(NamedTuple):
    """A model of a series, the noise that it assumes, and a verdict on it.

    The defaults are those of a series without a model. JSON is undecoded text.

    Parameters
    ----------
    reason
        Why there is no model.
    fit
        What is known of exact counts and of misfit, as JSON.
    expectation_id
        By which it was judged; None if it was not.
    verdict_reason
        Why the verdict is not another one.
    likely
        How probable growths and verdicts are.
    """

    series_id: int = 0
    rule: str | None = None
    noise: str | None = None
    points: int = 0
    repetitions: int = 0
    constant: float | None = None
    terms: str = "[]"
    growth: str | None = None
    adjusted_r2: float | None = None
    smape: float | None = None
    reason: str | None = None
    modelled_at: datetime | None = None
    fit: str | None = None
    expectation_id: int | None = None
    deviation_limit: str | None = None
    divergence: str | None = None
    verdict: str | None = None
    verdict_reason: str | None = None
    likely: Likely = NOTHING

    @property
    def unjudged(self) -> "Modelled":
        """The model without the verdict on it."""
        return self._replace(
            expectation_id=None,
            deviation_limit=None,
            divergence=None,
            verdict=None,
            verdict_reason=None,
            likely=self.likely.judged_by(None),
        )


_STORED: Final = tuple(name for name in Modelled._fields if name != "likely")
"""Fields of `Modelled` that are columns."""


def measured_series(
    session: Session, commit_ids: Collection[int], series_ids: Collection[int]
) -> Mapping[int, frozenset[int]]:
    """Return which of some series each of some commits measured."""
    model = tables.Model.__table__.c
    wanted = select(model.commit_id, model.series_id).where(
        is_among(model.commit_id, "commits"), is_among(model.series_id, "series")
    )
    bound = {"commits": list(commit_ids), "series": sorted(series_ids)}
    held: dict[int, set[int]] = {}
    for commit_id, series_id in session.execute(wanted, bound):
        held.setdefault(commit_id, set()).add(series_id)
    return {commit_id: frozenset(ids) for commit_id, ids in held.items()}


def _columns(fields: Sequence[str], *sources: Any) -> list[Any]:
    """Return the columns of tables that have these names, JSON as text."""
    columns = dict(c for each in reversed(sources) for c in each.items())
    chosen = (columns[name] for name in fields)
    return [cast(c, Text) if isinstance(c.type, JSON) else c for c in chosen]


def _is_about(verdict: Any, model: Any) -> ColumnElement[bool]:
    return and_(
        verdict.commit_id == model.commit_id, verdict.series_id == model.series_id
    )


def models_at(
    session: Session,
    commit_id: int,
    metrics: Collection[str],
    regions: Collection[str] | None = None,
    machines: Collection[int] | None = None,
) -> dict[int, list[Modelled]]:
    """Return models at a commit by series, of some regions and machines or of all.

    A model comes once for each expectation that it was compared with, with the verdict.
    A page shows hundreds of them: no entity is built for any.
    """
    bound = {
        "commit": commit_id,
        "metrics": [*metrics],
        "regions": [*(regions or ())],
        "machines": [*(machines or ())],
    }
    compared = _compared(
        of_regions=regions is not None, of_machines=machines is not None
    )
    rows = session.execute(compared, bound).all()
    is_part = regions is not None or machines is not None
    of_some = {row.series_id for row in rows} if is_part else None
    likely = probabilities.at(session, commit_id, of_some, machines)
    models: dict[int, list[Modelled]] = {}
    for row in rows:
        shares = likely.get(row.series_id, NOTHING).judged_by(row.expectation_id)
        models.setdefault(row.series_id, []).append(Modelled._make((*row, shares)))
    return models


def outlines_at(
    session: Session, commit_id: int, metrics: Collection[str]
) -> dict[int, list[Modelled]]:
    """Return what tables count and sort of the models at a commit, by series.

    Growths and verdicts without coefficients and probabilities, so that few differ: a
    model that is there has the constant 0.
    """
    bound = {"commit": commit_id, "metrics": [*metrics]}
    models: dict[int, list[Modelled]] = {}
    for row in session.execute(_outlined(), bound):
        models.setdefault(row.series_id, []).append(
            Modelled(
                constant=None if row.constant is None else 0.0,
                growth=row.growth,
                reason=row.reason,
                expectation_id=row.expectation_id,
                divergence=row.divergence,
                verdict=row.verdict,
                verdict_reason=row.verdict_reason,
            )
        )
    return models


@cache
def _outlined() -> Select[Any]:
    model, series, verdict = (
        kind.__table__ for kind in (tables.Model, tables.Series, tables.Verdict)
    )
    return (
        select(
            model.c.series_id,
            model.c.constant,
            model.c.growth,
            model.c.reason,
            verdict.c.expectation_id,
            verdict.c.divergence,
            verdict.c.verdict,
            verdict.c.reason.label("verdict_reason"),
        )
        .join(series, series.c.id == model.c.series_id)
        .outerjoin(verdict, _is_about(verdict.c, model.c))
        .where(
            model.c.commit_id == bindparam("commit"),
            is_among(series.c.metric, "metrics"),
        )
    )


@cache
def _compared(*, of_regions: bool, of_machines: bool) -> Select[Any]:
    model, series, assumed, verdict = (
        kind.__table__
        for kind in (tables.Model, tables.Series, tables.Assumption, tables.Verdict)
    )
    models = (
        select(
            *_columns(
                _STORED,
                model.c,
                assumed.c,
                verdict.c,
                {"verdict_reason": verdict.c.reason},
            )
        )
        .join(series, series.c.id == model.c.series_id)
        .outerjoin(
            assumed,
            (assumed.c.commit_id == model.c.commit_id)
            & (assumed.c.machine_id == series.c.machine_id)
            & (assumed.c.metric == series.c.metric),
        )
        .outerjoin(verdict, _is_about(verdict.c, model.c))
        .where(model.c.commit_id == bindparam("commit"))
        .where(is_among(series.c.metric, "metrics"))
    )
    if of_regions:
        models = models.where(is_among(series.c.region, "regions"))
    if of_machines:
        models = models.where(is_among(series.c.machine_id, "machines"))
    return models


class Stepped(NamedTuple):
    """A model of a series at a commit, with verdict and version.

    The version is that of the expectation which judged; `terms` is JSON that nobody
    has decoded yet.
    """

    series_id: int
    commit_id: int
    constant: float | None
    terms: str
    growth: str | None
    verdict: str | None
    divergence: str | None
    version: int | None


def steps_of(
    session: Session, series: Collection[int], commit_ids: Collection[int]
) -> list[Stepped]:
    """Return the models of series at commits.

    A model that was judged by several expectations comes once for each, the newest
    version last.
    """
    bound = {"series": [*series], "commits": [*commit_ids]}
    return list(map(Stepped._make, session.execute(_stepped(), bound).all()))


@cache
def _stepped() -> Select[Any]:
    model, verdict, expectation = (
        kind.__table__ for kind in (tables.Model, tables.Verdict, tables.Expectation)
    )
    return (
        select(*_columns(Stepped._fields, model.c, verdict.c, expectation.c))
        .outerjoin(verdict, _is_about(verdict.c, model.c))
        .outerjoin(expectation, expectation.c.id == verdict.c.expectation_id)
        .where(
            is_among(model.c.series_id, "series"),
            is_among(model.c.commit_id, "commits"),
        )
        .order_by(expectation.c.version)
    )


def lines_at(
    session: Session, commit_ids: Collection[int], metric: str
) -> Sequence[Row[int, int, str | None, str | None, str | None]]:
    """Return series, commit, growth, verdict and divergence of a metric's models.

    A model that was judged by several expectations comes once for each, the newest
    expectation last.
    """
    return session.execute(
        select(
            tables.Model.series_id,
            tables.Model.commit_id,
            tables.Model.growth,
            tables.Verdict.verdict,
            tables.Verdict.divergence,
        )
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .outerjoin(tables.Verdict, _is_about(tables.Verdict, tables.Model))
        .where(tables.Model.commit_id.in_(commit_ids), tables.Series.metric == metric)
        .order_by(tables.Verdict.expectation_id)
    ).all()


def judged_at(
    session: Session, series_ids: Collection[int], commit_ids: Collection[int]
) -> Sequence[Row[int, int, str, str | None]]:
    """Return series, commit, verdict and divergence; by the newest expectation last."""
    verdict = tables.Verdict
    return session.execute(
        select(
            verdict.series_id, verdict.commit_id, verdict.verdict, verdict.divergence
        )
        .where(
            among(verdict.series_id, series_ids), among(verdict.commit_id, commit_ids)
        )
        .order_by(verdict.expectation_id)
    ).all()


def growths_at(
    session: Session, commit_id: int, series_ids: Sequence[int]
) -> dict[int, str | None]:
    """Return the growth of the model of each of some series at a commit."""
    bound = {"series": [*series_ids], "commits": [commit_id]}
    return dict(map(tuple, session.execute(_growths(), bound).all()))


@cache
def _growths() -> Select[Any]:
    model = tables.Model.__table__.c
    return select(model.series_id, model.growth).where(
        is_among(model.series_id, "series"), is_among(model.commit_id, "commits")
    )


class Counted(NamedTuple):
    """How often a verdict was reached with a divergence at a commit, and when last."""

    verdict: str
    divergence: str | None
    number: int
    at: datetime


def counts_at(
    session: Session, commit_id: int, expectation_ids: Collection[int]
) -> list[Counted]:
    """Count the verdicts at a commit by some expectations.

    Of several commits at once, PostgreSQL would rather read the verdicts of all.
    """
    bound = {"commit": commit_id, "expectations": [*expectation_ids]}
    return list(map(Counted._make, session.execute(_counts(), bound).all()))


def is_any_at(session: Session, commit_id: int) -> bool:
    """Tell whether anything was judged at a commit."""
    judged = select(tables.Verdict.series_id).where(
        tables.Verdict.commit_id == commit_id
    )
    return session.scalar(judged.limit(1)) is not None


@cache
def _counts() -> Select[Any]:
    verdict = tables.Verdict.__table__.c
    is_in_force = is_among(verdict.expectation_id, "expectations")
    return (
        select(
            verdict.verdict,
            verdict.divergence,
            func.count(),
            func.max(verdict.judged_at),
        )
        .where(verdict.commit_id == bindparam("commit"), is_in_force)
        .group_by(verdict.verdict, verdict.divergence)
    )


def put_models(session: Session, rows: Sequence[NewRow]) -> None:
    """Insert or replace models."""
    inserts.put(session, tables.Model, rows, keys=("commit_id", "series_id"))


def put_verdicts(session: Session, rows: Sequence[NewRow]) -> None:
    """Insert or replace the verdicts on models by expectations."""
    keys = ("commit_id", "series_id", "expectation_id")
    inserts.put(session, tables.Verdict, rows, keys=keys)
