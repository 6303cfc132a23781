"""News of projects: runs and verdicts since a position, and summaries for feeds.

Looking is cheap, so that every process of a server can look once a second: two index
reads while nothing happens.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.modelling import Mark, Verdict, direction, parse_growth
from scalewatch.services.caches import kept_of
from scalewatch.services.commits.find import Commit, commit_of, label_of
from scalewatch.services.expectations.in_force import ids_in_force
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.judgements import editions, verdicts
from scalewatch.storage.judgements.verdicts import Counted
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


ENTRIES: Final = 20
"""Commits of a feed."""

Counts = tuple[Counted, ...]


class Condition(StrEnum):
    """Whether a commit scales as expected, over all its series."""

    FINE = "as expected"
    WORSE = "mismatch"
    UNDECIDED = "undecided"
    UNKNOWN = "not judged"


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit of a feed; `at` is when it was judged last, or first measured."""

    commit: Commit
    at: datetime
    summary: str


def condition_of(
    session: Session, project_name: str
) -> tuple[Condition, Mapping[Mark, int]]:
    """Return the condition of a project's newest commit, and its verdicts.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.newest(session, project.id)
    (counted,) = _counted(session, project.id, [newest.id]) if newest else [()]
    counts = _marked(counted)
    if counts[Mark.MISMATCH]:
        return Condition.WORSE, counts
    if counts[Mark.MATCH] or counts[Mark.APPROXIMATE] or counts[Mark.BETTER]:
        return Condition.FINE, counts
    is_judged = counts[Mark.UNDECIDED] > 0
    return (Condition.UNDECIDED if is_judged else Condition.UNKNOWN), counts


def recent_changes(session: Session, project_name: str) -> tuple[Entry, ...]:
    """Return the newest commits of a project with their verdicts in words.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    rows = commits.of_project(session, project.id, limit=ENTRIES)
    counted = _counted(session, project.id, [row.id for row in rows])
    entries = []
    for row, verdicts_at in zip(rows, counted, strict=True):
        marked = _marked(verdicts_at)
        words = [f"{number} {mark}" for mark, number in marked.items() if number]
        entries.append(
            Entry(
                commit=commit_of(row),
                at=max([row.first_run_at, *(each.at for each in verdicts_at)]),
                summary=", ".join(words) or "not judged yet",
            )
        )
    return tuple(entries)


def _counted(
    session: Session, project_id: int, commit_ids: Sequence[int]
) -> Sequence[Counts]:
    """Return the verdicts by expectations in force, at each commit."""
    in_force = ids_in_force(session, project_id)
    # Read editions first, so that the counts can only be newer than they are.
    present = editions.at(session, commit_ids)

    def counted(commit_id: int) -> Counts:
        return tuple(verdicts.counts_at(session, commit_id, in_force))

    question = ("verdict counts", *in_force)
    return [
        kept_of(present.get(each), each, question, partial(counted, each))
        for each in commit_ids
    ]


def _marked(counted: Counts) -> Mapping[Mark, int]:
    """Count verdicts by their marks; every mark has an entry."""
    counts = dict.fromkeys(Mark, 0)
    for alike in counted:
        divergence = parse_growth(alike.divergence) if alike.divergence else None
        side = None if divergence is None else direction(divergence)
        counts[Mark.of(Verdict(alike.verdict), side)] += alike.number
    return counts
