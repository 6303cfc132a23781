"""A project in a few words: whether its newest commit is fine, what commits changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Verdict
from scalewatch.services.commits import Commit, commit_of
from scalewatch.storage import commits, projects, verdicts

ENTRIES: Final = 20
"""Commits of a feed."""


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
) -> tuple[Condition, Mapping[Verdict, int]]:
    """Return how the newest commit of a project is, and its verdicts.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.newest(session, project.id)
    found = verdicts.counts_at(session, [newest.id]) if newest else {}
    counts = dict.fromkeys(Verdict, 0) | {
        Verdict(word): number for (_, word), (number, _) in found.items()
    }
    return _condition(counts), counts


def recent_changes(session: Session, project_name: str) -> tuple[Entry, ...]:
    """Return the newest commits of a project with their verdicts in words.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    rows = commits.of_project(session, project.id, limit=ENTRIES)
    found = verdicts.counts_at(session, [row.id for row in rows])
    entries = []
    for row in rows:
        own = {word: each for (commit, word), each in found.items() if commit == row.id}
        counted = [f"{own[v][0]} {v}" for v in Verdict if v in own]
        judged = [at for _, at in own.values()]
        entries.append(
            Entry(
                commit=commit_of(row),
                at=max([row.first_run_at, *judged]),
                summary=", ".join(counted) or "not judged yet",
            )
        )
    return tuple(entries)


def _condition(counts: Mapping[Verdict, int]) -> Condition:
    if counts[Verdict.MISMATCH]:
        return Condition.WORSE
    if counts[Verdict.MATCH] or counts[Verdict.APPROXIMATE]:
        return Condition.FINE
    return Condition.UNDECIDED if counts[Verdict.UNDECIDED] else Condition.UNKNOWN
