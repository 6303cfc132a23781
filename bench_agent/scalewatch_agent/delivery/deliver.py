"""Bring spooled runs to the server; what cannot be delivered stays on disk."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from scalewatch_agent.delivery import upload
from scalewatch_agent.delivery.spool import Spool, SpooledRun

ONCE: Final = upload.Patience(attempts=1)

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
    answer: upload.Answer


def deliver(
    entries: Iterable[SpooledRun],
    spool: Spool,
    patience: upload.Patience,
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
    servers: dict[str, upload.Server] = {}
    with ExitStack() as connections:
        for url, batch in _batches(entries, server):
            if url not in servers:
                servers[url] = connections.enter_context(upload.Server(url, token))
            effort = ONCE if url in away else patience
            for entry, answer in _posted(servers[url], batch, effort):
                match answer:
                    case upload.Delivered():
                        spool.remove(entry)
                        away.discard(url)
                    case upload.Refused():
                        spool.reject(entry, answer.problem)
                    case upload.Undelivered():
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
    server: upload.Server, batch: Sequence[Parcel], patience: upload.Patience
) -> Iterator[tuple[SpooledRun, upload.Answer]]:
    """Post a batch, and yield what became of each of its runs.

    A server takes all of a batch or nothing: halves of a refused one find the run
    that is to blame, and the others are delivered.
    """
    answers = server.post([(entry.id, body) for entry, body in batch], patience)
    if len(batch) == 1 or not isinstance(answers[0], upload.Refused):
        for (entry, _), answer in zip(batch, answers, strict=True):
            yield entry, answer
        return
    middle = len(batch) // 2
    for half in (batch[:middle], batch[middle:]):
        yield from _posted(server, half, patience)
