"""Links to commits and their differences on the forge where a project's code lies.

References
----------
Addresses of pages as GitHub, GitLab, Gitea (and Forgejo), Bitbucket Cloud and Bitbucket
Data Center have them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import quote, urlsplit

from sqlalchemy.orm import Session

from scalewatch.storage.access import projects

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
        return f"{self._base}/{_PATHS[self.kind][0]}/{quote(sha, safe='')}"

    def between(self, older: str, newer: str) -> str:
        """Return the page of what changed from one commit to a later one."""
        base = self._base
        first, last = quote(older, safe=""), quote(newer, safe="")
        if self.kind is not ForgeKind.BITBUCKET:
            return f"{base}/{_PATHS[self.kind][1]}/{first}...{last}"
        if base == self.repository:
            return f"{base}/branches/compare/{last}..{first}"
        return f"{base}/compare/commits?sourceBranch={last}&targetBranch={first}"

    @property
    def _base(self) -> str:
        """The page of the repository, which one's own Bitbucket has by project."""
        server = _OWN_BITBUCKET.fullmatch(self.repository)
        is_public = urlsplit(self.repository).hostname == "bitbucket.org"
        if self.kind is not ForgeKind.BITBUCKET or server is None or is_public:
            return self.repository
        site, owner, name = server.groups()
        is_person = owner.startswith("~")
        place = f"users/{owner[1:]}" if is_person else f"projects/{owner}"
        return f"{site}/{place}/repos/{name}"


def forge_of(session: Session, project_name: str) -> Forge | None:
    """Return where the code of a project lies; None where nobody said, or hides it."""
    project = projects.existing(session, project_name)
    policy = projects.policy_of(session, project.id)
    address = policy.repository or project.repository
    kind = ForgeKind(policy.forge) if policy.forge else None
    if address is None or kind is ForgeKind.NONE:
        return None
    if kind is None:  # by the host's name, else GitHub, as most have it
        host = urlsplit(address).hostname or ""
        named = (kind for word, kind in _KINDS.items() if word in host)
        kind = next(named, ForgeKind.GITHUB)
    return Forge(kind, address)


_KINDS: Final[Mapping[str, ForgeKind]] = {
    "gitlab": ForgeKind.GITLAB,
    "bitbucket": ForgeKind.BITBUCKET,
    "gitea": ForgeKind.GITEA,
    "forgejo": ForgeKind.GITEA,
    "codeberg": ForgeKind.GITEA,
}

_PATHS: Final[Mapping[ForgeKind, tuple[str, str]]] = {
    ForgeKind.GITHUB: ("commit", "compare"),
    ForgeKind.GITEA: ("commit", "compare"),
    ForgeKind.GITLAB: ("-/commit", "-/compare"),
    ForgeKind.BITBUCKET: ("commits", "compare"),
}
"""Where a forge has commits and comparisons, below the page of a repository."""
