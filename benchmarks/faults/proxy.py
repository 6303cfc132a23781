"""A TCP proxy between agents and server: it cuts connections, and notes all answers."""

import asyncio
import random
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Final, Self

REQUEST, ANSWER = "midway in request", "midway in answer"
"""Where a connection is cut."""

CHUNK: Final = 2**16
MOST_BYTES: Final = 2_000
"""Within so many bytes of a request it is cut: requests are about as long."""

POST: Final = b"POST "


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said, and when."""

    at: float
    status: int


@dataclass(slots=True)
class Exchange:
    """A request and its answer, and where the connection is cut, if it is.

    Parameters
    ----------
    left
        Bytes of the request that still go through.
    """

    cut: str = ""
    left: int = 0
    is_answered: bool = False


@dataclass(slots=True)
class Link:
    """Both sides of a connection, and the exchange that goes on."""

    agent: asyncio.StreamWriter
    server: asyncio.StreamWriter
    exchange: Exchange = field(default_factory=lambda: Exchange(is_answered=True))

    def abort(self) -> None:
        """End both sides as a network does that fails."""
        self.agent.transport.abort()
        self.server.transport.abort()


class Proxy:
    """Passes on what agents and server say, in a thread; a context manager.

    Parameters
    ----------
    port
        That of the server on the loopback address.
    """

    def __init__(self, port: int, draw: random.Random) -> None:
        self.port = port
        self.draw = draw
        self.answers: list[Answer] = []
        self.cuts: Counter[str] = Counter()
        self._armed: deque[str] = deque()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        listening = asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def acknowledgements(self) -> int:
        """How many posts were acknowledged, as far as the server is concerned."""
        return sum(answer.status in {200, 202} for answer in [*self.answers])

    def arm(self, where: str, number: int) -> None:
        """Cut the next requests, or their answers."""
        self._armed.extend([where] * number)

    @property
    def is_armed(self) -> bool:
        """Whether a connection is still to be cut."""
        return bool(self._armed)

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            server, out = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:  # nobody listens
            writer.transport.abort()
            return
        link = Link(writer, out)
        with suppress(OSError):
            await asyncio.gather(
                self._requests(reader, link), self._answers(server, link)
            )
        link.abort()

    async def _requests(self, reader: asyncio.StreamReader, link: Link) -> None:
        while chunk := await reader.read(CHUNK):
            if link.exchange.is_answered:
                link.exchange = self._begun(chunk)
            exchange = link.exchange
            if exchange.cut == REQUEST and len(chunk) >= exchange.left:
                self.cuts[REQUEST] += 1
                link.server.write(chunk[: exchange.left])
                await asyncio.sleep(0)  # let it leave
                break
            exchange.left -= len(chunk)
            link.server.write(chunk)
            await link.server.drain()
        link.abort()

    def _begun(self, chunk: bytes) -> Exchange:
        if not chunk.startswith(POST) or not self._armed:
            return Exchange()
        return Exchange(self._armed.popleft(), self.draw.randrange(MOST_BYTES))

    async def _answers(self, reader: asyncio.StreamReader, link: Link) -> None:
        while chunk := await reader.read(CHUNK):
            exchange = link.exchange
            if not exchange.is_answered:
                exchange.is_answered = True
                status = int(chunk.split(b" ", 2)[1])
                self.answers.append(Answer(time.monotonic(), status))
            if exchange.cut:
                # A request that was shorter than where it was to be cut, too.
                self.cuts[ANSWER] += 1
                link.agent.write(chunk[: self.draw.randrange(len(chunk))])
                await asyncio.sleep(0)
                break
            link.agent.write(chunk)
            await link.agent.drain()
        link.abort()
