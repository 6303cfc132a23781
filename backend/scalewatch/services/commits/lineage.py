"""The order of a project's commits: by ancestry where it is known, else by time.

The line leads to the newest commit of a branch. What is proven to have left it, a
branch of its own or what a force push has replaced, is not on it. A commit whose
parents nobody has posted is placed by its time.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from scalewatch.services.commits.find import SHORT
from scalewatch.storage.commits.commits import AnyCommit

LONG_GAP: Final = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Commits, oldest first, and the oddities of their ancestry.

    Parameters
    ----------
    commits
        Those on the line.
    aside
        Those that have left it, with the reason, by id.
    remarks
        In words, what a reader should know about the order.
    """

    commits: tuple[AnyCommit, ...]
    aside: Mapping[int, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def lineage(commits: Sequence[AnyCommit], head: AnyCommit | None = None) -> Lineage:
    """Return the line that leads to a commit, by default to the newest one.

    Parameters
    ----------
    commits
        All of a project.
    head
        Where it leads to.
    """
    if not commits:
        return Lineage(())
    by_sha = {commit.sha: commit for commit in commits}
    tip = head or _tip(commits, by_sha)
    own = ancestors(tip, by_sha)
    after = moment(tip)
    aside: dict[int, str] = {}
    line = []
    for commit in commits:
        if commit.sha in own:
            line.append(commit)
        elif commit.branch and tip.branch and commit.branch != tip.branch:
            aside[commit.id] = f"it is on branch {commit.branch}"
        elif _has_left(commit, own, by_sha):
            aside[commit.id] = "a force push has replaced it"
        elif head is None or moment(commit) <= after:
            line.append(commit)
    ordered = _ordered(line, by_sha)
    return Lineage(ordered, aside, tuple(_remarks(ordered, aside, by_sha)))


def moment(commit: AnyCommit) -> datetime:
    """Return when a commit was made or, where nobody said, first measured."""
    return commit.committed_at or commit.first_run_at


def ancestors(commit: AnyCommit, by_sha: Mapping[str, AnyCommit]) -> set[str]:
    """Return a commit and all of its ancestors that are known."""
    found, waiting = {commit.sha}, [commit]
    while waiting:
        for sha in waiting.pop().parents:
            if sha in by_sha and sha not in found:
                found.add(sha)
                waiting.append(by_sha[sha])
    return found


def merge_base(
    one: AnyCommit, other: AnyCommit, by_sha: Mapping[str, AnyCommit]
) -> AnyCommit | None:
    """Return the newest commit that is an ancestor of both, None if none is known."""
    shared = ancestors(one, by_sha) & ancestors(other, by_sha)
    if not shared:
        return None
    return max((by_sha[sha] for sha in shared), key=lambda c: (moment(c), c.id))


def _tip(commits: Sequence[AnyCommit], by_sha: Mapping[str, AnyCommit]) -> AnyCommit:
    """Return the newest commit of the main branch."""
    names = [commit.branch for commit in commits if commit.branch]
    usual: tuple[str, ...] = ("main", "master")
    main = next((name for name in usual if name in names), None)
    if main is None and names:
        main = max(sorted(set(names)), key=names.count)
    own = [c for c in commits if main is None or c.branch in {main, None}]
    newest = max(own or commits, key=lambda c: (moment(c), c.id))
    # Its clock may be wrong: a commit that has children is no tip.
    while children := [c for c in own if newest.sha in c.parents and c is not newest]:
        newest = max(children, key=lambda c: (moment(c), c.id))
        if newest.sha not in by_sha or newest.sha in newest.parents:
            break
    return newest


def _has_left(
    commit: AnyCommit, own: set[str], by_sha: Mapping[str, AnyCommit]
) -> bool:
    """Tell whether a commit comes from the line and surely does not lead back to it."""
    if not ancestors(commit, by_sha) & own:
        return False
    # A merged branch may have left the line at a commit that was never posted.
    return not any(
        len(by_sha[sha].parents) > 1 and not set(by_sha[sha].parents) <= by_sha.keys()
        for sha in own
    )


def _ordered(
    commits: Sequence[AnyCommit], by_sha: Mapping[str, AnyCommit]
) -> tuple[AnyCommit, ...]:
    """Put parents before children and, beyond that, older commits first."""
    on_line = {commit.sha for commit in commits}
    needed = {
        c.sha: {p for p in c.parents if p in on_line and p != c.sha} for c in commits
    }
    children: dict[str, list[str]] = {}
    for sha, parents in needed.items():
        for parent in parents:
            children.setdefault(parent, []).append(sha)
    ready = [(moment(c), c.id, c.sha) for c in commits if not needed[c.sha]]
    heapq.heapify(ready)
    ordered: list[AnyCommit] = []
    while ready:
        _, _, sha = heapq.heappop(ready)
        ordered.append(by_sha[sha])
        for child in children.get(sha, ()):
            needed[child].discard(sha)
            if not needed[child]:
                commit = by_sha[child]
                heapq.heappush(ready, (moment(commit), commit.id, child))
    # Hashes cannot contain themselves; names that people choose as parents can.
    placed = {commit.sha for commit in ordered}
    rest = [commit for commit in commits if commit.sha not in placed]
    return (*ordered, *sorted(rest, key=lambda c: (moment(c), c.id)))


def _remarks(
    ordered: Sequence[AnyCommit],
    aside: Mapping[int, str],
    by_sha: Mapping[str, AnyCommit],
) -> list[str]:
    remarks = []
    unknown = [c for c in ordered[1:] if not set(c.parents) & by_sha.keys()]
    if unknown:
        remarks.append(f"{_commits(unknown)} placed by time: no parent was ever posted")
    merges = [c for c in ordered if len(c.parents) > 1]
    if merges:
        names = _name(merges[0])
        remarks.append(
            f"commit {names} is a merge"
            if len(merges) == 1
            else f"{len(merges)} commits such as {names} are merges"
        )
    late = [
        after
        for after, before in pairwise(ordered)
        if after.first_run_at > before.first_run_at
    ]
    if late:
        remarks.append(f"{_commits(late)} posted after newer ones")
    for before, after in pairwise(ordered):
        gap = moment(after) - moment(before)
        if gap > LONG_GAP:
            remarks.append(
                f"{gap.days} days without a measured commit before {_name(after)}"
            )
    for reason in dict.fromkeys(aside.values()):
        number = sum(each == reason for each in aside.values())
        remarks.append(f"{number} commit{'s' * (number > 1)} left out because {reason}")
    return remarks


def _commits(commits: Sequence[AnyCommit]) -> str:
    if len(commits) == 1:
        return f"commit {_name(commits[0])} was"
    return f"{len(commits)} commits such as {_name(commits[0])} were"


def _name(commit: AnyCommit) -> str:
    return commit.tag or commit.sha[:SHORT]
