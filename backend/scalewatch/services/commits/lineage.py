"""The order of a project's commits: by ancestry where it is known, else by time.

The line leads to the newest commit of a branch. What is proven to have left it, a
branch of its own or what a force push has replaced, is not on it. A commit whose
parents nobody has posted is placed by its time.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final

from scalewatch.services.commits.ancestry import Ancestry, age, moment
from scalewatch.services.commits.find import SHORT
from scalewatch.storage.commits.commits import AnyCommit

LONG_GAP: Final = timedelta(days=60)

KEPT: Final = 8
"""Lines that are kept: a project has a few, of hundreds of commits."""

MOST_CIRCULAR: Final = 3
"""Links of circles that are named; of further ones their number is told."""


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


def lineage(
    commits: Sequence[AnyCommit],
    head: AnyCommit | None = None,
    older: Collection[str] = (),
) -> Lineage:
    """Return the line that leads to a commit, by default to the newest one.

    Parameters
    ----------
    commits
        All of a project, or the newest of them.
    head
        Where it leads to.
    older
        Parents of these commits that were posted, and are not among them.
    """
    return _lineage(tuple(commits), head, frozenset(older))


# Cached by content: pages and gates ask again about the same commits.
@lru_cache(KEPT)
def _lineage(
    commits: tuple[AnyCommit, ...], head: AnyCommit | None, older: frozenset[str]
) -> Lineage:
    if not commits:
        return Lineage(())
    ancestry = Ancestry.of(commits)
    tip = head or _tip(commits, ancestry)
    own = ancestry.ancestors(tip)
    replaced = _replaced(own, ancestry, older)
    after = moment(tip)
    aside: dict[int, str] = {}
    line = []
    for commit in commits:
        if commit.sha in own:
            line.append(commit)
        elif commit.branch and tip.branch and commit.branch != tip.branch:
            aside[commit.id] = f"it is on branch {commit.branch}"
        elif commit.sha in replaced:
            aside[commit.id] = "a force push has replaced it"
        elif head is None or moment(commit) <= after:
            line.append(commit)
    ordered = _ordered(line, ancestry)
    return Lineage(ordered, aside, tuple(_remarks(ordered, aside, ancestry, older)))


def _tip(commits: Sequence[AnyCommit], ancestry: Ancestry) -> AnyCommit:
    """Return the newest commit of the main branch."""
    names = [commit.branch for commit in commits if commit.branch]
    usual: tuple[str, ...] = ("main", "master")
    main = next((name for name in usual if name in names), None)
    if main is None and names:
        main = max(sorted(set(names)), key=names.count)
    own = {c.sha: c for c in commits if main is None or c.branch in {main, None}}
    newest = max(own.values(), key=age)
    # Its clock may be wrong: a commit that has children is no tip.
    while children := own.keys() & ancestry.children.get(newest.sha, ()):
        newest = max((own[sha] for sha in children), key=age)
    return newest


def _replaced(own: set[str], ancestry: Ancestry, older: Collection[str]) -> set[str]:
    """Return commits that come from the line and surely do not lead back to it."""
    # A merged branch may have left the line at a commit that was never posted.
    by_sha = ancestry.by_sha
    posted = by_sha.keys() | older
    if any(
        len(by_sha[sha].parents) > 1 and not posted.issuperset(by_sha[sha].parents)
        for sha in own
    ):
        return set()
    return ancestry.descendants(own) - own


def _ordered(commits: Sequence[AnyCommit], ancestry: Ancestry) -> tuple[AnyCommit, ...]:
    """Put parents before children and, beyond that, older commits first."""
    on_line = {commit.sha for commit in commits}
    needed = {sha: on_line.intersection(ancestry.parents[sha]) for sha in on_line}
    ready = [(*age(c), c.sha) for c in commits if not needed[c.sha]]
    heapq.heapify(ready)
    ordered: list[AnyCommit] = []
    while ready:
        *_, sha = heapq.heappop(ready)
        ordered.append(ancestry.by_sha[sha])
        for child in on_line.intersection(ancestry.children.get(sha, ())):
            needed[child].discard(sha)
            if not needed[child]:
                heapq.heappush(ready, (*age(ancestry.by_sha[child]), child))
    return tuple(ordered)


def _remarks(
    ordered: Sequence[AnyCommit],
    aside: Mapping[int, str],
    ancestry: Ancestry,
    older: Collection[str],
) -> list[str]:
    remarks = [
        f"commit {_name(ancestry.by_sha[sha])} names {_named(sha, parent, ancestry)} "
        "as its parent, which closes a circle: this link is ignored"
        for sha, parent in ancestry.circular[:MOST_CIRCULAR]
    ]
    if more := len(ancestry.circular) - len(remarks):
        remarks.append(f"{more} more links to parents close circles and are ignored")
    posted = ancestry.by_sha.keys() | older
    unknown = [c for c in ordered[1:] if posted.isdisjoint(c.parents)]
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


def _named(sha: str, parent: str, ancestry: Ancestry) -> str:
    return "itself" if parent == sha else _name(ancestry.by_sha[parent])


def _name(commit: AnyCommit) -> str:
    return commit.tag or commit.sha[:SHORT]
