"""The machines and commits of a project that can be compared."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.services.commits.baselines import NEAREST
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits


@dataclass(frozen=True, slots=True)
class Choices:
    """Machines by first appearance; the newest commits, and all with a tag."""

    project: str
    machines: tuple[str, ...]
    commits: tuple[Commit, ...]


def choices_of(session: Session, project_name: str) -> Choices:
    """Return the choices of a comparison.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.of_project(session, project.id, limit=NEAREST)
    known = {row.id for row in newest}
    tagged = [row for row in commits.tagged(session, project.id) if row.id not in known]
    return Choices(
        project=project.name,
        machines=tuple(row.name for row in machines.of_project(session, project.id)),
        commits=tuple(map(commit_of, (*newest, *tagged))),
    )
