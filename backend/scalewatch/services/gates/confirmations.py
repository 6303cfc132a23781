"""Suspicions of the gate: a change seen in a single job asks for another one."""

from sqlalchemy.orm import Session

from scalewatch.services.access.callers import Role, permit
from scalewatch.services.commits.find import find_commit
from scalewatch.services.confirmations.requests import (
    Confirmation,
    ask,
    confirmations_in,
)
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.gates.wording import GateOutcome
from scalewatch.storage.access import projects
from scalewatch.storage.machines import machines


def ask_about(
    session: Session, project_name: str, reference: str, baseline: str | None
) -> tuple[Confirmation, ...]:
    """Ask for the runs that would settle what the gate suspects of a commit.

    Returns
    -------
    tuple
        All confirming runs of the commit, newest first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or a commit is unknown.
    NotPermitted, TokenNeeded
        If who asks may not post runs of the project.
    """
    project = projects.existing(session, project_name)
    permit(session, Role.INGEST, project.name)
    row = find_commit(session, project, reference)
    gate = gate_of(session, project.name, reference, baseline)
    ids = {each.name: each.id for each in machines.of_project(session, project.id)}
    if gate.outcome is not GateOutcome.PENDING:
        for finding in gate.findings:
            if finding.is_suspicion and finding.machine in ids:
                why = f"{finding.region} ({finding.metric}) {finding.sentence}"
                ask(session, project.id, (row.id, ids[finding.machine]), why)
    return confirmations_in(session, project.id, [row.id])
