"""Attackers: threads that post files which stop, swell or spin whoever reads them."""

from collections import Counter
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final, Self

import httpx2
from benchmarks.faults.proxy import Answer
from benchmarks.hostile_imports import PATIENCE, SPINNING, hostile_files

NUMBER: Final = 2
PAUSE_SECONDS: Final = 0.1
AWAY_SECONDS: Final = 1.0
READER_SECONDS: Final = 3
"""Of a processor, that a reader may take: few, so that many readers are ended."""

ORIGIN: Final = {"project": "hostile", "commit": "v1", "machine": "m"}


class Attackers:
    """Threads that post hostile files of every format until the end of the block.

    Attributes
    ----------
    answers
        Answers of 5xx.
    outcomes
        How many answers there were by status, or by error where nobody answered.
    """

    def __init__(self, base: str) -> None:
        self.base = base
        self.answers: list[Answer] = []
        self.outcomes: Counter[str] = Counter()
        self._ending = Event()
        self._threads = [
            Thread(target=self._run, args=(number / NUMBER,), name="attacker")
            for number in range(NUMBER)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def _run(self, start: float) -> None:
        """Post all files again and again, from another one on than other attackers."""
        files = list(hostile_files())
        at = int(start * len(files))
        with httpx2.Client(base_url=self.base, timeout=PATIENCE) as client:
            while not self._ending.wait(PAUSE_SECONDS):
                file_format, body = files[at % len(files)]
                address = f"/api/v1/import/{file_format}"
                try:
                    answer = client.post(address, content=body, params=ORIGIN)
                except httpx2.HTTPError:
                    self.outcomes["none"] += 1
                    self._ending.wait(AWAY_SECONDS)
                    continue
                at += answer.status_code != 429
                self.outcomes[f"of {answer.status_code}"] += 1
                if answer.status_code >= 500:
                    self.answers.append(Answer(monotonic(), answer.status_code))


def variables(folder: Path) -> dict[str, str]:
    """Return variables of a server whose reader of CUBE's profiles never ends."""
    (folder / "pycubexr.py").write_text(SPINNING, "utf-8")
    return {
        "PYTHONPATH": str(folder),
        "SCALEWATCH_READER_SECONDS": str(READER_SECONDS),
    }
