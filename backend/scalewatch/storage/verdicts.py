"""Models and how they were judged: read them, and write them anew."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.inserts import Row as NewRow
from scalewatch.storage.inserts import upsert


def models_at(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[Row[Any]]:
    """Return the columns of `tables.Model` at a commit, of one region or of all.

    A page shows hundreds of them: no entity is built for any.
    """
    models = (
        select(*tables.Model.__table__.columns)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .where(tables.Model.commit_id == commit_id)
        .where(tables.Series.metric == metric)
    )
    if region is not None:
        models = models.where(tables.Series.region == region)
    return session.execute(models).all()


def verdicts_at(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[Row[Any]]:
    """Return the columns of `tables.Verdict` of every model at a commit."""
    judged = (
        select(*tables.Verdict.__table__.columns)
        .join(tables.Model, tables.Model.id == tables.Verdict.model_id)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .where(tables.Model.commit_id == commit_id)
        .where(tables.Series.metric == metric)
    )
    if region is not None:
        judged = judged.where(tables.Series.region == region)
    return session.execute(judged).all()


def of_series(
    session: Session, series_id: int
) -> Sequence[Row[tables.Model, tables.Verdict | None, int | None]]:
    """Return the models of a series at all commits, with each verdict and the version.

    The version is that of the expectation which judged.
    """
    return session.execute(
        select(tables.Model, tables.Verdict, tables.Expectation.version)
        .outerjoin(tables.Verdict, tables.Verdict.model_id == tables.Model.id)
        .outerjoin(
            tables.Expectation, tables.Expectation.id == tables.Verdict.expectation_id
        )
        .where(tables.Model.series_id == series_id)
        .order_by(tables.Model.commit_id, tables.Expectation.version)
    ).all()


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
