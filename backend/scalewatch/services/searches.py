"""The search over everything with a page, and for names that resemble one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import commit_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines, matches, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.matches import CommitMatch, NamedMatch, RegressionMatch

MOST: Final = 8
"""Matches of each kind."""

MOST_COMMITS: Final = 30
"""Matches where only commits are looked for."""

MOST_WORDS: Final = 8

MOST_NEAR: Final = 5
"""Names that are offered."""

LEAST: Final = 0.6
"""Share of the letters, in order, that names must have in common."""

MOST_READ: Final = 2000
"""Names among which near ones are looked for."""

SHORTEST: Final = 3
"""Letters from which on a name that contains them is a near one."""


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


def everything(session: Session) -> Found:
    """Return all that a search can find in all projects, for readers without one."""
    return Found(
        "",
        None,
        projects=tuple(matches.projects(session, [""], None)),
        regions=tuple(matches.regions(session, [""], None, None)),
        machines=tuple(matches.machines(session, [""], None, None)),
        commits=tuple(matches.commits(session, [""], None, None)),
        regressions=tuple(matches.regressions(session, [""], None, None)),
    )


def search_commits(session: Session, text: str, project: str | None) -> Found:
    """Return the commits whose hash, tag, message or date contain all words."""
    empty = Found(text, project)
    if not empty.words:
        return empty
    commits = matches.commits(session, empty.words, project, MOST_COMMITS)
    return replace(empty, commits=tuple(commits))


def near_names(
    session: Session, project_name: str, kind: str, name: str
) -> tuple[str, ...]:
    """Return existing names of a project that resemble one, the nearest first.

    Parameters
    ----------
    kind
        Of the thing, as `NotFound` names it; of other kinds there are none.

    Raises
    ------
    NotFound
        If there is no such project, or the caller may not see it.
    """
    known = _NAMES.get(kind)
    project = projects.existing(session, project_name)
    return () if known is None else nearest(name, known(session, project))


def examples(session: Session) -> Mapping[str, str]:
    """Name a project that the reader may see, a region and a machine of it, if any."""
    for project in projects.listed(session):
        regions = matches.regions(session, [""], project.name, 1)
        machines = matches.machines(session, [""], project.name, 1)
        if regions and machines:
            first = {"region": regions[0].name, "machine": machines[0].name}
            return {"project": project.name} | first
    return {}


def is_project(session: Session, name: str) -> bool:
    """Tell whether the caller may see a project of this name."""
    return projects.named(session, name) is not None


def near_projects(session: Session, name: str) -> tuple[str, ...]:
    """Return the projects that the caller may see and whose names resemble one."""
    return nearest(name, [each.name for each in projects.listed(session)])


def nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of some names that resemble one, the nearest first."""
    by_letters = {each.casefold(): each for each in names if each != name}
    wanted = name.casefold()
    near = get_close_matches(wanted, by_letters, n=MOST_NEAR, cutoff=LEAST)
    if len(wanted) >= SHORTEST:
        near += [e for e in by_letters if wanted in e or (len(e) > 2 and e in wanted)]
    return tuple(by_letters[each] for each in dict.fromkeys(near))[:MOST_NEAR]


def _regions(session: Session, project: tables.Project) -> list[str]:
    regions = matches.regions(session, [""], project.name, MOST_READ)
    return [each.name for each in regions]


def _machines(session: Session, project: tables.Project) -> list[str]:
    return [each.name for each in machines.of_project(session, project.id)]


def _commits(session: Session, project: tables.Project) -> list[str]:
    newest = commits.of_project(session, project.id, limit=MOST_READ)
    tagged = commits.tagged(session, project.id)
    return [commit_of(row).label for row in (*tagged, *newest)]


def _sides(session: Session, project: tables.Project) -> list[str]:
    """Return the sides that a comparison can have: machines and commits."""
    return [*_machines(session, project), *_commits(session, project)]


def _metrics(session: Session, project: tables.Project) -> list[str]:
    newest = commits.newest(session, project.id)
    return [*CommitSnapshot.of(session, newest).metrics] if newest else []


_NAMES: Final[Mapping[str, Callable[[Session, tables.Project], list[str]]]] = {
    "commit": _commits,
    "machine": _sides,
    "metric": _metrics,
    "region": _regions,
}
