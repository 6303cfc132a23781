"""Bring spooled runs to the server, patiently; what is not delivered stays on disk."""

import gzip
import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final, Self

import httpx2 as httpx
from pydantic import ValidationError

from scalewatch.errors import NoStore, RunAlreadyRecorded, StoreUnwritable
from scalewatch.stores.store import Store
from scalewatch_agent.delivery.spool import Spool, SpooledRun


class Connection:
    """A connection to the server at `url`; a context manager."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        right = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(
            timeout=httpx.Timeout(60, connect=5),
            headers={"User-Agent": "scalewatch-agent", **right},
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


REFUSALS = frozenset({400, 409, 411, 413, 415, 422})
"""Answers that speak of the run; others speak of the server, or of who asks."""

PASSING = frozenset({408, 425, 429})
LONGEST_PAUSE = 30.0
LONGEST_WISH = 300.0
"""Seconds that a server may ask us to wait; for longer, the spool is the place."""

NEWEST: Final[Mapping[str, frozenset[str]]] = {
    "commit": frozenset({"author", "repository"})
}
"""Fields that older servers refuse, though runs are whole without them."""


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


class Server(Connection):
    """Takes runs."""

    def post(
        self, runs: Sequence[tuple[str, bytes]], patience: Patience
    ) -> list[Answer]:
        """Post runs, given by id and body; return what became of each.

        The same run any number of times does no harm. The server takes all of them
        or none.
        """
        ids = [run_id for run_id, _ in runs]
        bodies = [body for _, body in runs]
        body = bodies[0] if len(bodies) == 1 else b"[" + b",".join(bodies) + b"]"
        pauses = patience.pauses()
        while True:
            answers, wish = self._attempt(ids, body)
            if isinstance(answers[0], Refused) and (
                plain := _without_unknown(body, answers[0].problem)
            ):
                body = plain
                continue
            pause = next(pauses, None)
            if pause is None or not (
                isinstance(answers[0], Undelivered) and answers[0].is_passing
            ):
                return answers
            time.sleep(pause if wish is None else max(pause, min(wish, LONGEST_WISH)))

    def _attempt(
        self, ids: Sequence[str], body: bytes
    ) -> tuple[list[Answer], float | None]:
        """Return the answers, and the pause that the server wishes for, if it does."""
        try:
            response = self._client.post(
                f"{self.url.rstrip('/')}/api/v1/runs",
                content=gzip.compress(body, compresslevel=3, mtime=0),
                headers={
                    "Content-Type": "application/json",
                    "Content-Encoding": "gzip",
                },
            )
            return _judge(response, ids), _retry_after(response)
        except (httpx.RequestError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            return _same(Undelivered(f"cannot be reached: {reason}"), ids), None


STORE: Final = "store:"
"""Begins the place of runs that go into a store, in place of a server's address."""


class StoreServer:
    """A store that takes runs as a server does, whole batches or nothing."""

    def __init__(self, url: str) -> None:
        self.where = url.removeprefix(STORE)

    def post(
        self,
        runs: Sequence[tuple[str, bytes]],
        patience: Patience,  # noqa: ARG002 - a store has patience of its own
    ) -> list[Answer]:
        """Add runs, given by id and body; return what became of each."""
        ids = [run_id for run_id, _ in runs]
        try:
            Store.at(self.where).add(body for _, body in runs)
        except (NoStore, StoreUnwritable) as error:
            reason = f"took no runs: {error}"
            return _same(Undelivered(reason, is_passing=False), ids)
        except (RunAlreadyRecorded, ValidationError) as error:
            problem = {"title": "Refused", "detail": str(error)}
            return _same(Refused(409, problem), ids)
        return [Delivered({"id": run_id, "run": self.where}) for run_id in ids]


def _judge(response: httpx.Response, ids: Sequence[str]) -> list[Answer]:
    status = response.status_code
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = response.json()
    if status in {200, 202}:
        receipts = content if isinstance(content, list) else [content]
        known = [
            str(receipt.get("id", "")) if isinstance(receipt, dict) else ""
            for receipt in receipts
        ]
        if known == list(ids):
            return [Delivered(receipt) for receipt in receipts]
        # A proxy or a login page can answer 200 in the server's place.
        foreign = f"answered {status}, but not as a Scalewatch server does"
        return _same(Undelivered(foreign), ids)
    said = content if isinstance(content, dict) else {}
    if status in REFUSALS:
        problem = said or {"title": response.reason_phrase, "detail": response.text}
        return _same(Refused(status, problem | {"status": status}), ids)
    detail = said.get("detail") or response.reason_phrase
    undelivered = Undelivered(
        f"answered {status}: {detail}",
        is_passing=status >= 500 or status in PASSING,
    )
    return _same(undelivered, ids)


def _same(answer: Answer, ids: Sequence[str]) -> list[Answer]:
    return [answer for _ in ids]


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that the server asks us to wait, in either of its forms."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _without_unknown(body: bytes, problem: Mapping[str, Any]) -> bytes | None:
    """Return runs without the newest fields, if a server refused these alone.

    None where it refused something else, or there is nothing to leave out.
    """
    refused = [str(each.get("field", "")) for each in problem.get("errors") or ()]
    sections = [field.rpartition(".")[::2] for field in refused]
    if not sections or not all(
        name in NEWEST.get(section.rpartition(".")[2], ()) for section, name in sections
    ):
        return None
    content = json.loads(body)
    runs = content if isinstance(content, list) else [content]
    removed = [
        run[section].pop(name, None)
        for run in runs
        for section, names in NEWEST.items()
        for name in names
    ]
    return json.dumps(content).encode() if any(removed) else None


ONCE: Final = Patience(attempts=1)

MOST_RUNS: Final = 100
MOST_BYTES: Final = 4 * 2**20
"""Bytes of one post: far less than a server takes, more than a round trip."""


Parcel = tuple[SpooledRun, bytes]
"""A run, and what is posted of it."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A run, the server it was posted to, and what that said."""

    entry: SpooledRun
    server: str
    answer: Answer


def deliver(
    entries: Iterable[SpooledRun],
    spool: Spool,
    patience: Patience,
    server: str | None = None,
    token: str | None = None,
) -> Iterator[Delivery]:
    """Post `entries` to `server`, or each to the server that it is meant for.

    Runs that follow each other to the same server go together. A delivered run leaves
    the spool, a refused one goes aside. A server that did not answer to patient
    attempts gets a single one for what is left.

    Parameters
    ----------
    token
        Lets the agent post, where the server asks who does.

    Raises
    ------
    FolderUnwritable
        If a run is neither delivered nor on disk: the spool was full when it was
        measured, and still is.
    """
    away: set[str] = set()
    servers: dict[str, Server | StoreServer] = {}
    with ExitStack() as connections:
        for url, batch in _batches(entries, server):
            if url not in servers and url.startswith(STORE):
                servers[url] = StoreServer(url)
            elif url not in servers:
                servers[url] = connections.enter_context(Server(url, token))
            effort = ONCE if url in away else patience
            for entry, answer in _posted(servers[url], batch, effort):
                match answer:
                    case Delivered():
                        spool.remove(entry)
                        away.discard(url)
                    case Refused():
                        spool.reject(entry, answer.problem)
                    case Undelivered():
                        spool.keep(entry)
                        away.add(url)
                yield Delivery(entry, url, answer)


def _batches(
    entries: Iterable[SpooledRun], server: str | None
) -> Iterator[tuple[str, list[Parcel]]]:
    """Yield neighbours that go to the same server, in bounded numbers."""
    batch: list[Parcel] = []
    target, size = "", 0
    for entry in entries:
        url, body = server or entry.server, entry.body
        size += len(body)
        if batch and (url != target or len(batch) == MOST_RUNS or size > MOST_BYTES):
            yield target, batch
            batch, size = [], len(body)
        target = url
        batch.append((entry, body))
    if batch:
        yield target, batch


def _posted(
    server: Server | StoreServer, batch: Sequence[Parcel], patience: Patience
) -> Iterator[tuple[SpooledRun, Answer]]:
    """Post a batch, and yield what became of each of its runs.

    A server takes all of a batch or nothing: halves of a refused one find the run
    that is to blame, and the others are delivered.
    """
    answers = server.post([(entry.id, body) for entry, body in batch], patience)
    if len(batch) == 1 or not isinstance(answers[0], Refused):
        for (entry, _), answer in zip(batch, answers, strict=True):
            yield entry, answer
        return
    middle = len(batch) // 2
    for half in (batch[:middle], batch[middle:]):
        yield from _posted(server, half, patience)
