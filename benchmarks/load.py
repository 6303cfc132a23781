"""Fifty agents that post runs at a pace, and what they see.

Their bodies are made beforehand, and their HTTP is as plain as it can be: they share
the machine with the server, and it is the server that is measured.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import numpy as np
import orjson

AGENTS: Final = 50
RESULTS: Final = 100
REPETITIONS: Final = 10
PROCESSES: Final = (2, 4, 8, 16, 32, 64)
RUNS_PER_SECOND: Final = 50.0
PATIENCE_SECONDS: Final = 60.0


@dataclass
class Load:
    """What the agents saw: seconds until each acknowledgement, and what it was of."""

    seconds: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    """The same without the first run of each agent, whose machine is new."""

    acknowledged: set[UUID] = field(default_factory=set)
    refused: int = 0
    took: float = 0.0
    probes: list[float] = field(default_factory=list)
    """Seconds until /healthz answered meanwhile."""


Body = tuple[UUID, bytes]


def bodies(seconds: float) -> list[list[Body]]:
    """Return what each agent posts within so many seconds, one run after the other."""
    each = int(seconds * RUNS_PER_SECOND / AGENTS)
    return [_bodies_of(agent, each) for agent in range(AGENTS)]


def _bodies_of(agent: int, runs: int) -> list[Body]:
    rng = np.random.default_rng(agent)
    return [body(rng, agent, number) for number in range(runs)]


def body(rng: np.random.Generator, agent: int, count: int) -> Body:
    """Return the run that an agent posts as its count-th one, and its id."""
    uuid = uuid4()
    p = PROCESSES[count % len(PROCESSES)]
    commit = count // len(PROCESSES)
    scale = 1e-6 * (1 + np.log2(p)) * (1 + np.arange(RESULTS))[:, np.newaxis]
    values = np.rint(scale * rng.lognormal(0, 0.02, (RESULTS, REPETITIONS)) * 1e9) / 1e9
    run = {
        "schema": 1,
        "id": str(uuid),
        "project": "load",
        "suite": "load",
        "commit": {"sha": f"{commit:040x}", "branch": "main"},
        "machine": {"name": f"machine-{agent}", "fingerprint": {"cores": 128}},
        "coordinate": {"p": p},
        "results": [
            {
                "region": f"region {number}",
                "metric": "time",
                "unit": "s",
                "values": row.tolist(),
                "procedure": {
                    "synchronisation": "window",
                    "repetitions_asked": REPETITIONS,
                    "warm_ups": 2,
                    "late": int(late),
                    "valid_share": REPETITIONS / (REPETITIONS + int(late)),
                    "clock_error": 2.5e-7,
                    "loop": "compiled",
                    "timer_overhead": 2.1e-8,
                    "call_overhead": 3.4e-9,
                },
            }
            for number, (row, late) in enumerate(
                zip(values, rng.poisson(0.5, RESULTS), strict=True)
            )
        ],
    }
    return uuid, orjson.dumps(run)


async def posted(url: str, plan: list[list[Body]]) -> Load:
    """Let the agents post at their pace; return what they saw."""
    load = Load()
    probing = asyncio.create_task(_probe(url, load))
    started = time.monotonic()
    await asyncio.gather(
        *(_agent(url, number, own, load) for number, own in enumerate(plan))
    )
    load.took = time.monotonic() - started
    probing.cancel()
    return load


async def _agent(url: str, number: int, plan: list[Body], load: Load) -> None:
    """Post the runs of commit after commit; a late answer delays no later run."""
    connection = await _Connection.to(url)
    pause = AGENTS / RUNS_PER_SECOND
    begun = time.monotonic() + pause * number / AGENTS
    for count, (uuid, content) in enumerate(plan):
        await asyncio.sleep(max(0.0, begun + count * pause - time.monotonic()))
        sent = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                status = await connection.ask("POST /api/v1/runs", content)
        except (OSError, EOFError, TimeoutError):
            connection.close()
            connection = await _Connection.to(url)
            load.refused += 1
            continue
        load.seconds.append(time.monotonic() - sent)
        if count:
            load.later.append(load.seconds[-1])
        if status == 202:
            load.acknowledged.add(uuid)
        else:
            load.refused += 1
    connection.close()


async def _probe(url: str, load: Load) -> None:
    """Ask now and then whether the server is alive."""
    connection = await _Connection.to(url)
    while True:
        sent = time.monotonic()
        await connection.ask("GET /healthz")
        load.probes.append(time.monotonic() - sent)
        await asyncio.sleep(0.05)


class _Connection:
    """A connection that stays open, and asks one thing at a time."""

    def __init__(
        self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.host = host
        self.reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, url: str) -> "_Connection":
        address = urlsplit(url)
        streams = await asyncio.open_connection(address.hostname, address.port)
        return cls(address.netloc, *streams)

    async def ask(self, what: str, content: bytes = b"") -> int:
        """Send a request; return the status of its answer."""
        head = (
            f"{what} HTTP/1.1\r\nHost: {self.host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self.writer.write(head.encode() + content)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status = int(answer.split(b" ", 2)[1])
        length = answer.lower().partition(b"content-length:")[2].partition(b"\r")[0]
        await self.reader.readexactly(int(length or 0))
        return status

    def close(self) -> None:
        self.writer.close()
