"""How the product is doing."""

from dataclasses import dataclass
from importlib.metadata import version

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.jobs import Queue
from scalewatch.storage import projects, runs


@dataclass(frozen=True, slots=True)
class Status:
    """What is there and what is to be done."""

    version: str
    database: str
    projects: int
    runs: int
    jobs: Queue


def status(session: Session) -> Status:
    """Return what is there and what is to be done."""
    return Status(
        version=version("scalewatch"),
        database=session.get_bind().dialect.name,
        projects=projects.count(session),
        runs=runs.count(session),
        jobs=jobs.queue(session),
    )
