"""Agents that post while things break, and remember what was acknowledged."""

import time
from threading import Event, Thread
from typing import Final, Self
from uuid import UUID, uuid4

import httpx2

from support.builders import result, run

RESULTS: Final = 3
PROCESSES: Final = (2, 4, 8, 16, 32)
PAUSE: Final = 0.2
"""Seconds between two runs of a machine; as many as can be posted are the bench's."""


class Agents:
    """Some threads, each with a machine of its own; a refused run is posted again."""

    def __init__(self, base: str, number: int = 4) -> None:
        self.base = base
        self.acknowledged: set[UUID] = set()
        self.refusals = 0
        self.refusal = ""
        self._stopping = Event()
        self._threads = [
            Thread(target=self._post, args=(machine,)) for machine in range(number)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, more: int, patience: float = 60.0) -> None:
        """Wait until so many more runs were acknowledged."""
        wanted = len(self.acknowledged) + more
        deadline = time.monotonic() + patience
        while len(self.acknowledged) < wanted:
            assert time.monotonic() < deadline, "nothing is acknowledged any more"
            time.sleep(0.05)

    def wait_for_refusals(self, more: int, patience: float = 60.0) -> None:
        """Wait until so many more runs were refused."""
        wanted = self.refusals + more
        deadline = time.monotonic() + patience
        while self.refusals < wanted:
            assert time.monotonic() < deadline, "nothing is refused"
            time.sleep(0.05)

    def _post(self, machine: int) -> None:
        count = 0
        with httpx2.Client(base_url=self.base, timeout=30) as client:
            while not self._stopping.is_set():
                self._deliver(client, _run(machine, count))
                self._stopping.wait(PAUSE)
                count += 1

    def _deliver(self, client: httpx2.Client, report: dict[str, object]) -> None:
        while not self._stopping.is_set():
            try:
                answer = client.post("/api/v1/runs", json=report)
            except httpx2.HTTPError:
                self.refusals += 1
            else:
                if answer.status_code in {200, 202}:
                    self.acknowledged.add(UUID(str(report["id"])))
                    return
                assert answer.status_code >= 500, answer.text
                self.refusal = answer.text
                self.refusals += 1
            time.sleep(0.2)


def _run(machine: int, count: int) -> dict[str, object]:
    return run(
        id=str(uuid4()),
        commit={"sha": f"{count // len(PROCESSES):040x}"},
        machine={"name": f"machine-{machine}", "fingerprint": {"cores": 2}},
        coordinate={"p": PROCESSES[count % len(PROCESSES)]},
        results=[
            result(region=f"f{number}", values=[1e-5 * (number + 1)] * 3)
            for number in range(RESULTS)
        ],
    )
