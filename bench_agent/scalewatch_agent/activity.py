"""Activity of a node during a job: the signs that something else took its processors.

A job is measured on a node that others may use at the same time, and the kernel, too.
Its run keeps what the node did besides, as facts that nobody has to believe: see
https://docs.kernel.org/accounting/psi.html and proc(5).
"""

import os
import resource
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
PROCESSORS: Final = Path("/sys/devices/system/cpu")
FIRST_PERSON: Final = 1000
"""The lowest number of a user who is no service."""

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

    def until(self, end: "Activity") -> Mapping[str, float | int]:
        """Return the facts of a job that began here, whose processes have ended.

        Processors of others and stolen ones are means over the job; CPU pressure is
        the share of its time in which some process waited.
        """
        seconds = max(end.moment - self.moment, 1 / _TICKS)
        others = end.used - self.used - (end.children - self.children)
        facts = {
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
