"""Measure a regression once more, because somebody asks for it."""

from sqlalchemy.orm import Session

from scalewatch.services.confirmations.requests import ask
from scalewatch.services.regressions.events import record_event
from scalewatch.services.regressions.regressions import regression_of
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions
from scalewatch.storage.machines import machines


def rerun(session: Session, project_name: str, number: int, author: str) -> None:
    """Ask the machine that shows a regression most for another run of its commit.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    project = projects.existing(session, project_name)
    row = regressions.identified(session, project.id, number)
    shown = regression_of(session, project_name, number)
    if not shown.members:
        return
    worst = shown.worst
    by_name = {each.name: each.id for each in machines.of_project(session, project.id)}
    (measured,) = commits.with_hashes(session, project.id, [worst.details.noticed_at])
    subject = (measured.id, by_name[worst.machine])
    ask(session, project.id, subject, f"{author} asks for regression {row.id}")
    record_event(session, row, author, "rerun", f"asked of {worst.machine}")
