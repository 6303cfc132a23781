"""Rules of the gate as a project declares them, version by version."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.common_mode.project_history import KEY as SMALLEST
from scalewatch.services.common_mode.project_history import (
    SMALLEST_EFFECT,
    stated_effect,
)
from scalewatch.services.gates.rules import USUAL, GateRule, Rules
from scalewatch.services.shared_cores import TREATED, Treatment, declared
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import gate_rules


@dataclass(frozen=True, slots=True)
class GateRules(Rules):
    """A version of a project's rules.

    Parameters
    ----------
    regions
        Rules of single regions.
    target
        The settings at which effects are told, such as p; those that are not named
        are taken to be a multiple of the largest measured.
    oversubscribed, disturbed
        What becomes of times that were measured while processes shared cores, and of
        those of jobs of which others took processors.
    smallest_effect
        The share by which a series has to change for anybody to be told.
    scale
        The axis of efficiencies and scaling errors where several vary together.
    version
        0: nobody declared any.
    """

    version: int = 0
    rule: GateRule = USUAL
    regions: Mapping[str, GateRule] = field(default_factory=dict)
    target: Mapping[str, float] = field(default_factory=dict)
    oversubscribed: Treatment = Treatment.UNDECIDED
    disturbed: Treatment = Treatment.UNDECIDED
    smallest_effect: float = SMALLEST_EFFECT
    scale: str | None = None
    author: str | None = None
    reason: str | None = None
    declared_at: datetime | None = None


def rules_of(session: Session, project_name: str) -> GateRules:
    """Return the rules in force.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    return rules_in_force(session, projects.existing(session, project_name).id)


def rules_in_force(session: Session, project_id: int) -> GateRules:
    """Return the rules of a project that exists."""
    row = gate_rules.newest(session, project_id)
    return GateRules() if row is None else _rules(row)


def declare(  # noqa: PLR0913 - one per part of a version
    session: Session,
    project_name: str,
    rules: Mapping[str, Any],
    target: Mapping[str, float],
    *,
    author: str,
    reason: str | None,
) -> GateRules:
    """State the rules of a project; what is as before keeps its version.

    Parameters
    ----------
    rules
        Fields of `GateRule`, by region below `regions` those that differ there,
        `oversubscribed`, `disturbed`, `smallest_effect` and `scale`.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    known = gate_rules.newest(session, project.id)
    before = _stated(known.rules if known else {})
    said = {"rules": _stated(rules), "target": dict(target)}
    if known is not None and said == {"rules": before, "target": known.target}:
        return _rules(known)
    row = gate_rules.add(
        session, project.id, {**said, "author": author, "reason": reason}
    )
    audit.note(session, "gate rules saved", project.name, f"v{row.version}", **said)
    if any(
        said["rules"][name] != before[name] for name in (*TREATED, gate_rules.SCALE)
    ):
        jobs.enqueue(session, jobs.JobKind.REANALYSE, project.id)
    if said["rules"][SMALLEST] != before[SMALLEST]:
        jobs.enqueue(session, jobs.JobKind.WATCH, project.id)
    return _rules(row)


def treat(
    session: Session,
    project_name: str,
    treatments: Mapping[str, Treatment],
    *,
    author: str,
    reason: str | None,
) -> GateRules:
    """State what becomes of times by some of the rules; the others stay.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    known = gate_rules.newest(session, project.id)
    return declare(
        session,
        project_name,
        {**(known.rules if known else {}), **treatments},
        known.target if known else {},
        author=author,
        reason=reason,
    )


def _stated(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with what earlier versions could not say."""
    return {
        **rules,
        **{name: str(said) for name, said in declared(rules).items()},
        SMALLEST: stated_effect(rules),
        gate_rules.SCALE: rules.get(gate_rules.SCALE),
    }


def _rules(row: tables.GateRules) -> GateRules:
    general = {name: row.rules[name] for name in asdict(USUAL) if name in row.rules}
    rule = replace(USUAL, **general)
    return GateRules(
        version=row.version,
        rule=rule,
        regions={
            region: replace(rule, **said)
            for region, said in row.rules.get("regions", {}).items()
        },
        target=row.target,
        **declared(row.rules),
        smallest_effect=stated_effect(row.rules),
        scale=row.rules.get(gate_rules.SCALE),
        author=row.author,
        reason=row.reason,
        declared_at=row.declared_at,
    )
