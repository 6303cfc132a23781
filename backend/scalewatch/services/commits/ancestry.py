"""The ancestry of a project's commits: who descends from whom, without circles.

Hashes cannot contain themselves, names that people choose for commits can: those that
name each other as parents go in a circle. Of a circle, the links lead nowhere by which
a commit descends from one that is not older. Every circle has such a link.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self

import numpy as np

from scalewatch.storage.commits.commits import AnyCommit

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
    one: AnyCommit, other: AnyCommit, ancestry: Ancestry
) -> AnyCommit | None:
    """Return the newest commit that is an ancestor of both, None if none is known."""
    shared = ancestry.ancestors(one) & ancestry.ancestors(other)
    if not shared:
        return None
    return max((ancestry.by_sha[sha] for sha in shared), key=age)


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
    links = [(sha, parent) for sha, own in parents.items() for parent in own]
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
