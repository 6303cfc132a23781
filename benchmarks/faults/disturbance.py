"""A system that runs while things break, and what was seen of it from outside."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from benchmarks.faults.agents import Agents
from benchmarks.faults.attackers import Attackers, variables
from benchmarks.faults.breakages import DISK, Breakages, Fault
from benchmarks.faults.probe import Probe
from benchmarks.faults.proxy import Answer, Proxy
from benchmarks.faults.stored import Stored, stored_in
from tests.support.servers.clocks import WallClock
from tests.support.servers.composition import Composition

RECOVERED: Final = 3
"""Acknowledgements after which a fault is over."""

PATIENCE_SECONDS: Final = 90.0
DRAIN_SECONDS: Final = 900.0
LONGEST_PAUSE: Final = 1.0
AT_MOST: Final = 4.0
"""Times as long as usual may things break until enough runs are acknowledged."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long things break: some time, and until so many runs are acknowledged."""

    seconds: float
    runs: int


@dataclass(frozen=True, slots=True)
class Window:
    """A fault, from its beginning until posts were acknowledged again."""

    fault: Fault
    begun: float
    ended: float


@dataclass(frozen=True, slots=True)
class Disturbed:
    """What was seen of a system, and what it held in the end.

    Parameters
    ----------
    measured
        How many runs each agent has measured.
    attacks
        How often attackers were answered so.
    gaps
        Seconds, each time nobody could read.
    """

    acknowledged: set[UUID]
    refused: int
    measured: list[int]
    windows: list[Window]
    answers: list[Answer]
    cuts: Counter[str]
    attacks: Counter[str]
    attacked: list[Answer]
    gaps: list[float]
    stored: Stored

    @property
    def unexpected(self) -> list[Answer]:
        """Answers of 5xx that no fault excuses."""
        excused = [
            (window.begun, window.ended)
            for window in self.windows
            if window.fault.victim == "database"
            or (window.fault.kind == DISK and window.fault.victim == "serve")
        ]
        return [
            answer
            for answer in (*self.answers, *self.attacked)
            if answer.status >= 500
            and not (
                answer.status == 503
                and any(begun <= answer.at <= ended for begun, ended in excused)
            )
        ]


@contextmanager
def composed(
    folder: Path, *, is_distributed: bool, clock: WallClock | None = None
) -> Iterator[Composition]:
    """Run a composition until the end of the block."""
    composition = Composition(
        folder,
        is_distributed=is_distributed,
        variables=variables(folder) | (clock.variables if clock else {}),
    )
    try:
        composition.start()
        yield composition
    finally:
        composition.remove()


def disturbed(
    composition: Composition,
    folder: Path,
    clock: WallClock | None,
    length: Length,
    seed: int,
) -> Disturbed:
    """Let agents post so long while one thing after the other breaks."""
    draw = random.Random(seed)  # noqa: S311 - faults, no secrets
    port = int(composition.settings["SCALEWATCH_PORT"])
    with Proxy(port, draw) as proxy:
        with (
            Agents(folder, proxy.url, seed) as agents,
            Probe(composition.base) as probe,
            Attackers(composition.base) as attackers,
        ):
            breakages = Breakages(composition, agents, proxy, clock, draw)
            try:
                windows = list(_windows(breakages, proxy, draw, length))
            finally:
                breakages.end_orphans()
        agents.bring_the_rest()
    composition.finished(DRAIN_SECONDS)
    return Disturbed(
        acknowledged=agents.acknowledged(),
        refused=agents.refused(),
        measured=agents.measured(),
        windows=windows,
        answers=proxy.answers,
        cuts=proxy.cuts,
        attacks=attackers.outcomes,
        attacked=attackers.answers,
        gaps=probe.gaps,
        stored=stored_in(composition.url),
    )


def _windows(
    breakages: Breakages, proxy: Proxy, draw: random.Random, length: Length
) -> Iterator[Window]:
    _wait_for(proxy, RECOVERED)
    begin = time.monotonic()
    for fault in _bags(breakages.faults, draw):
        is_enough = breakages.agents.count() >= length.runs
        if time.monotonic() - begin >= length.seconds * (1 if is_enough else AT_MOST):
            return
        begun = time.monotonic()
        breakages.inflict(fault)
        _wait_for(proxy, RECOVERED)
        breakages.agents.check()
        yield Window(fault, begun, time.monotonic())
        time.sleep(draw.uniform(0, LONGEST_PAUSE))


def _bags(faults: list[Fault], draw: random.Random) -> Iterator[Fault]:
    """Yield all faults in random order, and again."""
    while True:
        yield from draw.sample(faults, len(faults))


def _wait_for(proxy: Proxy, more: int) -> None:
    """Wait until so many more posts are acknowledged.

    Raises
    ------
    AssertionError
        If the system does not recover.
    """
    wanted = proxy.acknowledgements + more
    deadline = time.monotonic() + PATIENCE_SECONDS
    while proxy.acknowledgements < wanted:
        assert time.monotonic() < deadline, "nothing is acknowledged any more"
        time.sleep(0.05)
