"""Runs on another night, asked for where machine and library cannot be told apart."""

from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.services.confirmations.requests import ask
from scalewatch.services.regressions.detection import Detected, label

SOON: Final = 5
"""Commits after a step for which the commit before it is worth another run."""


def ask_other_nights(session: Session, detected: Detected) -> None:
    """Ask for the commit before an undecided step: as slow now, it is the machine.

    Later commits tell nothing of whose the step is, so only new steps are asked about.
    """
    commits = detected.line.commits
    machines = {each.series.machine: each.series for each in detected.histories}
    for step in detected.steps:
        if step.origin is not Origin.UNDECIDED or not step.position:
            continue
        if len(commits) - step.position > SOON:
            continue
        machine_id = machines[step.machine].machine_id
        why = (
            f"all regions of {step.machine} moved at "
            f"{label(commits[step.position])}: the machine or the library?"
        )
        before = commits[step.position - 1]
        ask(session, detected.project_id, (before.id, machine_id), why)
