"""The composed models that a project expects: the newest versions in force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from scalewatch.modelling import Formula, parse_formula
from scalewatch.storage.access import projects
from scalewatch.storage.database.snapshots import once
from scalewatch.storage.judgements import expectations


@dataclass(frozen=True, slots=True)
class ComposedExpectation:
    """A model composed of other regions, as a version in force.

    Parameters
    ----------
    id
        Of its row, which verdicts by it name; not part of an answer.
    """

    id: int
    formula: Formula
    version: int
    author: str
    reason: str | None
    declared_at: datetime

    @property
    def as_json(self) -> dict[str, object]:
        """What answers show of it beside its region and metric."""
        return {
            "formula": str(self.formula),
            "version": self.version,
            "author": self.author,
            "reason": self.reason,
            "declared_at": self.declared_at,
        }


Compositions = Mapping[tuple[str, str], ComposedExpectation]
"""By region and metric, in this order."""


def compositions_in_force(session: Session, project_id: int) -> Compositions:
    """Return the composed models of a project."""
    return once(
        session,
        ("compositions in force", project_id),
        lambda: {
            (row.region, row.metric): ComposedExpectation(
                id=row.id,
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
        {"region": region, "metric": metric, **each.as_json}
        for (region, metric), each in compositions_in_force(session, project.id).items()
    ]


def formulas_for(
    compositions: Compositions, key: tuple[str, str]
) -> dict[str, Formula]:
    """Return all formulas by region, and that of one metric by `region:metric`, too.

    A formula names regions; `region:metric` tells one of several metrics.
    """
    formulas = {region: each.formula for (region, _), each in compositions.items()}
    formulas[":".join(key)] = formulas[key[0]] = compositions[key].formula
    return formulas


def promised_ids(session: Session, project_id: int) -> Sequence[int]:
    """Return the ids of all expectations in force, growths and composed models."""
    return once(
        session,
        ("ids of expectations in force", project_id),
        lambda: expectations.ids_in_force(session, project_id),
    )
