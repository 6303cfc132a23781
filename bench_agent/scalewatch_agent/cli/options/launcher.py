"""The launcher that an experiment asks for."""

import os
from collections.abc import Mapping
from pathlib import Path

import click

from scalewatch_agent.cli.options.library import library_of
from scalewatch_agent.errors import MpiMissing, MpiUnusable
from scalewatch_agent.experiments.configured import Loaded
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.experiments.launchers.local import LocalJobs
from scalewatch_agent.experiments.launchers.slurm import PROCESSES, SlurmJobs
from scalewatch_agent.experiments.launchers.smpi.launching import simulation
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.mpi.mpiexec import Launcher
from scalewatch_agent.processors import processors

NO_SLURM = {"PRTE_MCA_ras": "^slurm", "PRTE_MCA_plm": "^slurm"}
"""Open MPI from PyPI does not speak to Slurm; its mpiexec starts on its own node."""


def job_launcher(loaded: Loaded) -> JobLauncher:
    """Return what starts the jobs of an experiment."""
    starts_mpi = any(one.processes for one in loaded.configured)
    starter = loaded.experiment.execute.starter
    if loaded.experiment.launcher.kind == "smpi":
        return simulation(loaded)
    if loaded.experiment.launcher.kind == "slurm":
        return _slurm(loaded, starter or ("srun" if starts_mpi else "none"))
    return _local(loaded, starts_mpi=starts_mpi and starter != "none")


def _local(loaded: Loaded, *, starts_mpi: bool) -> LocalJobs:
    chosen = loaded.experiment.launcher
    library = Library("none", "0", Path("mpiexec"))
    if starts_mpi or chosen.mpi:
        library = _library(loaded)
    crowded = any(one.cores > processors() for one in loaded.configured)
    return LocalJobs(Launcher(library, chosen.transport, crowded), starts_mpi)


def _slurm(loaded: Loaded, starter: str) -> SlurmJobs:
    chosen = loaded.experiment.launcher
    library = None
    if chosen.mpi or chosen.mpiexec:
        library = _library(loaded)
    variables = _variables(library, is_own=chosen.mpi is not None)
    words: tuple[str, ...] = ()
    if starter == "srun":
        words = ("srun", *([f"--mpi={chosen.srun_mpi}"] if chosen.srun_mpi else []))
    elif starter == "mpiexec":
        program = library.mpiexec if library else Path("mpiexec")
        words = (str(program), "-n", PROCESSES)
    return SlurmJobs(
        launcher=chosen,
        title=loaded.experiment.name,
        starter=words,
        variables=variables,
        known={"mpi": library.title} if library else {},
    )


def _variables(library: Library | None, *, is_own: bool) -> Mapping[str, str]:
    """Return what the jobs need to find a library that was named."""
    if library is None:
        return {}
    path = os.pathsep.join(
        [str(library.mpiexec.parent), os.environ.get("PATH", os.defpath)]
    )
    variables = {**library.environment, "PATH": path}
    if library.name == "openmpi" and os.geteuid() == 0:
        variables |= {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
    return variables | (NO_SLURM if is_own and library.name == "openmpi" else {})


def _library(loaded: Loaded) -> Library:
    """Return the library that is asked for.

    Raises
    ------
    MpiMissing
        If there is none, unless the experiment prepares the one that it names.
    MpiNotInstalled
        If the one to install cannot be.
    """
    chosen = loaded.experiment.launcher
    program = Path(chosen.mpiexec) if chosen.mpiexec else None
    try:
        return library_of(chosen.mpi, program)
    except MpiMissing:
        if not (program and loaded.experiment.prepare):
            raise
    except MpiUnusable as error:  # by Python; the program under test may be in C
        click.echo(f"Warning: {error}", err=True)
    return Library("mpi", "0", program or Path("mpiexec"))
