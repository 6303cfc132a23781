"""The search over everything with a page: projects, regions, machines, commits."""

from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.storage import matches
from scalewatch.storage.matches import CommitMatch, NamedMatch, RegressionMatch

MOST: Final = 8
"""Matches of each kind."""

MOST_COMMITS: Final = 30
"""Matches where only commits are looked for."""

MOST_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class Found:
    """Matches of all words of a text, a few of each kind.

    Parameters
    ----------
    project
        The one that was searched; None: all of them.
    """

    text: str
    project: str | None
    projects: tuple[str, ...] = ()
    regions: tuple[NamedMatch, ...] = ()
    machines: tuple[NamedMatch, ...] = ()
    commits: tuple[CommitMatch, ...] = ()
    regressions: tuple[RegressionMatch, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words that are looked for."""
        return self.text.split()[:MOST_WORDS]


def search(session: Session, text: str, project: str | None) -> Found:
    """Return the matches of all words of a text, in a project or (None) in all."""
    empty = Found(text, project)
    words = empty.words
    if not words:
        return empty
    return Found(
        text,
        project,
        projects=tuple(matches.projects(session, words, MOST)),
        regions=tuple(matches.regions(session, words, project, MOST)),
        machines=tuple(matches.machines(session, words, project, MOST)),
        commits=tuple(matches.commits(session, words, project, MOST)),
        regressions=tuple(matches.regressions(session, words, project, MOST)),
    )


def search_commits(session: Session, text: str, project: str | None) -> Found:
    """Return the commits whose hash, tag, message or date contain all words."""
    empty = Found(text, project)
    if not empty.words:
        return empty
    commits = matches.commits(session, empty.words, project, MOST_COMMITS)
    return replace(empty, commits=tuple(commits))
