"""The composed models that a project expects: the newest versions in force."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from scalewatch.modelling import Formula, parse_formula
from scalewatch.storage.access import projects
from scalewatch.storage.database.snapshots import once
from scalewatch.storage.judgements import expectations


@dataclass(frozen=True, slots=True)
class ComposedExpectation:
    """A model composed of other regions, as a version in force."""

    formula: Formula
    version: int
    author: str
    reason: str | None
    declared_at: datetime


Compositions = Mapping[tuple[str, str], ComposedExpectation]
"""By region and metric, in this order."""


def compositions_in_force(session: Session, project_id: int) -> Compositions:
    """Return the composed models of a project."""
    return once(
        session,
        ("compositions in force", project_id),
        lambda: {
            (row.region, row.metric): ComposedExpectation(
                formula=parse_formula(row.formula or ""),
                version=row.version,
                author=row.author,
                reason=row.reason,
                declared_at=row.declared_at,
            )
            for row in expectations.composed_of(session, project_id)
        },
    )


def listed(session: Session, project_name: str) -> list[dict[str, object]]:
    """Return the composed models of a project as answers list them.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    return [
        {
            "region": region,
            "metric": metric,
            "formula": str(each.formula),
            "version": each.version,
            "author": each.author,
            "reason": each.reason,
            "declared_at": each.declared_at,
        }
        for (region, metric), each in compositions_in_force(session, project.id).items()
    ]
