"""Requests to a server by urllib: a CI job installs nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import click

SECONDS = 30.0
LONGER = 120.0
"""Seconds that an answer to a large body may take."""

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer of a server: its status, and its content if that is JSON.

    Parameters
    ----------
    content, items
        The answer that is an object, or an array.
    retry_after
        Seconds after which a busy server wants to be asked again.
    body
        The answer as it came.
    """

    status: int
    content: Mapping[str, Any]
    items: Sequence[Any] = ()
    retry_after: float | None = None
    body: bytes = b""

    @property
    def is_good(self) -> bool:
        """Whether the server did what was asked."""
        return self.status < 400

    @property
    def reason(self) -> str:
        """Why it did not, in one line."""
        return str(self.content.get("detail") or f"it answered {self.status}")


class Unreachable(Exception):
    """The server does not answer, or is no Scalewatch server."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A server, and the token that it may ask for."""

    server: str
    token: str | None

    def get(self, path: str, **query: str | None) -> Reply:
        """Ask for something.

        Raises
        ------
        Unreachable
            If no answer comes.
        """
        stated = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", f"{path}?{urlencode(stated)}", None)

    def put(self, path: str, content: Mapping[str, Any]) -> Reply:
        """Put something.

        Raises
        ------
        Unreachable
            If no answer comes.
        """
        return self._ask("PUT", path, json.dumps(content).encode())

    def post(self, path: str, content: Mapping[str, Any]) -> Reply:
        """Post something.

        Raises
        ------
        Unreachable
            If no answer comes.
        """
        return self._ask("POST", path, json.dumps(content).encode())

    def send(self, path: str, body: bytes, kind: str, encoding: str) -> Reply:
        """Post a body as it is.

        Raises
        ------
        Unreachable
            If no answer comes.
        """
        headers = {"Content-Type": kind, "Content-Encoding": encoding}
        return self._ask("POST", path, body, headers, LONGER)

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        kind: Mapping[str, str] = JSON,
        seconds: float = SECONDS,
    ) -> Reply:
        url = f"{self.server.rstrip('/')}/api/v1/{path}"
        headers = {"Accept": "application/json", **kind}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = Request(url, body, headers, method=method)  # noqa: S310 - see options
        try:
            with urlopen(request, timeout=seconds) as answer:  # noqa: S310 - as above
                return _reply(answer.status, answer.read())
        except HTTPError as error:
            pause = error.headers.get("Retry-After", "")
            wanted = float(pause) if pause.isdecimal() else None
            return _reply(error.code, error.read(), wanted)
        except (OSError, HTTPException) as error:
            cause = error.reason if isinstance(error, URLError) else error
            reason = getattr(cause, "strerror", None) or cause
            raise Unreachable(f"{self.server} does not answer: {reason}") from error


def segment(name: str) -> str:
    """Return a name as a part of a path."""
    return quote(name, safe="")


def _reply(status: int, body: bytes, retry_after: float | None = None) -> Reply:
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    return Reply(
        status,
        content if isinstance(content, dict) else {},
        content if isinstance(content, list) else (),
        retry_after,
        body,
    )


class ServerAddress(click.ParamType[str]):
    """`http://perf.example.org:8000`."""

    name = "URL"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        """Return the address of a server."""
        if not value.startswith(("http://", "https://")):
            self.fail(f"{value!r} does not begin with http:// or https://", param, ctx)
        return value


def server_options(command: Any) -> Any:
    """Add --server and --token, which the environment may give as well."""
    token = click.option(
        "--token", envvar="SCALEWATCH_TOKEN", help="Better in SCALEWATCH_TOKEN."
    )
    server = click.option(
        "--server",
        type=ServerAddress(),
        envvar="SCALEWATCH_SERVER",
        default="http://127.0.0.1:8000",
        show_default=True,
        help="Address of the dashboard; or SCALEWATCH_SERVER.",
    )
    return server(token(command))
