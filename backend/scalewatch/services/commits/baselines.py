"""Baselines: the commit that another one is compared with, and its neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import Commit, commit_of, ever_more, find_commit
from scalewatch.services.commits.lineage import (
    USUAL_MAIN,
    Ancestry,
    age,
    lineage,
    merge_base,
)
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit

NEAREST = 30
"""Commits on either side of the present one that a list offers."""


class Relation(StrEnum):
    """Why a commit is the baseline."""

    ASKED = "asked for"
    MERGE_BASE = "merge base"
    PARENT = "parent"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True)
class RelatedCommit:
    """A parent or a child of a commit; `commit` is None where it was not measured."""

    sha: str
    commit: Commit | None


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline of a commit.

    Parameters
    ----------
    id
        Of its row.
    relation
        Why it is this commit.
    unmeasured
        Parents of the later commit that nobody measured, where the baseline is none
        of its parents: the changes in between are not known.
    """

    id: int
    commit: Commit
    relation: Relation
    unmeasured: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The commits before, after and around a commit.

    Parameters
    ----------
    older, newer
        Measured just before and just after it, by time.
    nearby
        Measured commits around it, newest first, and all that have a tag.
    """

    older: Commit | None
    newer: Commit | None
    nearby: tuple[Commit, ...]


def baseline_of(
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    reference: str | None = None,
) -> Baseline | None:
    """Return the commit that is named, else a measured parent, else an earlier commit.

    The newest earlier one of its branch comes first, then that of the main branch, then
    any; commits of unknown branch count as both. None if nothing was measured before.

    Raises
    ------
    NotFound, AmbiguousReference
        If the reference is unknown.
    """
    measured = commits.with_hashes(session, project.id, commit.parents)
    parents = measured
    if any(age(parent) >= age(commit) for parent in measured):
        # A link against time may be one of a circle: the whole ancestry shows it.
        whole = Ancestry.of(commits.of_project(session, project.id))
        parents = [each for each in measured if each.sha in whole.parents[commit.sha]]
    if reference:
        row, relation = find_commit(session, project, reference), Relation.ASKED
    elif parents:
        row, relation = parents[0], Relation.PARENT
    else:
        branches = [commit.branch] if commit.branch else USUAL_MAIN
        earlier = (
            commits.before_on(session, commit, branches)
            or commits.before_on(session, commit, USUAL_MAIN)
            or commits.before_on(session, commit)
        )
        if earlier is None:
            return None
        row, relation = earlier, Relation.EARLIER
    is_adjacent = row.sha in commit.parents or row.id == commit.id
    known = {parent.sha for parent in measured}
    missing = () if is_adjacent else tuple(s for s in commit.parents if s not in known)
    return Baseline(row.id, commit_of(row), relation, missing)


def merge_base_of(
    session: Session, project: tables.Project, row: AnyCommit
) -> str | None:
    """Return the hash of where a commit left the main line, None if it is on it.

    `scalewatch gate` asks each second until a commit is analysed: no more commits are
    read than lead from this one to the line.
    """
    if not row.parents:
        return None  # nothing tells where it left
    for newest in ever_more(session, project.id):
        ancestry = Ancestry.of(newest.commits)
        if row.sha not in ancestry.by_sha:
            continue
        line = lineage(newest.commits, older=newest.older)
        base = merge_base(row, line.commits, ancestry)
        if base is None and any(
            not newest.older.isdisjoint(ancestry.by_sha[sha].parents)
            for sha in ancestry.ancestors(row)
        ):
            continue
        if base is None or base.id == row.id or row.id not in line.aside:
            return None
        return base.sha
    return None


def parents_of(
    session: Session, project: tables.Project, commit: AnyCommit
) -> tuple[RelatedCommit, ...]:
    """Return the parents of a commit, measured or not."""
    rows = commits.with_hashes(session, project.id, commit.parents)
    known = {row.sha: commit_of(row) for row in rows}
    return tuple(RelatedCommit(str(sha), known.get(sha)) for sha in commit.parents)


def children_of(
    session: Session, project: tables.Project, commit: AnyCommit
) -> tuple[RelatedCommit, ...]:
    """Return the measured commits whose parent a commit is."""
    rows = commits.with_parent(session, project.id, commit.sha)
    return tuple(RelatedCommit(row.sha, commit_of(row)) for row in rows)


def neighbours_of(
    session: Session, project: tables.Project, commit: AnyCommit
) -> Neighbours:
    """Return the measured commits before, after and around a commit."""
    older = commits.of_project(session, project.id, before=commit, limit=NEAREST)
    newer = commits.following(session, project.id, commit, limit=NEAREST)
    tagged = commits.tagged(session, project.id)
    around: Sequence[AnyCommit] = (*reversed(newer), commit, *older)
    ids = {row.id for row in around}
    others = [row for row in tagged if row.id not in ids]
    return Neighbours(
        older=commit_of(older[0]) if older else None,
        newer=commit_of(newer[0]) if newer else None,
        nearby=tuple(map(commit_of, (*around, *others))),
    )
