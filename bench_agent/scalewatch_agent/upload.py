"""Post runs to the server, patiently, and tell what became of each."""

import gzip
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx2 as httpx

REFUSALS = frozenset({400, 409, 411, 413, 415, 422})
"""Answers that speak of the run; others speak of the server, or of who asks."""

PASSING = frozenset({408, 425, 429})
LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True)
class Delivered:
    """The server has the run, now or since an earlier attempt."""

    receipt: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """The server will not take the run, however often it is posted."""

    status: int
    problem: dict[str, Any]

    @property
    def reason(self) -> str:
        """The server's reason in one line."""
        detail = self.problem.get("detail") or self.problem.get("title") or "no reason"
        return f"answered {self.status}: {detail}"


@dataclass(frozen=True, slots=True)
class Undelivered:
    """The server may take the run another time, perhaps in a moment."""

    reason: str
    is_passing: bool = True


Answer = Delivered | Refused | Undelivered


@dataclass(frozen=True, slots=True)
class Patience:
    """How often, and after which pauses, a post is tried again.

    Pauses double, and vary at random so that many agents do not come back at once.
    """

    attempts: int = 4
    first_pause: float = 0.5

    def pauses(self) -> Iterator[float]:
        """Yield the seconds before each further attempt."""
        for attempt in range(self.attempts - 1):
            # Jitter guards no secret.
            jitter = random.uniform(0.5, 1.5)  # noqa: S311
            yield min(self.first_pause * 2**attempt * jitter, LONGEST_PAUSE)


class Server:
    """A connection to the server at `url`; a context manager."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = httpx.Client(
            timeout=httpx.Timeout(60, connect=5),
            headers={"User-Agent": "scalewatch-agent"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()

    def post(self, run_id: str, body: bytes, patience: Patience) -> Answer:
        """Post one run; the same run any number of times does no harm."""
        pauses = patience.pauses()
        while True:
            answer, wish = self._attempt(run_id, body)
            pause = next(pauses, None)
            if pause is None or not (
                isinstance(answer, Undelivered) and answer.is_passing
            ):
                return answer
            time.sleep(pause if wish is None else min(wish, LONGEST_PAUSE))

    def _attempt(self, run_id: str, body: bytes) -> tuple[Answer, float | None]:
        """Return the answer, and the pause that the server wishes for, if it does."""
        try:
            response = self._client.post(
                f"{self.url.rstrip('/')}/api/v1/runs",
                content=gzip.compress(body, compresslevel=6, mtime=0),
                headers={
                    "Content-Type": "application/json",
                    "Content-Encoding": "gzip",
                },
            )
            return _judge(response, run_id), _retry_after(response)
        except httpx.RequestError as error:
            reason = str(error) or type(error).__name__
            return Undelivered(f"cannot be reached: {reason}"), None


def _judge(response: httpx.Response, run_id: str) -> Answer:
    status = response.status_code
    content = _json(response)
    if status in {200, 202}:
        if str(content.get("id", "")) == run_id:
            return Delivered(content)
        # A proxy or a login page can answer 200 in the server's place.
        return Undelivered(f"answered {status}, but not as a Scalewatch server does")
    if status in REFUSALS:
        problem = content or {"title": response.reason_phrase, "detail": response.text}
        return Refused(status, problem | {"status": status})
    detail = content.get("detail") or response.reason_phrase
    return Undelivered(
        f"answered {status}: {detail}",
        is_passing=status >= 500 or status in PASSING,
    )


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        content = response.json()
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _retry_after(response: httpx.Response) -> float | None:
    seconds = response.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None
