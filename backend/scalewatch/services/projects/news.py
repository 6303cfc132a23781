"""News of projects since a position: runs recorded, series judged.

Looking is cheap, so that every process of a server can look once a second: two index
reads while nothing happens.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import label_of
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.storage.runs import runs
from scalewatch.storage.work import jobs

OVERLAP: Final = timedelta(seconds=10)
"""A transaction may become visible so long after the time that it wrote down."""

MOST: Final = 1000
"""News of one look; more of them come with the next."""


MOST_WRITTEN: Final = 50
"""Jobs that a position names when it is written."""

WRITTEN: Final = r"^\d{1,9}-\d{1,16}-(\d{1,9}(\.\d{1,9}){0,49})?$"
"""How a position is written, as a part of an address."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Position:
    """The position up to which news was read.

    Parameters
    ----------
    run
        The newest run seen.
    since, jobs
        Jobs finished before are known, and these of those finished later.
    """

    run: int
    since: datetime
    jobs: frozenset[int]

    def __str__(self) -> str:
        microseconds = (self.since - _EPOCH) // timedelta(microseconds=1)
        # Of more of them some are reported twice, which does no harm.
        known = ".".join(map(str, sorted(self.jobs)[-MOST_WRITTEN:]))
        return f"{self.run}-{microseconds}-{known}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the position that was written as `text`, of the form `WRITTEN`."""
        run, microseconds, known = text.split("-")
        return cls(
            int(run),
            _EPOCH + timedelta(microseconds=int(microseconds)),
            frozenset(map(int, filter(None, known.split(".")))),
        )


@dataclass(frozen=True, slots=True)
class News:
    """News of a project: commits by their labels, and machines."""

    project: str
    commits: tuple[str, ...]
    machines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """News by project, and the position after it.

    Parameters
    ----------
    is_partial
        Whether there is more news than was looked at.
    """

    position: Position
    news: tuple[News, ...]
    is_partial: bool = False


def position_now(session: Session) -> Position:
    """Return the position after the newest run and analysis."""
    last = jobs.last_finished_at(session) or _EPOCH
    known = jobs.finished_since(session, last - OVERLAP, MOST)
    return Position(runs.newest_id(session), last, frozenset(job.id for job in known))


def look(session: Session, position: Position) -> Look:
    """Return the news since a position, by project."""
    recorded = runs.after(session, position.run, MOST)
    finished = jobs.finished_since(session, position.since - OVERLAP, MOST)
    new = [job for job in finished if job.id not in position.jobs]
    subjects = [
        AnalysedCommit.read(job.subject) for job in new if job.kind == JobKind.ANALYSE
    ]
    places = [
        *((run.project, run.sha, run.tag, run.machine) for run in recorded),
        *runs.names_of(
            session, [(each.commit_id, each.machine_id) for each in subjects]
        ),
    ]
    by_project: dict[str, tuple[dict[str, None], dict[str, None]]] = defaultdict(
        lambda: ({}, {})
    )
    for project, sha, tag, machine in places:
        commits, machines = by_project[project]
        commits[label_of(sha, tag)] = None
        machines[machine] = None
    times = [job.finished_at for job in finished if job.finished_at is not None]
    return Look(
        Position(
            run=max([position.run, *(run.id for run in recorded)]),
            since=max([position.since, *times]),
            jobs=frozenset(job.id for job in finished),
        ),
        tuple(
            News(project, tuple(commits), tuple(machines))
            for project, (commits, machines) in by_project.items()
        ),
        is_partial=MOST in {len(recorded), len(finished)},
    )
