"""A project of the size of a real one: 40 regions, 10 machines, 400 commits.

Every machine measures a few commits of each phase of the history through the real
services, which store and analyse them. The rows of the other commits are copies of
those of one of them: exactly what the services would have stored, had the same values
been measured again. So the whole is built in seconds, and every model and verdict in it
comes from the real analysis. Only locations, of which histories are made, are drawn for
each commit by itself, with the noise of the machine.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha1
from itertools import pairwise
from math import log2
from uuid import NAMESPACE_OID, uuid5

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.jobs import perform_next
from scalewatch.services.commits.main_line import MOST_COMMITS
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regressions import detection, records
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits as stored_commits
from scalewatch.storage.database.session import Sessions
from scalewatch.wire import Commit, RunReport
from support.builders import result, run
from support.night_draws import NightDraws, Truth
from support.recorded import record_runs
from support.row_copies import Copy, copy_measurements

PROJECT = "hydro"
SUITE = "mpi-collectives"  # of which the product knows what to expect
NEWEST = datetime(2026, 9, 1, 12, tzinfo=UTC)
SPACING = timedelta(hours=20)
RELEASES = 40  # every so many commits are released

Growth = Callable[[float], float]

SHAPES: Mapping[str, Growth] = {
    "1": lambda _: 1.0,
    "log p": log2,
    "p^(1/2)": lambda p: p**0.5,
    "p": lambda p: p,
    "p^(7/4)": lambda p: p**1.75,
    "p log p": lambda p: p * log2(p),
}

COLLECTIVES = {
    "MPI_Barrier": "log p",
    "MPI_Bcast": "log p",
    "MPI_Reduce": "log p",
    "MPI_Allreduce": "log p",
    "MPI_Gather": "p",
    "MPI_Allgather": "p",
    "MPI_Alltoall": "p log p",
    "Bcast (binary tree)": "log p",
}
"""Regions of which the product itself knows what to expect."""

CODE = {
    "hydro::advance": "1",
    "hydro::artificial_viscosity": "1",
    "hydro::boundary_exchange": "log p",
    "hydro::compute_timestep": "log p",
    "hydro::conserved_to_primitive": "1",
    "hydro::equation_of_state": "1",
    "hydro::flux_x": "1",
    "hydro::flux_y": "1",
    "hydro::flux_z": "1",
    "hydro::gather_profile": "p",
    "hydro::reconstruct": "1",
    "hydro::riemann": "1",
    "hydro::write_checkpoint": "p^(1/2)",
    "gravity::assign_mass": "1",
    "gravity::fft_backward": "p^(1/2)",
    "gravity::fft_forward": "p^(1/2)",
    "gravity::green_function": "1",
    "gravity::interpolate_force": "1",
    "gravity::transpose": "p",
    "mesh::balance": "log p",
    "mesh::coarsen": "log p",
    "mesh::find_neighbours": "log p",
    "mesh::flag_cells": "1",
    "mesh::refine": "log p",
    "mesh::sort_keys": "log p",
    "particles::deposit": "1",
    "particles::drift": "1",
    "particles::kick": "1",
    "particles::migrate": "log p",
    "output::gather_snapshot": "p",
    "output::write_restart": "p^(1/2)",
    "output::write_slices": "log p",
}
"""Regions of the code itself, with the growth that its authors promise."""

REGIONS = COLLECTIVES | CODE
IN_BYTES = ("hydro::advance", "mesh::refine", "particles::migrate", "MPI_Alltoall")
"""Regions that report their memory as well."""

MACHINES = (
    "aurora",
    "frontier",
    "juwels",
    "lumi",
    "marenostrum",
    "piz-daint",
    "supermuc",
    "hawk",
    "mogon",
    "leonardo",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How large the project is; the defaults are those of a real one.

    Parameters
    ----------
    originals
        Commits of each phase that each machine measures through the services.
    """

    regions: int = 40
    machines: int = 10
    commits: int = 400
    processes: tuple[int, ...] = (4, 8, 16, 32, 64, 128)
    repetitions: int = 8
    originals: int = 2

    @property
    def phases(self) -> list[range]:
        """The commits of each phase: what they measure changes between phases.

        In a long history that happens among the newest, where changes are looked for.
        """
        recent = min(self.commits, MOST_COMMITS)
        older = self.commits - recent
        ends = [older + round(recent * share) for share in (0.35, 0.6, 0.8, 1)]
        ends.insert(0, 0)
        return [range(*between) for between in pairwise(ends)]


def record_large_project(sessions: Sessions, size: Size = Size()) -> None:
    """Record a project of this size, analysed."""
    history = commits_of(size)
    with sessions.writing.begin() as session:
        project_id = projects.find_or_create(session, PROJECT).id
        for commit in history:
            stored_commits.id_of(session, project_id, commit)
        declare(session)
    plan = list(planned(size))
    originals = sorted({(one.original, one.machine) for one in plan})
    for number, machine in originals:
        reports = [*reports_of(size, history[number], number, machine)]
        with sessions.writing.begin() as session:
            record_runs(session, reports)
    while perform_next(sessions, owner="large project"):
        pass
    copies = [
        Copy(
            machine=MACHINES[one.machine],
            source=history[one.original].sha,
            target=history[one.commit],
        )
        for one in plan
        if one.commit != one.original
    ]
    with sessions.reading() as session:
        locate = NightDraws.of(session, truth_of(size), size.repetitions)
    copy_measurements(sessions, PROJECT, copies, locate)
    with sessions.writing.begin() as session:
        records.record(session, detection.detect(session, project_id))


@dataclass(frozen=True, slots=True)
class Measured:
    """A commit on a machine, and the commit whose values it has there."""

    commit: int
    machine: int
    original: int


def planned(size: Size) -> Iterator[Measured]:
    """Yield what is measured: one machine came late, another has left."""
    draw = random.Random(1)  # noqa: S311 - drawn to be repeated, not to be secret
    for machine in range(size.machines):
        for phase in size.phases:
            first = round(size.commits / 2) if machine == 8 else 0
            last = size.commits - size.commits // 10 if machine == 9 else size.commits
            own = [number for number in phase if first <= number < last]
            # The newest is an original: what is looked at most is no copy.
            originals = own[-1:] + own[: size.originals - 1]
            for number in own:
                original = number if number in originals else draw.choice(originals)
                yield Measured(number, machine, original)


def truth_of(size: Size) -> Callable[[str, str, str, str, float], Truth | None]:
    """Return what times of the project are drawn around; counts have no noise."""
    number_of = {commit.sha: at for at, commit in enumerate(commits_of(size))}
    phase_of = {at: k for k, phase in enumerate(size.phases) for at in phase}

    @cache
    def of_phase(region: str, machine: str, phase: int, p: float) -> Truth:
        cell = Cell(region, int(p), phase, MACHINES.index(machine))
        return Truth(cell.seconds, cell.noise)

    def truth(
        region: str, metric: str, machine: str, sha: str, p: float
    ) -> Truth | None:
        if metric != "time":
            return None
        return of_phase(region, machine, phase_of[number_of[sha]], p)

    return truth


def commits_of(size: Size) -> list[Commit]:
    """Return the history, oldest first; every now and then there is a release."""
    shas = [sha1(b"%d" % number).hexdigest() for number in range(size.commits)]  # noqa: S324
    return [
        Commit.model_validate(
            {
                "sha": sha,
                "parents": shas[number - 1 : number] if number else [],
                "branch": "main",
                "committed_at": NEWEST - (size.commits - 1 - number) * SPACING,
                "message": f"Change number {number}\n\nWhat and why follows.",
                "tag": f"v1.{number // RELEASES}" if number % RELEASES == 0 else None,
            },
            strict=False,
        )
        for number, sha in enumerate(shas)
    ]


def declare(session: Session) -> None:
    """Declare what the authors promise of the code."""
    promised = list(CODE.items())[:-2]  # of the others nothing is expected
    declarations.declare(
        session,
        PROJECT,
        [Declaration(region, "time", shape) for region, shape in promised],
        author="Ada",
        reason="Section 3 of the manual",
    )


def reports_of(
    size: Size, commit: Commit, number: int, machine: int
) -> Iterator[RunReport]:
    """Yield the runs of a machine at a commit, one per number of processes."""
    phase = next(k for k, phase in enumerate(size.phases) if number in phase)
    draw = np.random.default_rng([number, machine])
    regions = list(REGIONS)[: size.regions]
    for p in size.processes:
        results = [
            _time(Cell(region, p, phase, machine), size, draw) for region in regions
        ]
        results += [
            result(
                region=region,
                metric="memory",
                unit="B",
                values=[float(round(2e6 * (1 + k) + 4096 * p))],
            )
            for k, region in enumerate(IN_BYTES)
            if region in regions
        ]
        yield RunReport.model_validate(
            run(
                id=str(uuid5(NAMESPACE_OID, f"{commit.sha} {machine} {p}")),
                project=PROJECT,
                suite=SUITE,
                commit=commit.model_dump(mode="json"),
                machine={
                    "name": MACHINES[machine],
                    "fingerprint": _fingerprint(machine, phase),
                },
                coordinate={"p": p},
                configuration={"compiler": "gcc-14", "flags": "-O3"},
                job={"scheduler": "slurm", "id": f"{number}{p:03}", "nodes": p},
                results=results,
            ),
            strict=False,
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a time is taken."""

    region: str
    p: int
    phase: int
    machine: int

    @property
    def failure(self) -> str | None:
        """Why there is no time, if there is none."""
        place = self.region, MACHINES[self.machine]
        if place == ("gravity::transpose", "piz-daint"):
            return "the library has no such transform"
        is_late = self.phase == 3 and self.p >= 64
        if is_late and place == ("hydro::write_checkpoint", "frontier"):
            return "the file system did not answer"
        return None

    @property
    def seconds(self) -> float:
        """How long it takes, without noise."""
        number = list(REGIONS).index(self.region)
        scale = 1e-5 * (1 + number % 7) * (1 + 0.3 * self.machine)
        shape = SHAPES[self._shape]
        return scale * self._factor * (1 + shape(self.p) / shape(4))

    @property
    def noise(self) -> float:
        """Standard deviation of the logarithms of repetitions; one machine is loud."""
        return 0.2 if self.machine == 6 else 0.01 + 0.005 * self.machine

    @property
    def _shape(self) -> str:
        if self.region == "mesh::find_neighbours" and self.phase >= 1:
            return "p"  # a bug, on every machine
        if self.region == "MPI_Alltoall" and self.machine == 3:
            return "p^(7/4)"  # the fault of the platform
        if self.region == "output::gather_snapshot" and self.phase == 3:
            return "log p"  # better than expected
        return REGIONS[self.region]

    @property
    def _factor(self) -> float:
        """How much slower it is than at first, whatever the scale."""
        is_slower = self.region == "hydro::riemann" and self.phase >= 2
        is_updated = self.machine == 2 and self.phase == 3
        return (1.4 if is_slower else 1) * (1.15 if is_updated else 1)


def _time(cell: Cell, size: Size, draw: np.random.Generator) -> dict[str, object]:
    if why := cell.failure:
        return result(region=cell.region, values=[], status="failed", reason=why)
    scatter = draw.lognormal(0, cell.noise, size.repetitions)
    return result(
        region=cell.region,
        values=(cell.seconds * scatter).tolist(),
        procedure={
            "synchronisation": "window",
            "oversubscribed": cell.machine == 8 and cell.p == max(size.processes),
            "repetitions_asked": size.repetitions,
            "late": 0,
        },
    )


def _fingerprint(machine: int, phase: int) -> dict[str, object]:
    """Describe a machine; one of them gets another library in the last phase."""
    is_updated = machine == 2 and phase == 3
    return {
        "cpu": ("AMD EPYC 7763", "Intel Xeon Platinum 8480+")[machine % 2],
        "cores": 64 * (1 + machine % 3),
        "memory_bytes": 2**38,
        "interconnect": ("Slingshot 11", "InfiniBand HDR200")[machine % 2],
        "mpi": "Open MPI 5.0.11" if is_updated else "Open MPI 5.0.8",
    }
