"""Commits as figures name them."""

from scalewatch.figures.histories.exponents import CommitOnLine
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.commits.lineage import Lineage


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
