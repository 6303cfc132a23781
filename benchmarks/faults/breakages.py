"""What breaks, by kind and victim, and how it is mended."""

import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.faults.agents import Agents
from benchmarks.faults.proxy import ANSWER, REQUEST, Proxy
from benchmarks.processors import family
from tests.support.servers.clocks import WallClock
from tests.support.servers.composition import Composition
from tests.support.servers.programs import identity

from scalewatch.services.files.reader_processes import answer_requests

KILL, STOP, DISK, CUT, CLOCK = (
    "SIGKILL",
    "SIGSTOP",
    "full disk",
    "connection cut",
    "clock set",
)
HOUR: Final = 3600
FORTH, BACK = "an hour forth", "an hour back"
AGENT: Final = "agent"
READER: Final = "reader"
"""A process of the server that reads a posted file."""

LONGEST_STOP: Final = 4.0
"""Seconds: twice the lease of a job, so that another worker takes it over."""

LONGEST_FULL: Final = 3.0
MOST_CUTS: Final = 5
CUT_SECONDS: Final = 20.0
STARTING_SECONDS: Final = 60.0


@dataclass(frozen=True, order=True, slots=True)
class Fault:
    """A kind of fault, and what it befalls."""

    kind: str
    victim: str


class Breakages:
    """Breaks parts of a composition and its surroundings, one at a time.

    Parameters
    ----------
    clock
        That of server and worker, if it can jump.
    """

    def __init__(
        self,
        composition: Composition,
        agents: Agents,
        proxy: Proxy,
        clock: WallClock | None,
        draw: random.Random,
    ) -> None:
        self.composition = composition
        self.agents = agents
        self.proxy = proxy
        self.clock = clock
        self.draw = draw
        self._orphaned: list[int] = []

    @property
    def faults(self) -> list[Fault]:
        """All that can break, each in turn."""
        parts = [*self.composition.parts, AGENT]
        parts.append(READER)
        if not self.composition.is_distributed:
            parts.append("worker")
        stored = "database" if self.composition.is_distributed else "serve"
        return [
            *(Fault(kind, part) for kind in (KILL, STOP) for part in parts),
            *(Fault(DISK, part) for part in (stored, AGENT)),
            *(Fault(CUT, where) for where in (REQUEST, ANSWER)),
            *(Fault(CLOCK, way) for way in (FORTH, BACK) if self.clock),
        ]

    def inflict(self, fault: Fault) -> None:
        """Break something, and mend it after a moment."""
        kinds: Mapping[str, Callable[[str], None]] = {
            KILL: self._kill,
            STOP: self._stop,
            DISK: self._fill_disk,
            CUT: self._cut,
            CLOCK: self._set_clock,
        }
        kinds[fault.kind](fault.victim)

    def end_orphans(self) -> None:
        """End what has outlived its parent."""
        for group in self._orphaned:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    def _kill(self, victim: str) -> None:
        if victim == AGENT:
            number = self.draw.choice([*self.agents.processes])
            self.agents.kill(number)
            time.sleep(self.draw.uniform(0, 1))
            self.agents.start(number)
        elif victim in {"broker", "database"}:
            self._kill_server(victim)
        else:
            self._kill_ours(victim)

    def _kill_server(self, victim: str) -> None:
        """Kill database or broker, or a process of it that serves one connection."""
        chosen = self._chosen(victim)
        if chosen == self._pid(victim):
            self.composition.kill(victim)
            time.sleep(self.draw.uniform(0, 1))
            self.composition.revive(victim)
        else:
            _signal(chosen, signal.SIGKILL)

    def _kill_ours(self, victim: str) -> None:
        """Kill server or worker alone, as for want of memory, or with all children."""
        chosen = self._chosen(victim)
        if victim not in self.composition.processes or chosen != self._pid(victim):
            _signal(chosen, signal.SIGKILL)  # its parent replaces it
            return
        if self.draw.random() < 0.5:
            self.composition.kill(victim)
        else:
            process = self.composition.processes.pop(victim)
            self._orphaned.append(process.pid)
            process.kill()
            process.wait()
        time.sleep(self.draw.uniform(0, 1))
        self.composition.revive(victim)

    def _stop(self, victim: str) -> None:
        chosen = self._chosen(victim)
        whole = family(chosen) if self.draw.random() < 0.5 else [chosen]
        try:
            for pid in whole:
                _signal(pid, signal.SIGSTOP)
            time.sleep(self.draw.uniform(0.2, LONGEST_STOP))
        finally:
            for pid in whole:
                _signal(pid, signal.SIGCONT)

    def _fill_disk(self, victim: str) -> None:
        """Let no file grow, as where no block is left."""
        owner = identity() if victim == "database" else {}
        with _full_disk(self._pid(victim), owner):
            time.sleep(self.draw.uniform(0.5, LONGEST_FULL))
        if victim == "database" and self.composition.database:
            self.composition.database.start()  # without room for its log it ends

    def _cut(self, where: str) -> None:
        self.proxy.arm(where, self.draw.randint(1, MOST_CUTS))
        deadline = time.monotonic() + CUT_SECONDS
        while self.proxy.is_armed and time.monotonic() < deadline:
            time.sleep(0.05)

    def _set_clock(self, way: str) -> None:
        assert self.clock
        self.clock.set_by(HOUR if way == FORTH else -HOUR)
        self.clock.wait_until_told_by(self.composition.base)

    def _chosen(self, victim: str) -> int:
        """Return a process of a part: the first one as often as its children."""
        first, *others = family(self._pid(victim))
        if victim == "serve":  # its child is the worker
            return first
        return self.draw.choice([first, self.draw.choice(others or [first])])

    def _pid(self, victim: str) -> int:
        composition = self.composition
        if victim == AGENT:
            return self.draw.choice([*self.agents.processes.values()]).pid
        if victim == "worker" and not composition.is_distributed:
            return _child_of(composition.processes["serve"].pid, reads=False)
        if victim == READER:
            return _child_of(composition.processes["serve"].pid, reads=True)
        servers = {"database": composition.database, "broker": composition.broker}
        part = servers.get(victim)
        process = part.process if part else composition.processes[victim]
        assert process
        return process.pid


@contextmanager
def _full_disk(pid: int, owner: Mapping[str, Any]) -> Iterator[None]:
    """Let no file of a process and of its descendants grow.

    Parameters
    ----------
    owner
        As whom they run, for `Popen`: nobody else may limit them.
    """
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[0]  # which they inherited
    try:
        _limit(pid, 0, owner)
        yield
    finally:
        _limit(pid, unlimited, owner)


def _limit(pid: int, most: int, owner: Mapping[str, Any]) -> None:
    size = "unlimited" if most == resource.RLIM_INFINITY else str(most)
    for _ in range(2):  # the first time, a child may just have been forked
        for each in family(pid):
            subprocess.run(
                ["prlimit", f"--fsize={size}:", "--pid", str(each)],  # noqa: S607
                capture_output=True,
                check=False,  # it may just have ended
                **owner,
            )


def _child_of(pid: int, *, reads: bool) -> int:
    """Return the worker beside a server, or its newest reader.

    Raises
    ------
    RuntimeError
        If it has none for long.
    """
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline:
        if found := [each for each in family(pid)[1:] if _is_reader(each) == reads]:
            return found[-1]
        time.sleep(0.1)
    raise RuntimeError(pid)


def _is_reader(pid: int) -> bool:
    with suppress(OSError):  # it has just ended
        return (
            answer_requests.__name__.encode()
            in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
    return False


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
