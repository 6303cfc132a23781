"""Summaries of a project for feeds and badges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Mark, Verdict, direction, parse_growth
from scalewatch.services.caches import kept_of
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.expectations.in_force import ids_in_force
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.judgements import editions, verdicts
from scalewatch.storage.judgements.verdicts import Counted

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
