"""The programs of SimGrid, and what has to be there besides."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import Final

from scalewatch_agent.errors import ToolMissing

PACKAGE: Final = "libsimgrid-dev"
COMPILERS: Final[Mapping[str, str]] = {
    "mpicc": "smpicc",
    "mpicxx": "smpicxx",
    "mpif90": "smpif90",
}
BEHIND: Final = {
    "mpicc": ("cc", "gcc"),
    "mpicxx": ("c++", "g++"),
    "mpif90": ("gfortran", "gfortran"),
}
"""The compiler that each of them starts, and its package."""

PATIENCE: Final = 60


def simgrid_version() -> str:
    """Return the version of SimGrid.

    Raises
    ------
    ToolMissing
        If it is not installed.
    """
    program = shutil.which("smpirun")
    if program is None:
        raise ToolMissing("smpirun (SimGrid)", PACKAGE)
    answer = subprocess.run(  # noqa: S603 - found on PATH
        [program, "-version"],
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
        env=os.environ,
    )
    return answer.stdout.strip().removeprefix("SimGrid version ") or "of no version"


def check_compilers(names: frozenset[str]) -> None:
    """See that the compilers are there which the steps of an experiment name.

    Raises
    ------
    ToolMissing
        If one is not.
    """
    for name in sorted(names & COMPILERS.keys()):
        program, package = BEHIND[name]
        for wanted, brings in ((COMPILERS[name], PACKAGE), (program, package)):
            if shutil.which(wanted) is None:
                raise ToolMissing(wanted, brings)
