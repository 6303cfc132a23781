"""The expectations of a project in force, growths and composed models: read once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Self

from sqlalchemy import Row
from sqlalchemy.orm import Session

from scalewatch.modelling import (
    Formula,
    Growth,
    default_deviation_limit,
    parse_formula,
    parse_growth,
)
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import once
from scalewatch.storage.judgements import expectations


@dataclass(frozen=True, slots=True)
class Expectation:
    """Growth that the authors expect of a region's metric: the version in force.

    Parameters
    ----------
    id
        Of its row, which verdicts by it name; not part of an answer.
    growth, deviation_limit
        E and D, the default one where none was declared.
    """

    id: int
    region: str
    metric: str
    growth: Growth
    deviation_limit: Growth
    version: int
    author: str
    reason: str | None
    declared_at: datetime

    def is_about(self, parameters: Sequence[str]) -> bool:
        """Tell whether E and D depend on no other parameters."""
        named = {*self.growth.parameters, *self.deviation_limit.parameters}
        return named <= set(parameters)

    def along(self, followers: Mapping[str, str]) -> Self:
        """Return it by the parameters of a scan that others follow in proportion.

        O(1/nodes) is O(1/p) where each node has the same number of processes.
        """
        return replace(
            self,
            growth=self.growth.renamed(followers),
            deviation_limit=self.deviation_limit.renamed(followers),
        )

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields as answers show them beside its region and metric."""
        return {
            "growth": str(self.growth),
            "deviation_limit": str(self.deviation_limit),
            "version": self.version,
            "author": self.author,
            "reason": self.reason,
            "declared_at": self.declared_at,
        }


Expectations = Mapping[tuple[str, str], Expectation]
"""By region and metric, in this order."""


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
        """Its fields as answers show them beside its region and metric."""
        return {
            "formula": str(self.formula),
            "version": self.version,
            "author": self.author,
            "reason": self.reason,
            "declared_at": self.declared_at,
        }


Compositions = Mapping[tuple[str, str], ComposedExpectation]
"""By region and metric, in this order."""


def in_force(session: Session, project_id: int) -> Expectations:
    """Return the expectations of a project; a withdrawn one is not in force."""
    return once(
        session,
        ("expectations in force", project_id),
        lambda: {
            (row.region, row.metric): _expectation(row)
            for row in expectations.of_project(session, project_id)
        },
    )


def listed(session: Session, project_name: str) -> list[dict[str, object]]:
    """Return the expectations of a project as answers list them, by region and metric.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    return [
        {"region": each.region, "metric": each.metric, **each.as_json}
        for each in in_force(session, project.id).values()
    ]


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


def listed_compositions(session: Session, project_name: str) -> list[dict[str, object]]:
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


def ids_in_force(session: Session, project_id: int) -> Sequence[int]:
    """Return the ids of all expectations in force, growths and composed models."""
    return once(
        session,
        ("ids of expectations in force", project_id),
        lambda: expectations.ids_in_force(session, project_id),
    )


@lru_cache(maxsize=4096)
def limit_of(growth: Growth, declared: str | None) -> Growth:
    """Return the deviation limit of an expectation: as declared, else the default."""
    if declared is None:
        return default_deviation_limit(growth)
    return parse_growth(declared)


@lru_cache(maxsize=4096)
def _expectation(row: Row[Any]) -> Expectation:
    """Return the expectation of a row; pages read the same few again and again."""
    growth = parse_growth(row.growth)
    return Expectation(
        id=row.id,
        region=row.region,
        metric=row.metric,
        growth=growth,
        deviation_limit=limit_of(growth, row.deviation_limit),
        version=row.version,
        author=row.author,
        reason=row.reason,
        declared_at=row.declared_at,
    )
