"""Report the gate to a pull request on GitHub or a merge request on GitLab.

A commit status, and one comment that is written anew whenever the gate is asked again:
a mark that nobody sees finds it. Tokens come from the environment and nowhere else.

References
----------
GitHub REST API, "Commit statuses" and "Issue comments"; GitHub GraphQL API, "viewer";
GitLab REST API, "Commits: set commit status", "Notes: merge requests" and "Users".
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final, Protocol, Self
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from scalewatch.exporters.gates import gate_markdown, is_unmeasured

SECONDS: Final = 30.0
PAGE: Final = 100
MOST_PAGES: Final = 30
LONGEST_DESCRIPTION: Final = 140
LONGEST_COMMENT: Final = 60_000

GITHUB_VERSION: Final = "2022-11-28"
VIEWER: Final = "query { viewer { databaseId } }"
PULL: Final = re.compile(r"refs/pull/(\d+)/")

UNMEASURED: Final = "unmeasured"
GITHUB_STATES: Final = {
    "fine": "success",
    "undecided": "success",
    "worse": "failure",
    UNMEASURED: "error",
    "pending": "pending",
}
GITLAB_STATES: Final = {**GITHUB_STATES, "worse": "failed", UNMEASURED: "failed"}
"""A doubt stops nobody: a success whose description says so. What was not measured is
none."""

Environment = Mapping[str, str]


class NotReported(Exception):
    """The forge was not told, for a reason."""


class Forge(Protocol):
    """Where a code and its pull requests live."""

    def set_status(self, gate: Mapping[str, Any], link: str) -> None:
        """Set the status of the gate's commit."""

    def comment(self, gate: Mapping[str, Any], link: str) -> bool:
        """Write the comment, anew if it is there; tell whether there is a request."""


@dataclass(frozen=True, slots=True)
class GitHub:
    """A repository on GitHub, and the number of a pull request, if there is one."""

    api: str
    token: str
    repository: str
    pull: int | None

    @classmethod
    def of(cls, environment: Environment = os.environ) -> Self:
        """Return what the environment of a GitHub action tells.

        Raises
        ------
        NotReported
            If it lacks something.
        """
        pull = PULL.match(environment.get("GITHUB_REF", ""))
        number = environment.get("SCALEWATCH_PULL_REQUEST") or (pull and pull[1])
        return cls(
            api=environment.get("GITHUB_API_URL", "https://api.github.com"),
            token=_required(environment, "GITHUB_TOKEN"),
            repository=_required(environment, "GITHUB_REPOSITORY"),
            pull=int(number) if number else None,
        )

    def set_status(self, gate: Mapping[str, Any], link: str) -> None:
        """Set the status of the gate's commit."""
        content = {
            "state": GITHUB_STATES[state_of(gate)],
            "target_url": link,
            "description": _description(gate),
            "context": _name(gate),
        }
        self._ask("POST", f"statuses/{gate['commit']['sha']}", content)

    def comment(self, gate: Mapping[str, Any], link: str) -> bool:
        """Write the comment, anew if it is there; tell whether there is a request."""
        if self.pull is None:
            return False
        comments = f"issues/{self.pull}/comments"
        body = {"body": _comment(gate, link)}
        known = _marked(gate, self._ask, comments, "user", self._user)
        if known is None:
            self._ask("POST", comments, body)
        else:
            self._ask("PATCH", f"issues/comments/{known}", body)
        return True

    def _ask(self, method: str, path: str, content: Any) -> Any:
        url = f"{self.api.rstrip('/')}/repos/{quote(self.repository)}/{path}"
        return _ask(method, url, self._headers, content)

    def _user(self) -> Any:
        """Return the id of the token's user, which REST tells no token of an app."""
        url = f"{self.api.rstrip('/').removesuffix('/v3')}/graphql"
        answer = _ask("POST", url, self._headers, {"query": VIEWER})
        viewer = (answer.get("data") or {}).get("viewer") or {}
        return viewer.get("databaseId")

    @property
    def _headers(self) -> dict[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self.token}",
            "X-GitHub-Api-Version": GITHUB_VERSION,
        }


@dataclass(frozen=True, slots=True)
class GitLab:
    """A project on GitLab, and the number of a merge request, if there is one."""

    api: str
    token: str
    project: str
    request: int | None
    branch: str | None

    @classmethod
    def of(cls, environment: Environment = os.environ) -> Self:
        """Return what the environment of a GitLab job tells.

        Raises
        ------
        NotReported
            If it lacks something.
        """
        number = environment.get("CI_MERGE_REQUEST_IID")
        return cls(
            api=environment.get("CI_API_V4_URL", "https://gitlab.com/api/v4"),
            token=_required(environment, "GITLAB_TOKEN"),
            project=_required(environment, "CI_PROJECT_ID"),
            request=int(number) if number else None,
            branch=environment.get("CI_COMMIT_REF_NAME"),
        )

    def set_status(self, gate: Mapping[str, Any], link: str) -> None:
        """Set the status of the gate's commit."""
        content = {
            "state": GITLAB_STATES[state_of(gate)],
            "target_url": link,
            "description": _description(gate),
            "name": _name(gate),
        }
        if self.branch:
            content["ref"] = self.branch
        self._ask("POST", f"statuses/{gate['commit']['sha']}", content)

    def comment(self, gate: Mapping[str, Any], link: str) -> bool:
        """Write the comment, anew if it is there; tell whether there is a request."""
        if self.request is None:
            return False
        notes = f"merge_requests/{self.request}/notes"
        body = {"body": _comment(gate, link)}
        known = _marked(gate, self._ask, notes, "author", self._user)
        if known is None:
            self._ask("POST", notes, body)
        else:
            self._ask("PUT", f"{notes}/{known}", body)
        return True

    def _ask(self, method: str, path: str, content: Any) -> Any:
        url = f"{self.api.rstrip('/')}/projects/{quote(self.project, safe='')}/{path}"
        return _ask(method, url, {"PRIVATE-TOKEN": self.token}, content)

    def _user(self) -> Any:
        url = f"{self.api.rstrip('/')}/user"
        return _ask("GET", url, {"PRIVATE-TOKEN": self.token}, None).get("id")


FORGES: Final[Mapping[str, Callable[[], Forge]]] = {
    "github": GitHub.of,
    "gitlab": GitLab.of,
}


def report(
    name: str, gate: Mapping[str, Any], server: str | None, site: str | None = None
) -> str:
    """Tell a forge what the gate says; return in words what was done.

    Parameters
    ----------
    server, site
        Where the report of the commit is: on a server, or as a file of a site. Without
        either the link is that of the job.

    Raises
    ------
    NotReported
        If the environment lacks something, or the forge refuses.
    """
    forge = FORGES[name]()
    link = _page(gate, server, site) or _job(os.environ)
    forge.set_status(gate, link)
    is_commented = forge.comment(gate, link)
    return "status and comment are set" if is_commented else "the status is set"


def _page(gate: Mapping[str, Any], server: str | None, site: str | None) -> str | None:
    """Return the address of the report of a commit; None where nobody shows it."""
    project, commit = quote(gate["project"], safe=""), gate["commit"]
    if server:
        return f"{server.rstrip('/')}/p/{project}/c/{commit['sha']}"
    if not site:
        return None
    # The pages take longer to import than --help may.
    from scalewatch.cli.publishing.addresses import file_of  # noqa: PLC0415
    from scalewatch.services.commits.find import label_of  # noqa: PLC0415

    label = quote(label_of(commit["sha"], commit["tag"]), safe="")
    return f"{site.rstrip('/')}/{file_of(f'/p/{project}/c/{label}', [])}"


def _job(environment: Environment) -> str:
    """Return the address of the CI job that asks."""
    if "GITHUB_RUN_ID" not in environment:
        return _required(environment, "CI_JOB_URL")
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY")
    base = "/".join(_required(environment, name) for name in names)
    return f"{base}/actions/runs/{environment['GITHUB_RUN_ID']}"


def _required(environment: Environment, name: str) -> str:
    value = environment.get(name)
    if not value:
        raise NotReported(f"{name} is not set in the environment")
    return value


def _name(gate: Mapping[str, Any]) -> str:
    return f"scalewatch/{gate['project']}"


def _mark(gate: Mapping[str, Any]) -> str:
    return f"<!-- scalewatch gate {quote(gate['project'], safe='')} -->"


def state_of(gate: Mapping[str, Any]) -> str:
    """Return the outcome, or that it is undecided for want of measurements."""
    outcome = str(gate["outcome"])
    if outcome == "undecided" and any(map(is_unmeasured, gate["findings"])):
        return UNMEASURED
    return outcome


def _description(gate: Mapping[str, Any]) -> str:
    said = str(gate["sentence"])
    if gate["outcome"] == "undecided":
        said = f"undecided: {said}"
    if len(said) > LONGEST_DESCRIPTION:
        said = f"{said[: LONGEST_DESCRIPTION - 1]}…"
    return said


def _comment(gate: Mapping[str, Any], link: str) -> str:
    text = gate_markdown(gate)
    if len(text) > LONGEST_COMMENT:
        text = f"{text[:LONGEST_COMMENT]}\n\n… the rest stands in the report."
    return "\n\n".join([text, f"[Report of this commit]({link})", _mark(gate)])


def _marked(
    gate: Mapping[str, Any],
    ask: Callable[[str, str, Any], Any],
    path: str,
    author: str,
    user: Callable[[], Any],
) -> int | None:
    """Return the id of the comment below `path` that has our mark, and is ours.

    Anybody may write a comment with our mark: to change it would let us speak in their
    name, and leave to them what stands there afterwards.

    Parameters
    ----------
    author
        The key under which a comment names who wrote it.
    user
        Asks for the id of our token's user.
    """
    mark, ours = _mark(gate), None
    for page in range(1, MOST_PAGES + 1):
        comments = ask("GET", f"{path}?per_page={PAGE}&page={page}", None)
        for comment in comments:
            if mark in (comment.get("body") or ""):
                ours = ours or user()
                if ours is not None and (comment.get(author) or {}).get("id") == ours:
                    return int(comment["id"])
        if len(comments) < PAGE:
            break
    return None


def _ask(method: str, url: str, headers: Mapping[str, str], content: Any) -> Any:
    if not url.startswith(("http://", "https://")):
        raise NotReported(f"{url} is no address that begins with http")
    body = None if content is None else json.dumps(content).encode()
    sent = {"Content-Type": "application/json", "User-Agent": "scalewatch", **headers}
    request = Request(url, body, sent, method=method)  # noqa: S310 - checked
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - checked
            return json.loads(answer.read() or b"null")
    except HTTPError as error:
        with error:
            said = error.read(2000).decode(errors="replace")
        raise NotReported(f"{method} {url} answered {error.code}: {said}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise NotReported(f"{method} {url}: {error}") from None
