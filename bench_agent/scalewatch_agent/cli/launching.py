"""The launcher that an experiment asks for, and its options on the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from scalewatch_agent.cli.options import library_of, refuse_both, together
from scalewatch_agent.errors import MpiMissing, MpiUnusable
from scalewatch_agent.experiments.launchers import LAUNCHERS, jobs
from scalewatch_agent.experiments.loading import Loaded
from scalewatch_agent.experiments.parameters import names_in
from scalewatch_agent.mpi.libraries import Library

launcher_option = click.option(
    "--launcher",
    "kind",
    type=click.Choice(sorted(LAUNCHERS)),
    help="What starts the jobs, or simulates them (smpi); the file's choice unless "
    "given.",
)

_OPTIONS: Mapping[str, Any] = {
    key: option
    for section in LAUNCHERS.values()
    for key, option in section.command_line.items()
}

launcher_options = together(launcher_option, *_OPTIONS.values())
"""The choice of a launcher, and the options of all of them."""


def stated_launcher(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a command line sets, of one library at most."""
    refuse_both(options)
    changes = {key: options[key] for key in ("kind", *_OPTIONS) if options.get(key)}
    if package := options["mpi"]:
        changes |= {"mpi": package, "mpiexec": None}
    if mpiexec := options["mpiexec"]:
        changes |= {"mpi": None, "mpiexec": str(mpiexec)}
    return changes


def is_queued(options: Mapping[str, Any]) -> bool:
    """Tell whether a command line chooses a launcher whose jobs wait in a queue."""
    return options["kind"] is not None and LAUNCHERS[options["kind"]].is_queued


def job_launcher(loaded: Loaded) -> jobs.JobLauncher:
    """Return what starts the jobs of an experiment."""
    experiment = loaded.experiment
    steps = (experiment.prepare, experiment.compile)
    used = [names_in(step.run) for step in steps if step]
    return experiment.launcher.launcher(
        jobs.LaunchedSweep(
            title=experiment.name,
            folder=loaded.path.parent,
            configured=loaded.configured,
            starter=experiment.execute.starter,
            compilers=frozenset().union(*used),
            library=lambda: _library(loaded),
        )
    )


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
