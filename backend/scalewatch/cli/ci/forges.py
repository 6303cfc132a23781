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
from typing import Any, Final
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


@dataclass(frozen=True, slots=True)
class Forge:
    """Where a code and its pull requests live.

    Parameters
    ----------
    base
        Address of the code in the API.
    states
        Words of its statuses by outcome.
    named
        The key of the name of a status.
    branch
        The branch that a status is of, where it has to say so.
    comments
        Path of the comments of the request; None without one.
    edited
        Method and path by which one of them is written anew.
    author
        The key under which a comment names who wrote it.
    user
        Asks for the id of our token's user.
    """

    base: str
    headers: Mapping[str, str]
    states: Mapping[str, str]
    named: str
    branch: str | None
    comments: str | None
    edited: tuple[str, str]
    author: str
    user: Callable[[], Any]

    def set_status(self, gate: Mapping[str, Any], link: str) -> None:
        """Set the status of the gate's commit."""
        content = {
            "state": self.states[state_of(gate)],
            "target_url": link,
            "description": _description(gate),
            self.named: f"scalewatch/{gate['project']}",
        }
        if self.branch:
            content["ref"] = self.branch
        self._ask("POST", f"statuses/{gate['commit']['sha']}", content)

    def comment(self, gate: Mapping[str, Any], link: str) -> bool:
        """Write the comment, anew if it is there; tell whether there is a request."""
        if self.comments is None:
            return False
        body = {"body": _comment(gate, link)}
        known = self._marked(_mark(gate))
        if known is None:
            self._ask("POST", self.comments, body)
        else:
            method, path = self.edited
            self._ask(method, f"{path}/{known}", body)
        return True

    def _marked(self, mark: str) -> int | None:
        """Return the id of the comment that has our mark, and is ours.

        Anybody may write a comment with our mark: to change it would let us speak in
        their name, and leave to them what stands there afterwards.
        """
        ours = None
        for page in range(1, MOST_PAGES + 1):
            listed = f"{self.comments}?per_page={PAGE}&page={page}"
            comments = self._ask("GET", listed, None)
            for comment in comments:
                if mark in (comment.get("body") or ""):
                    ours = ours or self.user()
                    author = (comment.get(self.author) or {}).get("id")
                    if ours is not None and author == ours:
                        return int(comment["id"])
            if len(comments) < PAGE:
                break
        return None

    def _ask(self, method: str, path: str, content: Any) -> Any:
        return _ask(method, f"{self.base}/{path}", self.headers, content)


def github(environment: Environment) -> Forge:
    """Return the repository and the pull request that a GitHub action tells.

    Raises
    ------
    NotReported
        If the environment lacks something.
    """
    api = environment.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {_required(environment, 'GITHUB_TOKEN')}",
        "X-GitHub-Api-Version": GITHUB_VERSION,
    }
    of_pull = PULL.match(environment.get("GITHUB_REF", ""))
    number = environment.get("SCALEWATCH_PULL_REQUEST") or (of_pull and of_pull[1])

    def user() -> Any:
        """Return the id of the token's user, which REST tells no token of an app."""
        url = f"{api.removesuffix('/v3')}/graphql"
        answer = _ask("POST", url, headers, {"query": VIEWER})
        viewer = (answer.get("data") or {}).get("viewer") or {}
        return viewer.get("databaseId")

    return Forge(
        f"{api}/repos/{quote(_required(environment, 'GITHUB_REPOSITORY'))}",
        headers,
        GITHUB_STATES,
        named="context",
        branch=None,
        comments=f"issues/{int(number)}/comments" if number else None,
        edited=("PATCH", "issues/comments"),
        author="user",
        user=user,
    )


def gitlab(environment: Environment) -> Forge:
    """Return the project and the merge request that a GitLab job tells.

    Raises
    ------
    NotReported
        If the environment lacks something.
    """
    api = environment.get("CI_API_V4_URL", "https://gitlab.com/api/v4").rstrip("/")
    headers = {"PRIVATE-TOKEN": _required(environment, "GITLAB_TOKEN")}
    project = quote(_required(environment, "CI_PROJECT_ID"), safe="")
    number = environment.get("CI_MERGE_REQUEST_IID")
    notes = f"merge_requests/{int(number)}/notes" if number else None
    return Forge(
        f"{api}/projects/{project}",
        headers,
        GITLAB_STATES,
        named="name",
        branch=environment.get("CI_COMMIT_REF_NAME"),
        comments=notes,
        edited=("PUT", notes or ""),
        author="author",
        user=lambda: _ask("GET", f"{api}/user", headers, None).get("id"),
    )


FORGES: Final[Mapping[str, Callable[[Environment], Forge]]] = {
    "github": github,
    "gitlab": gitlab,
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
    forge = FORGES[name](os.environ)
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
