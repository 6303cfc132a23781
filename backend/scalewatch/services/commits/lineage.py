"""The order of a project's commits: by ancestry where it is known, else by time.

The line leads to the newest commit of a branch. Commits that are proven to have left
it, a branch of its own or what a force push has replaced, are not on it. A commit whose
parents nobody has posted is placed by its time.

Hashes cannot contain themselves, names that people choose for commits can: those that
name each other as parents go in a circle. Of a circle, the links lead nowhere by which
a commit descends from one that is not older. Every circle has such a link.
"""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Self

import numpy as np

from scalewatch.figures.histories import CommitOnLine
from scalewatch.services.commits.find import SHORT, Commit, commit_of
from scalewatch.storage.commits.commits import AnyCommit

LONG_GAP: Final = timedelta(days=60)

KEPT: Final = 8
"""Lines that are kept: a project has a few, of hundreds of commits."""

USUAL_MAIN: Final[tuple[str, ...]] = ("main", "master")
"""Names of main branches, the first that there is."""

MOST_CIRCULAR: Final = 3
"""Links of circles that are named; of further ones their number is told."""

Link = tuple[str, str]
"""A commit and its parent."""


@dataclass(frozen=True)
class Ancestry:
    """The links between commits that are known.

    Parameters
    ----------
    by_sha
        The commits.
    parents
        Of each commit, those that are known.
    circular
        Links that would close a circle, left out of `parents`.
    """

    by_sha: Mapping[str, AnyCommit]
    parents: Mapping[str, tuple[str, ...]]
    circular: tuple[Link, ...]

    @classmethod
    def of(cls, commits: Iterable[AnyCommit]) -> Self:
        """Return the ancestry of commits, as far as they name each other."""
        by_sha = {commit.sha: commit for commit in commits}
        links = {
            sha: tuple(p for p in dict.fromkeys(commit.parents) if p in by_sha)
            for sha, commit in by_sha.items()
        }
        circular = _circular(by_sha, links)
        for sha, parent in circular:
            links[sha] = tuple(each for each in links[sha] if each != parent)
        return cls(by_sha, links, circular)

    @cached_property
    def children(self) -> Mapping[str, Sequence[str]]:
        """The commits that descend from each commit at once."""
        children: dict[str, list[str]] = {}
        for sha, parents in self.parents.items():
            for parent in parents:
                children.setdefault(parent, []).append(sha)
        return children

    def ancestors(self, commit: AnyCommit) -> set[str]:
        """Return a commit and all of its ancestors."""
        return _reached([commit.sha], self.parents)

    def descendants(self, shas: Iterable[str]) -> set[str]:
        """Return commits and all of their descendants."""
        return _reached(shas, self.children)


def moment(commit: AnyCommit) -> datetime:
    """Return when a commit was made or, where nobody said, first measured."""
    return commit.committed_at or commit.first_run_at


def age(commit: AnyCommit) -> tuple[datetime, int]:
    """Return the key that sorts commits by time, oldest first."""
    return moment(commit), commit.id


def merge_base(
    commit: AnyCommit, line: Sequence[AnyCommit], ancestry: Ancestry
) -> AnyCommit | None:
    """Return where a commit left a line that is in order, None if that is not known.

    That is its newest ancestor among those of the end of the line. Where a commit
    without parents cuts these off, it is its newest ancestor on the line.
    """
    ancestors = ancestry.ancestors(commit)
    shared = ancestors & ancestry.ancestors(line[-1])
    shared = shared or ancestors & {each.sha for each in line}
    return max((ancestry.by_sha[sha] for sha in shared), key=age, default=None)


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
    line_of_tip = ancestry.ancestors(tip)
    replaced = _replaced(line_of_tip, ancestry, older)
    after = moment(tip)
    aside: dict[int, str] = {}
    line = []
    for commit in commits:
        if commit.sha in line_of_tip:
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
    main = next((name for name in USUAL_MAIN if name in names), None)
    if main is None and names:
        main = max(sorted(set(names)), key=names.count)
    on_main = {c.sha: c for c in commits if main is None or c.branch in {main, None}}
    newest = max(on_main.values(), key=age)
    # Its clock may be wrong: a commit that has children is no tip.
    while children := on_main.keys() & ancestry.children.get(newest.sha, ()):
        newest = max((on_main[sha] for sha in children), key=age)
    return newest


def _replaced(line: set[str], ancestry: Ancestry, older: Collection[str]) -> set[str]:
    """Return commits that come from the line and surely do not lead back to it."""
    # A merged branch may have left the line at a commit that was never posted.
    by_sha = ancestry.by_sha
    posted = by_sha.keys() | older
    if any(
        len(by_sha[sha].parents) > 1 and not posted.issuperset(by_sha[sha].parents)
        for sha in line
    ):
        return set()
    return ancestry.descendants(line) - line


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


def _reached(shas: Iterable[str], links: Mapping[str, Sequence[str]]) -> set[str]:
    reached = set(shas)
    waiting = list(reached)
    while waiting:
        for sha in links.get(waiting.pop(), ()):
            if sha not in reached:
                reached.add(sha)
                waiting.append(sha)
    return reached


def _circular(
    by_sha: Mapping[str, AnyCommit], parents: Mapping[str, Sequence[str]]
) -> tuple[Link, ...]:
    """Return the links of circles that lead to commits that are not older.

    Without any link against time there is no circle; with one, it may be a wrong clock.
    """
    links = [(sha, parent) for sha, named in parents.items() for parent in named]
    against_time = [
        (sha, parent)
        for sha, parent in links
        if age(by_sha[parent]) >= age(by_sha[sha])
    ]
    if not against_time:
        return ()
    # Slow to load, and circles are rare.
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    number = {sha: position for position, sha in enumerate(by_sha)}
    rows, columns = np.array([[number[sha] for sha in link] for link in links]).T
    graph = coo_array(
        (np.ones(len(links), dtype=np.int8), (rows, columns)),
        shape=(len(number), len(number)),
    )
    # Commits that reach each other share a label, and so does one that reaches itself.
    _, labels = connected_components(graph, directed=True, connection="strong")
    return tuple(
        (sha, parent)
        for sha, parent in against_time
        if labels[number[sha]] == labels[number[parent]]
    )


def commits_on(line: Lineage) -> tuple[CommitOnLine, ...]:
    """Return the commits of a line as figures name them."""
    return tuple(drawn_commit(commit_of(row)) for row in line.commits)


def drawn_commit(commit: Commit) -> CommitOnLine:
    """Return a commit as figures name it."""
    return CommitOnLine(
        sha=commit.sha,
        label=commit.label,
        subject=commit.subject or "",
        made=commit.committed_at or commit.first_run_at,
        is_release=commit.tag is not None,
    )
