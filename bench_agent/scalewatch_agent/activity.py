"""Activity of a node during a job: the signs that something else took its processors.

A job is measured on a node that others may use at the same time, and the kernel, too.
Its run keeps what the node did besides, as facts that nobody has to believe: see
https://docs.kernel.org/accounting/psi.html, sched-stats.html beside it, and proc(5).

What disturbs a job is one share W: the time in which its processes could run and did
not, over that and the time in which they ran; it takes them 1/(1 − W) times as long. A
short repetition is met by it only where they come onto a processor about as often as it
is repeated, after an interruption or a wait for each other: `python -m benchmarks
disturbed` shows both.

`python -m scalewatch_agent.activity MARK` prints the facts of the job of a mark, on
whichever node it runs, when it is told to end.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Final

from scalewatch.wire import SECONDS

PROC: Final = Path("/proc")
PROCESSORS: Final = Path("/sys/devices/system/cpu")
FIRST_PERSON: Final = 1000
"""The lowest number of a user who is no service."""

MARK: Final = "SCALEWATCH_AGENT_JOB"
"""Variable by which the processes of a job are known, whatever started them."""

WAITED: Final = "share of time waiting for a processor"
TURNS: Final = "turns on a processor per second"

MOST_WAITING: Final = 0.035
"""Share of the time of a job's processes beyond which it is disturbed: between those at
which medians move by 2 and by 5 %."""

LEAST_TURNS: Final = 0.4
"""Turns of the processes on a processor per repetition: below, most repetitions begin
and end in one."""

MOST_SCATTER: Final = 0.035
"""Share by which the median lies above the shortest repetitions where these alone are
as if nothing else ran."""

SHORTEST: Final = 0.1
"""Share of the repetitions that are the shortest."""

_FIRST_LOOK, _LAST_LOOK, _SLOWER = 0.02, 0.25, 1.3
"""Seconds between looks at the processes of a job, and how they become rarer."""

_LOOKS: Final = 4
"""So often a process is asked for the mark: it has none until it has been replaced by
its program."""

_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Activity:
    """The sums of a node since it was started, at a moment.

    Parameters
    ----------
    moment
        Seconds of a clock that only runs forwards.
    used
        Seconds of all processors in which something ran.
    stolen
        Seconds of all processors in which a hypervisor ran something else.
    waited
        Seconds in which some process waited for a processor; None without PSI.
    throttled
        How often the processors were too hot.
    children
        Seconds of processors that ended children of this process have used.
    switches
        How often those had to leave a processor that they still wanted.
    load
        Processes that ran or waited to run, over a minute.
    """

    moment: float
    used: float
    stolen: float
    waited: float | None
    throttled: int
    children: float
    switches: int
    load: float

    @classmethod
    def now(cls) -> "Activity":
        """Return those of this moment; zeros where the system does not tell."""
        first, *_ = _content(PROC / "stat").splitlines() or [""]
        # user, nice, system, idle, iowait, irq, softirq, steal; guests are in user.
        ticks = [int(word) for word in first.split()[1:9]] or [0] * 8
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(
            moment=time.monotonic(),
            used=(sum(ticks[:3]) + sum(ticks[5:7])) / _TICKS,
            stolen=sum(ticks[7:]) / _TICKS,
            waited=_waited(),
            throttled=sum(
                int(_content(path) or 0)
                for path in PROCESSORS.glob(
                    "cpu[0-9]*/thermal_throttle/core_throttle_count"
                )
            ),
            children=usage.ru_utime + usage.ru_stime,
            switches=usage.ru_nivcsw,
            load=os.getloadavg()[0],
        )

    def until(self, end: "Activity", ran: float = 0.0) -> dict[str, float | int]:
        """Return the facts of a job that began here, whose processes have ended.

        Processors of others and stolen ones are means over the job; CPU pressure is
        the share of its time in which some process waited.

        Parameters
        ----------
        ran
            Seconds of processors that the job is known to have used, whose processes
            may be no children of this one.
        """
        seconds = max(end.moment - self.moment, 1 / _TICKS)
        used = max(ran, end.children - self.children)
        others = end.used - self.used - used
        facts: dict[str, float | int] = {
            "processors of others": round(max(others, 0) / seconds, 2),
            "processors stolen": round((end.stolen - self.stolen) / seconds, 2),
            "involuntary switches": end.switches - self.switches,
            "load before": round(self.load, 2),
            "load after": round(end.load, 2),
            "throttled": end.throttled - self.throttled,
            "processes of other users": _processes_of_others(),
        }
        if self.waited is not None and end.waited is not None:
            waiting = (end.waited - self.waited) / seconds
            facts["CPU pressure"] = round(min(waiting, 1), 3)
        if frequency := _megahertz():
            facts["frequency [MHz]"] = frequency
        return facts


@contextmanager
def observed(mark: str) -> Iterator[dict[str, float | int]]:
    """Observe the node while the job of a mark runs; the facts are there at the end."""
    facts: dict[str, float | int] = {}
    waiting, before = Waiting(mark), Activity.now()
    waiting.start()
    try:
        yield facts
    finally:
        waiting.end()
        end = Activity.now()
        facts |= before.until(end, waiting.ran)
        stolen, used = end.stolen - before.stolen, end.used - before.used
        if waiting.ran and (share := waiting.share) is not None:
            held_up = stolen / (stolen + used) if stolen > 0 else 0.0
            facts[WAITED] = round(1 - (1 - share) * (1 - held_up), 4)
            facts[TURNS] = round(waiting.turns / (end.moment - before.moment), 2)


def is_disturbed(
    facts: Mapping[str, object], values: Sequence[float], unit: str = "s"
) -> bool:
    """Tell whether others took processors that a job wanted, so that times moved.

    Parameters
    ----------
    facts
        Those of the job.
    values, unit
        Its repetitions; those that are no times are disturbed by the share alone.
    """
    share, rate = facts.get(WAITED), facts.get(TURNS)
    if not isinstance(share, int | float) or share <= MOST_WAITING:
        return False
    if not values or unit not in SECONDS or not isinstance(rate, int | float):
        return True
    level, shortest = median(values), sorted(values)[int(SHORTEST * len(values))]
    is_met = rate * level * SECONDS[unit] >= LEAST_TURNS
    return is_met or level > (1 + MOST_SCATTER) * shortest


class Waiting(Thread):
    """Looks at how long the processes of a job run and wait, while they do.

    `ran` is in seconds; both sums lack what came after the last look.
    """

    def __init__(self, mark: str) -> None:
        super().__init__(daemon=True)
        self._mark = f"{MARK}={mark}".encode()
        self._over = Event()
        self._looks: dict[str, int] = {}
        self._tasks: dict[str, tuple[int, int, int]] = {}

    @property
    def ran(self) -> float:
        """Seconds in which they ran."""
        return sum(ran for ran, _, _ in self._tasks.values()) / 1e9

    @property
    def turns(self) -> int:
        """How often they came onto a processor."""
        return sum(turns for _, _, turns in self._tasks.values())

    @property
    def share(self) -> float | None:
        """The share of the time in which they could run and did not."""
        ran = sum(ran for ran, _, _ in self._tasks.values())
        waited = sum(waited for _, waited, _ in self._tasks.values())
        return waited / (ran + waited) if ran else None

    def run(self) -> None:
        """Look again and again."""
        pause = _FIRST_LOOK
        while not self._over.wait(pause):
            self.look()
            pause = min(_LAST_LOOK, pause * _SLOWER)

    def end(self) -> None:
        """Look no longer."""
        self._over.set()
        self.join()

    def look(self) -> None:
        """Note how long each task of the job has run and waited since it began."""
        for entry in os.scandir(PROC) if PROC.is_dir() else ():
            if entry.name.isdecimal() and self._is_of_job(entry.name):
                for task in (PROC / entry.name / "task").glob("*/schedstat"):
                    if words := _content(task).split():
                        ran, waited, turns = map(int, words)
                        if ran:
                            self._tasks[str(task)] = ran, waited, turns

    def _is_of_job(self, process: str) -> bool:
        looks = self._looks.get(process, 0)
        if looks < 0 or looks >= _LOOKS or process == str(os.getpid()):
            return looks < 0
        try:
            variables = (PROC / process / "environ").read_bytes()
        except OSError:
            looks = _LOOKS  # it has ended, or belongs to somebody else
        else:
            looks = -1 if self._mark in variables.split(b"\0") else looks + 1
        self._looks[process] = looks
        return looks < 0


def main() -> None:
    """Print the facts of the job of a mark when this program is told to end."""
    over = Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with observed(sys.argv[1]) as facts:
        over.wait()
    print(json.dumps(facts))  # noqa: T201 - a program of its own


def _waited() -> float | None:
    first, *_ = _content(PROC / "pressure/cpu").splitlines() or [""]
    total = first.rpartition("total=")[2]
    return int(total) / 1e6 if total.isdecimal() else None


def _processes_of_others() -> int:
    """Return how many processes of people there are who are not this user."""
    count = 0
    for entry in os.scandir(PROC) if PROC.is_dir() else ():
        if entry.name.isdecimal():
            with suppress(OSError):  # it has ended
                user = entry.stat().st_uid
                count += user >= FIRST_PERSON and user != os.getuid()
    return count


def _megahertz() -> int | None:
    """Return the mean frequency of the processors, where it can be read."""
    files = PROCESSORS.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")
    stated = [int(text) for file in files if (text := _content(file).strip())]
    return round(sum(stated) / len(stated) / 1000) if stated else None


def _content(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
