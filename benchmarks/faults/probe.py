"""Somebody who reads from the server all the time, and notes when nobody answers."""

import time
from threading import Event, Thread
from typing import Final, Self

import httpx2

PATH: Final = "/api/v1/projects"
PAUSE_SECONDS: Final = 0.5
PATIENCE_SECONDS: Final = 5.0
"""What is not answered by then counts as not answered."""


class Probe:
    """A thread that asks until the end of the block.

    Attributes
    ----------
    gaps
        Seconds from an answer to the next one, where a request in between had none.
    """

    def __init__(self, base: str) -> None:
        self.base = base
        self.gaps: list[float] = []
        self._ending = Event()
        self._thread = Thread(target=self._run, name="probe")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        last, is_gap = time.monotonic(), False
        with httpx2.Client(base_url=self.base, timeout=PATIENCE_SECONDS) as client:
            while not self._ending.wait(PAUSE_SECONDS):
                if not _is_answered(client):
                    is_gap = True
                    continue
                now = time.monotonic()
                if is_gap:
                    self.gaps.append(now - last)
                last, is_gap = now, False


def _is_answered(client: httpx2.Client) -> bool:
    try:
        return client.get(PATH).is_success
    except httpx2.HTTPError:
        return False
