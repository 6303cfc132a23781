"""Measure a suite at several process counts, one job after the other."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scalewatch.wire import RunReport
from scalewatch_agent.mpi.mpiexec import Launcher, is_oversubscribed
from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.jobs import Event, run_job
from scalewatch_agent.suite.runs import MeasuredSubject, run_reports
from scalewatch_agent.suite.suites import Suite

START = 60
"""Seconds that a job may take to start and to end."""


@dataclass(frozen=True, slots=True)
class SuiteSweep:
    """Regions, process counts and effort of a sweep."""

    suite: Suite
    regions: tuple[str, ...]
    processes: Sequence[int]
    message_bytes: tuple[int, ...]
    repetitions: int
    warm_ups: int
    budget: float
    time_limit: int | None = None
    loop: Path | None = None

    def plan(self, processes: int, launcher: Launcher) -> Plan:
        """Return what the job with so many processes is to measure."""
        return Plan(
            suite=self.suite.option,
            regions=self.regions,
            message_bytes=self.message_bytes,
            repetitions=self.repetitions,
            warm_ups=self.warm_ups,
            budget=self.budget,
            thread_level=launcher.thread_level,
            oversubscribed=is_oversubscribed(processes),
            time_limit=self.time_limit or self._ample_time(),
            seed=secrets.randbits(32),
            loop=None if self.loop is None else str(self.loop),
        )

    def _ample_time(self) -> int:
        """Warm-ups, rounds and barriers may each use up the budget of a region."""
        measurements = len(self.regions) * len(self.message_bytes)
        return START + round(measurements * (4 * self.budget + 5))


Follow = Callable[[int, Event], None]


def run_sweep(
    sweep: SuiteSweep, launcher: Launcher, subject: MeasuredSubject, follow: Follow
) -> Iterator[list[RunReport]]:
    """Yield the runs of each process count as soon as its job has ended, well or not.

    `follow` is called with the process count and each event of its job.
    """
    for processes in sweep.processes:
        plan = sweep.plan(processes, launcher)
        arguments = ("-m", "scalewatch_agent.suite.worker", plan.to_json())
        outcome = run_job(
            launcher.command(processes, *arguments),
            launcher.environment(processes),
            processes=processes,
            # The processes' own limit is the second line of defence.
            time_limit=plan.time_limit - 1,
            follow=partial(follow, processes),
        )
        yield run_reports(subject, plan, processes, outcome)
