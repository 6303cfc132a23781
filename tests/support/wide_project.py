"""A project as wide as a table can become: hundreds of regions, dozens of machines.

Few commits, each measured and analysed by the real services. One region in ten scales
worse than expected on every third machine, one in fifty is better, and one fails on the
last machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1
from math import log2
from uuid import NAMESPACE_OID, uuid5

import numpy as np

from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import Sessions
from scalewatch.wire import RunReport
from support.builders import result, run
from support.recorded import record

PROJECT = "wide"
MODULES = ("mesh", "hydro", "gravity", "particles", "output")


@dataclass(frozen=True, slots=True)
class Width:
    """How wide the project is.

    Parameters
    ----------
    letters
        Letters that names of regions and machines are filled up to.
    """

    regions: int = 400
    machines: int = 10
    commits: int = 2
    processes: tuple[int, ...] = (4, 8, 16, 32, 64)
    repetitions: int = 5
    letters: int = 0

    def region(self, number: int) -> str:
        """Return the name of a region."""
        module = MODULES[number % len(MODULES)]
        return f"{module}::kernel_{number:03}".ljust(self.letters, "x")

    def machine(self, number: int) -> str:
        """Return the name of a machine."""
        return f"cluster-{number:02}".ljust(self.letters, "y")


def record_wide_project(sessions: Sessions, width: Width) -> RunReport:
    """Record a project of this width, analysed; return its last run."""
    with sessions.writing.begin() as session:
        projects.find_or_create(session, PROJECT)
        promised = [
            Declaration(width.region(number), "time", "log p")
            for number in range(width.regions)
        ]
        declarations.declare(session, PROJECT, promised, author="Ada", reason="manual")
    reports = list(reports_of(width))
    record(sessions, reports)
    return reports[-1]


def reports_of(width: Width) -> Iterator[RunReport]:
    """Yield the runs of all machines at all commits."""
    for commit in range(width.commits):
        for machine in range(width.machines):
            draw = np.random.default_rng([commit, machine])
            for p in width.processes:
                yield _report(width, commit, machine, p, draw)


def _report(
    width: Width, commit: int, machine: int, p: int, draw: np.random.Generator
) -> RunReport:
    sha = sha1(b"%d" % commit).hexdigest()  # noqa: S324 - a name, no secret
    results = [
        _result(width, number, machine, p, draw) for number in range(width.regions)
    ]
    return RunReport.model_validate(
        run(
            id=str(uuid5(NAMESPACE_OID, f"{PROJECT} {commit} {machine} {p}")),
            project=PROJECT,
            suite="own",
            commit={
                "sha": sha,
                "message": f"Change number {commit}",
                "committed_at": f"2026-09-{commit + 1:02}T12:00:00Z",
            },
            machine={"name": width.machine(machine), "fingerprint": {"cores": 64}},
            coordinate={"p": p},
            configuration={},
            results=results,
        ),
        strict=False,
    )


def _result(
    width: Width, number: int, machine: int, p: int, draw: np.random.Generator
) -> dict[str, object]:
    if number == 7 and machine == width.machines - 1:
        return result(
            region=width.region(number), values=[], status="failed", reason="no memory"
        )
    is_worse = number % 10 == 0 and machine % 3 == 0
    growth = p if is_worse else 1.0 if number % 50 == 1 else log2(p)
    scatter = draw.lognormal(0, 0.02, width.repetitions)
    seconds = 1e-5 * (1 + number % 7) * (1 + growth)
    return result(region=width.region(number), values=(seconds * scatter).tolist())
