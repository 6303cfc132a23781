"""Declare what is expected of a code, and read the versions of what was declared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from scalewatch.errors import FallingLimit
from scalewatch.modelling import (
    CONSTANT,
    Growth,
    parse_declared,
    parse_formula,
    parse_growth,
)
from scalewatch.modelling.compositions.composed import refuse_circles
from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.expectations import built_in
from scalewatch.services.expectations.in_force import limit_of
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.judgements import expectations
from scalewatch.wire import RunReport


@dataclass(frozen=True, slots=True)
class Declaration:
    """An expectation that somebody states for a region's metric.

    Parameters
    ----------
    growth
        A big-O expression; without a formula, None withdraws what was expected before.
    deviation_limit
        How far the measured growth may be off, as a growth; None for the default.
    formula
        A model composed of other regions, instead of a growth.
    """

    region: str
    metric: str
    growth: str | None
    deviation_limit: str | None = None
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectationVersion:
    """One version of an expectation; without growth and formula it was withdrawn.

    Parameters
    ----------
    deviation_limit
        The one in force, be it the default of the growth.
    formula
        Of a model that is composed of other regions.
    """

    version: int
    growth: Growth | None
    deviation_limit: Growth | None
    formula: str | None
    author: str
    reason: str | None
    declared_at: datetime

    @property
    def stated_limit(self) -> Growth | None:
        """The deviation limit, unless the growth alone says it."""
        if self.growth is None:
            return None
        is_default = self.deviation_limit == limit_of(self.growth, None)
        return None if is_default else self.deviation_limit


def versions(
    session: Session, project_name: str, region: str, metric: str
) -> list[ExpectationVersion]:
    """Return all versions of the expectation of a region's metric, newest first.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    stated = []
    for row in expectations.versions(session, project.id, region, metric):
        growth = None if row.growth is None else parse_growth(row.growth)
        stated.append(
            ExpectationVersion(
                version=row.version,
                growth=growth,
                deviation_limit=growth and limit_of(growth, row.deviation_limit),
                formula=row.formula,
                author=row.author,
                reason=row.reason,
                declared_at=row.declared_at,
            )
        )
    return stated


def declare(
    session: Session,
    project_name: str,
    declarations: Sequence[Declaration],
    *,
    author: str,
    reason: str | None,
) -> int | None:
    """Declare expectations and return the job that judges by them, if any changed.

    What is declared as it was before stays the version that it is; regions that
    are not mentioned keep their expectations.

    Raises
    ------
    NotFound
        If there is no such project.
    BadExpression
        If a growth or a deviation limit cannot be read.
    FallingLimit
        If a deviation limit makes no sense.
    CircularComposition
        If composed models would need each other, or themselves.
    """
    project = projects.existing(session, project_name)
    projects.lock(session, project.id)  # two authors do not make the same version
    normal = {
        (stated.region, stated.metric): normalised(stated) for stated in declarations
    }
    known = expectations.newest_versions(session, project.id)
    changed = [
        _row(
            project.id,
            declaration,
            version=known[key].version + 1 if key in known else 1,
            author=author,
            reason=reason,
        )
        for key, declaration in normal.items()
        if _declared(declaration) != _declared(known.get(key))
    ]
    if not changed:
        return None
    formulas = {key: version.formula for key, version in known.items()}
    formulas |= {key: declaration.formula for key, declaration in normal.items()}
    refuse_circles(
        {
            region: parse_formula(formula)
            for (region, _), formula in formulas.items()
            if formula is not None
        }
    )
    expectations.add(session, changed)
    audit.note(
        session,
        "expectations saved",
        project_name,
        author=author,
        regions=[row["region"] for row in changed],
    )
    return jobs.enqueue(session, jobs.JobKind.REJUDGE, project.id)


def queue_unjudged(session: Session, project_id: int) -> None:
    """Queue the analysis of all that is not compared with its newest expectation."""
    for commit_id, machine_id in expectations.unjudged(session, project_id):
        subject = jobs.AnalysedCommit(commit_id, machine_id)
        jobs.enqueue(session, jobs.JobKind.ANALYSE, project_id, str(subject))


def declare_built_in(session: Session, project_id: int, report: RunReport) -> None:
    """Declare what is published of a suite, where nothing was ever declared."""
    growths = built_in.GROWTHS.get(report.suite, {})
    measured = {(result.region, result.metric) for result in report.results}
    if not (published := measured & growths.keys()):
        return
    missing = published - expectations.declared(session, project_id)
    if not missing:
        return
    expectations.add(
        session,
        [
            _row(
                project_id,
                Declaration(*key, growths[key], built_in.DEVIATION_LIMIT),
                version=1,
                author="scalewatch",
                reason=built_in.REASONS[report.suite],
            )
            for key in sorted(missing)
        ],
    )


def normalised(declaration: Declaration) -> Declaration:
    """Return a declaration with its expressions in their normal form."""
    if declaration.formula is not None:
        formula = parse_formula(declaration.formula).text
        return replace(declaration, growth=None, deviation_limit=None, formula=formula)
    if declaration.growth is None:
        return replace(declaration, deviation_limit=None)
    growth = parse_declared(declaration.growth)
    if declaration.deviation_limit is None:
        return replace(declaration, growth=str(growth))
    limit = parse_declared(declaration.deviation_limit)
    if not limit.dominates(CONSTANT):
        raise FallingLimit(str(limit))
    return replace(declaration, growth=str(growth), deviation_limit=str(limit))


def _declared(
    version: Declaration | tables.Expectation | None,
) -> tuple[str | None, str | None, str | None]:
    """Return E, D and a formula as declared; all None where nothing is in force."""
    if version is None:
        return None, None, None
    if version.growth is None:
        return None, None, version.formula
    return version.growth, version.deviation_limit, None


def _row(
    project_id: int,
    declaration: Declaration,
    *,
    version: int,
    author: str,
    reason: str | None,
) -> Row:
    return {
        "project_id": project_id,
        "region": declaration.region,
        "metric": declaration.metric,
        "version": version,
        "growth": declaration.growth,
        "deviation_limit": declaration.deviation_limit,
        "formula": declaration.formula,
        "author": author,
        "reason": reason,
    }
