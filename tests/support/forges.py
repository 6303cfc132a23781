"""Stand-ins for GitHub and GitLab, which refuse what their published schemas refuse."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

USER, STRANGER = 41898282, 7
"""Ids of the token's user, and of anybody else."""

TOKEN = "a-token"  # noqa: S105 - of nobody
SHA = "[0-9a-f]{40}"


class Body(BaseModel):
    """A body as the forge documents it; what it does not know is our mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GitHubStatus(Body):
    """POST /repos/{owner}/{repo}/statuses/{sha}."""

    state: Literal["error", "failure", "pending", "success"]
    target_url: str | None = None
    description: Annotated[str, Field(max_length=140)] | None = None
    context: str = "default"


class GitLabStatus(Body):
    """POST /projects/:id/statuses/:sha."""

    state: Literal["pending", "running", "success", "failed", "canceled", "skipped"]
    ref: str | None = None
    name: Annotated[str, Field(max_length=255)] | None = None
    target_url: Annotated[str, Field(max_length=255)] | None = None
    description: Annotated[str, Field(max_length=255)] | None = None
    coverage: float | None = None
    pipeline_id: int | None = None


class Comment(Body):
    """A comment on GitHub, or a note on GitLab."""

    body: Annotated[str, Field(min_length=1, max_length=65_536)]


class Question(Body):
    """POST /graphql: the only question that we ask."""

    query: Literal["query { viewer { databaseId } }"]


class Forge(ThreadingHTTPServer):
    """Answers as a forge does, and remembers statuses and comments.

    Comments of others fill the first page, so that ours is on the second one.
    """

    status: type[Body]
    author: str
    headers: ClassVar[dict[str, str]]
    routes: ClassVar[list[tuple[str, str, str]]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses: list[dict[str, Any]] = []
        self.comments = [self.comment(n, f"LGTM {n}") for n in range(1, 101)]
        self.url = f"http://127.0.0.1:{self.server_port}"

    def comment(self, number: int, body: str, user: int = STRANGER) -> dict[str, Any]:
        """Return a comment as the forge lists it."""
        return {"id": number, "body": body, self.author: {"id": user}}

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class GitHub(Forge):
    """GitHub, with the repository ada/hydro and its pull request 7."""

    status = GitHubStatus
    author = "user"
    headers: ClassVar = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    routes: ClassVar = [
        ("POST", f"/repos/ada/hydro/statuses/{SHA}", "status"),
        ("GET", "/repos/ada/hydro/issues/7/comments", "list"),
        ("POST", "/repos/ada/hydro/issues/7/comments", "add"),
        ("POST", "/graphql", "viewer"),
        ("PATCH", r"/repos/ada/hydro/issues/comments/(?P<id>\d+)", "change"),
    ]


class GitLab(Forge):
    """GitLab, with the project 42 and its merge request 7."""

    status = GitLabStatus
    author = "author"
    headers: ClassVar = {"PRIVATE-TOKEN": TOKEN}
    routes: ClassVar = [
        ("POST", f"/projects/42/statuses/{SHA}", "status"),
        ("GET", "/projects/42/merge_requests/7/notes", "list"),
        ("POST", "/projects/42/merge_requests/7/notes", "add"),
        ("GET", "/user", "user"),
        ("PUT", r"/projects/42/merge_requests/7/notes/(?P<id>\d+)", "change"),
    ]


class Handler(BaseHTTPRequestHandler):
    """One request to a forge."""

    server: Forge

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        wrong = [n for n, v in self.server.headers.items() if self.headers.get(n) != v]
        if wrong:
            self._answer(401, {"message": f"wrong {wrong}"})
            return
        for method, pattern, deed in self.server.routes:
            match = re.fullmatch(pattern, parts.path)
            if match and method == self.command:
                self._do(deed, match.groupdict(), parse_qs(parts.query), body)
                return
        self._answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = do_PUT = _any  # noqa: N815 - the library's names

    def _do(
        self, deed: str, named: dict[str, str], query: dict[str, Any], body: bytes
    ) -> None:
        comments = self.server.comments
        schema = {"status": self.server.status, "viewer": Question}.get(deed, Comment)
        try:
            content = body and schema.model_validate_json(body)
        except ValidationError as error:
            self._answer(422, {"message": str(error)})
            return
        match deed:
            case "list":
                size, page = (int(query[name][0]) for name in ("per_page", "page"))
                self._answer(200, comments[(page - 1) * size : page * size])
            case "viewer":
                self._answer(200, {"data": {"viewer": {"databaseId": USER}}})
            case "user":
                self._answer(200, {"id": USER})
            case "status":
                self.server.statuses.append(json.loads(body))
                self._answer(201, {"id": 1})
            case "add":
                comments.append(self.server.comment(1000, content.body, USER))
                self._answer(201, comments[-1])
            case "change":
                found = [c for c in comments if c["id"] == int(named["id"])]
                found[0]["body"] = content.body
                self._answer(200, found[0])

    def _answer(self, status: int, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
