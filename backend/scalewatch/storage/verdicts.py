"""Models and how they were judged: read them, and write them anew."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.expectations import in_force
from scalewatch.storage.inserts import Row as NewRow
from scalewatch.storage.inserts import upsert


def models_at(
    session: Session,
    commit_id: int,
    metrics: Collection[str],
    regions: Collection[str] | None = None,
) -> Sequence[Row[Any]]:
    """Return the columns of `tables.Model` at a commit, of some regions or of all.

    A page shows hundreds of them: no entity is built for any.
    """
    models = (
        select(*tables.Model.__table__.columns)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .where(tables.Model.commit_id == commit_id)
        .where(tables.Series.metric.in_(metrics))
    )
    if regions is not None:
        models = models.where(tables.Series.region.in_(regions))
    return session.execute(models).all()


def verdicts_at(
    session: Session,
    commit_id: int,
    metrics: Collection[str],
    regions: Collection[str] | None = None,
) -> Sequence[Row[Any]]:
    """Return the columns of `tables.Verdict` of every model at a commit, but when."""
    columns = tables.Verdict.__table__.columns
    judged = (
        select(*(column for column in columns if column.name != "judged_at"))
        .join(tables.Model, tables.Model.id == tables.Verdict.model_id)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .where(tables.Model.commit_id == commit_id)
        .where(tables.Series.metric.in_(metrics))
    )
    if regions is not None:
        judged = judged.where(tables.Series.region.in_(regions))
    return session.execute(judged).all()


def steps_of(
    session: Session, series: Collection[int], commit_ids: Collection[int]
) -> Sequence[Row[Any]]:
    """Return the models of series at commits, with verdict and version.

    The version is that of the expectation which judged; a model that was judged by
    several comes once for each, the newest version last.
    """
    model = tables.Model
    return session.execute(
        select(
            model.series_id,
            model.commit_id,
            model.constant,
            model.terms,
            tables.Verdict.verdict,
            tables.Expectation.version,
        )
        .outerjoin(tables.Verdict, tables.Verdict.model_id == model.id)
        .outerjoin(
            tables.Expectation, tables.Expectation.id == tables.Verdict.expectation_id
        )
        .where(model.series_id.in_(series), model.commit_id.in_(commit_ids))
        .order_by(tables.Expectation.version)
    ).all()


def lines_at(
    session: Session, commit_ids: Collection[int], metric: str
) -> Sequence[Row[int, int, str | None, str | None]]:
    """Return series, commit, growth and verdict of the models of a metric.

    A model that was judged by several expectations comes once for each, the newest
    expectation last.
    """
    return session.execute(
        select(
            tables.Model.series_id,
            tables.Model.commit_id,
            tables.Model.growth,
            tables.Verdict.verdict,
        )
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .outerjoin(tables.Verdict, tables.Verdict.model_id == tables.Model.id)
        .where(tables.Model.commit_id.in_(commit_ids), tables.Series.metric == metric)
        .order_by(tables.Verdict.expectation_id)
    ).all()


def counts_at(
    session: Session, commit_ids: Collection[int]
) -> dict[tuple[int, str], tuple[int, datetime]]:
    """Count verdicts by commit and word, those by expectations in force alone.

    Each comes with the time of the newest of them.
    """
    current = in_force().subquery()
    rows = session.execute(
        select(
            tables.Model.commit_id,
            tables.Verdict.verdict,
            func.count(),
            func.max(tables.Verdict.judged_at),
        )
        .join(tables.Model, tables.Model.id == tables.Verdict.model_id)
        .join(current, current.c.id == tables.Verdict.expectation_id)
        .where(tables.Model.commit_id.in_(commit_ids))
        .group_by(tables.Model.commit_id, tables.Verdict.verdict)
    )
    return {(commit, word): (number, at) for commit, word, number, at in rows}


def put_models(
    session: Session, commit_id: int, rows: Sequence[NewRow]
) -> dict[int, int]:
    """Insert or replace models of a commit; return their ids by series."""
    upsert(session, tables.Model, rows, keys=("series_id", "commit_id"))
    stored = session.execute(
        select(tables.Model.series_id, tables.Model.id).where(
            tables.Model.commit_id == commit_id,
            tables.Model.series_id.in_([row["series_id"] for row in rows]),
        )
    )
    return dict(stored.all())


def put_verdicts(session: Session, rows: Sequence[NewRow]) -> None:
    """Insert or replace the verdicts on models by expectations."""
    upsert(session, tables.Verdict, rows, keys=("model_id", "expectation_id"))
