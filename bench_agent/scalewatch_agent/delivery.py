"""Bring spooled runs to the server; what cannot be delivered stays on disk."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from scalewatch_agent.spool import Entry, Spool
from scalewatch_agent.upload import (
    Answer,
    Delivered,
    Patience,
    Refused,
    Server,
    Undelivered,
)

ONCE = Patience(attempts=1)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A run, the server it was posted to, and what that said."""

    entry: Entry
    server: str
    answer: Answer


def deliver(
    entries: Iterable[Entry],
    spool: Spool,
    patience: Patience,
    server: str | None = None,
) -> Iterator[Delivery]:
    """Post `entries` to `server`, or each to the server that it is meant for.

    A delivered run leaves the spool, a refused one goes aside. A server that did not
    answer to patient attempts gets a single one for each further run.

    Raises
    ------
    FolderUnwritable
        If a run is neither delivered nor on disk: the spool was full when it was
        measured, and still is.
    """
    away: set[str] = set()
    servers: dict[str, Server] = {}
    with ExitStack() as connections:
        for entry in entries:
            url = server or entry.server
            if url not in servers:
                servers[url] = connections.enter_context(Server(url))
            effort = ONCE if url in away else patience
            answer = servers[url].post(entry.id, entry.body, effort)
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
