"""Commits of stores in the order in which they were made: by parents, then by time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from graphlib import CycleError
from typing import NamedTuple

from scalewatch.errors import NoStore
from scalewatch.services.files.commits import made_in_order
from scalewatch.stores.files import Head, plain
from scalewatch.stores.store import Contents, StoredFile

BEFORE = 120
"""Commits before one that its gate reads: more than any rule of it looks back."""


class CommitFiles(NamedTuple):
    """A commit of a project, with the files that tell of it.

    Parameters
    ----------
    project
        As the names of its files have it.
    moment
        When it was made; None where no file says so.
    """

    project: str
    sha: str
    parents: tuple[str, ...]
    moment: datetime | None
    tag: str | None
    files: tuple[StoredFile, ...]


def commits_in_order(
    contents: Contents, chosen: Iterable[StoredFile]
) -> list[CommitFiles]:
    """Return the commits of projects, each after its parents, else by time.

    A file is of one commit: that of its first line which tells one.
    """
    parts: dict[tuple[str, str], list[tuple[StoredFile, Head]]] = defaultdict(list)
    for file, head in contents.heads(chosen):
        parts[file.project, head.sha].append((file, head))
    by_project: dict[str, dict[str, CommitFiles]] = defaultdict(dict)
    for (project, sha), heads in parts.items():
        by_project[project][sha] = CommitFiles(
            project,
            sha,
            next((head.parents for _, head in heads if head.parents), ()),
            max((h.committed_at for _, h in heads if h.committed_at), default=None),
            next((head.tag for _, head in heads if head.tag), None),
            tuple(sorted((file for file, _ in heads), key=lambda file: file.name)),
        )
    return [
        known[sha] for _, known in sorted(by_project.items()) for sha in _order(known)
    ]


def _order(known: Mapping[str, CommitFiles]) -> Sequence[str]:
    # By name where nothing else tells, so that no order of files decides.
    named = {sha: known[sha] for sha in sorted(known)}
    parents = {
        sha: [each for each in commit.parents if each in named and each != sha]
        for sha, commit in named.items()
    }
    times = {sha: each.moment for sha, each in named.items() if each.moment}
    try:
        return made_in_order(parents, times)[0]
    except CycleError:
        return made_in_order({sha: [] for sha in named}, times)[0]


def only_project(contents: Contents, project: str | None) -> Contents:
    """Return the files of a project, of the only one if none is named.

    Raises
    ------
    NoStore
        If there is no such project, or nothing says which of several.
    """
    known = sorted({file.project for file in contents.files})
    wanted = known[0] if project is None and len(known) == 1 else project
    listed = ", ".join(known)
    reason = None
    if not known:
        reason = "it holds no runs yet"
    elif wanted is None:
        reason = f"it holds several projects; say --project: {listed}"
    elif {plain(wanted), wanted}.isdisjoint(known):
        reason = f"it holds no project {wanted!r}, only {listed}"
    if reason is not None or wanted is None:
        raise NoStore(contents.where, reason or "nothing says which project is meant")
    names = {plain(wanted), wanted}
    return contents.only([f for f in contents.files if f.project in names])


def around(commits: Sequence[CommitFiles], needed: Sequence[str]) -> list[CommitFiles]:
    """Return the newest commits, and those before each that is needed.

    All lines that lead to them are followed back, so that a merge base is among them.
    """
    by_sha = {commit.sha: commit for commit in commits}
    kept = {commit.sha for commit in commits[-BEFORE:]}
    places = {commit.sha: at for at, commit in enumerate(commits)}
    for reference in needed:
        meant = [
            commit.sha
            for commit in commits
            if commit.sha.startswith(reference) or commit.tag == reference
        ]
        for sha in meant:
            at = places[sha]
            kept |= {each.sha for each in commits[max(0, at - BEFORE) : at + 1]}
            line, depth = [sha], 0
            while line and depth < BEFORE:
                kept |= {*line}
                line = [p for each in line for p in by_sha[each].parents if p in by_sha]
                depth += 1
    return [commit for commit in commits if commit.sha in kept]


def newest_files(contents: Contents, commit: str | None) -> list[StoredFile]:
    """Return the files of a commit of each project, of the newest one unless given."""
    chosen: dict[str, CommitFiles] = {}
    for known in commits_in_order(contents, contents.files):
        if commit is None or known.sha.startswith(commit):
            chosen[known.project] = known
    return [file for each in chosen.values() for file in each.files]
