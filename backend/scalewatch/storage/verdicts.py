"""Queries on models and how they were judged."""

from collections.abc import Sequence

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


def at_commit(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[Row[tables.Model, tables.Verdict | None]]:
    """Return models at a commit with every verdict on them; None where unjudged."""
    models = (
        select(tables.Model, tables.Verdict)
        .join(tables.Series, tables.Series.id == tables.Model.series_id)
        .outerjoin(tables.Verdict, tables.Verdict.model_id == tables.Model.id)
        .where(tables.Model.commit_id == commit_id)
        .where(tables.Series.metric == metric)
        .order_by(tables.Verdict.expectation_id)
    )
    if region is not None:
        models = models.where(tables.Series.region == region)
    return session.execute(models).all()
