"""Links to commits and their differences on the forge where a project's code lies.

References
----------
Addresses of pages as GitHub, GitLab, Gitea (and Forgejo), Bitbucket Cloud and Bitbucket
Data Center have them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import quote, urlsplit

from sqlalchemy.orm import Session

from scalewatch.storage.access import policies, projects

_OWN_BITBUCKET: Final = re.compile(
    r"(?P<site>https?://.+?)/(?:scm/)?(?P<owner>[^/]+)/(?P<name>[^/]+)"
)


class ForgeKind(StrEnum):
    """The software that answers at the address of a repository."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"
    BITBUCKET = "bitbucket"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Forge:
    """The pages of a repository on its forge."""

    kind: ForgeKind
    repository: str

    @property
    def name(self) -> str:
        """The repository as people call it: host and path."""
        return self.repository.partition("://")[2]

    @property
    def host(self) -> str:
        """The host of the forge."""
        return self.name.partition("/")[0]

    def commit(self, sha: str) -> str:
        """Return the page of a commit: its message and its differences."""
        page = _PAGES[self.kind]
        return f"{page.base(self.repository)}/{page.commit}/{quote(sha, safe='')}"

    def between(self, older: str, newer: str) -> str:
        """Return the page of what changed from one commit to a later one."""
        base = _PAGES[self.kind].base(self.repository)
        first, last = quote(older, safe=""), quote(newer, safe="")
        if self.kind is not ForgeKind.BITBUCKET:
            return f"{base}/{_PAGES[self.kind].compare}/{first}...{last}"
        if base == self.repository:
            return f"{base}/branches/compare/{last}..{first}"
        return f"{base}/compare/commits?sourceBranch={last}&targetBranch={first}"


def forge_of(session: Session, project_name: str) -> Forge | None:
    """Return where the code of a project lies; None where nobody said, or hides it."""
    project = projects.existing(session, project_name)
    policy = policies.of_project(session, project.id)
    address = policy.repository or project.repository
    kind = ForgeKind(policy.forge) if policy.forge else None
    if address is None or kind is ForgeKind.NONE:
        return None
    return Forge(kind or _kind_of(address), address)


_KINDS: Final[Mapping[str, ForgeKind]] = {
    "gitlab": ForgeKind.GITLAB,
    "bitbucket": ForgeKind.BITBUCKET,
    "gitea": ForgeKind.GITEA,
    "forgejo": ForgeKind.GITEA,
    "codeberg": ForgeKind.GITEA,
}


def _kind_of(address: str) -> ForgeKind:
    """Return the forge that a host is named after, else GitHub as most others have."""
    host = urlsplit(address).hostname or ""
    named = (kind for word, kind in _KINDS.items() if word in host)
    return next(named, ForgeKind.GITHUB)


def _same(repository: str) -> str:
    return repository


def _bitbucket(repository: str) -> str:
    """Return the page of a repository, which servers of one's own have by project."""
    server = _OWN_BITBUCKET.fullmatch(repository)
    if server is None or urlsplit(repository).hostname == "bitbucket.org":
        return repository
    site, owner, name = server.groups()
    is_person = owner.startswith("~")
    place = f"users/{owner[1:]}" if is_person else f"projects/{owner}"
    return f"{site}/{place}/repos/{name}"


@dataclass(frozen=True, slots=True)
class _Pages:
    """Where a forge has the page of a repository and, below it, those of commits."""

    commit: str
    compare: str
    base: Callable[[str], str] = _same


_PAGES: Final[Mapping[ForgeKind, _Pages]] = {
    ForgeKind.GITHUB: _Pages("commit", "compare"),
    ForgeKind.GITEA: _Pages("commit", "compare"),
    ForgeKind.GITLAB: _Pages("-/commit", "-/compare"),
    ForgeKind.BITBUCKET: _Pages("commits", "compare", _bitbucket),
}
