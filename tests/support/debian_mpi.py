"""Debian's MPI libraries with their Fortran parts, unpacked and not installed.

A system-wide mpiexec would change what the agent finds. The packages of the libraries
themselves have to be there: EZTrace brings both.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from scalewatch_agent.folders import libraries_folder

PACKAGES = {
    "openmpi": ("libopenmpi-dev", "openmpi-bin", "openmpi-common"),
    "mpich": ("libmpich-dev",),
}
MULTIARCH = Path("/usr/lib/x86_64-linux-gnu")
HOW = "apt-get install eztrace gfortran && apt-get update"


@dataclass(frozen=True)
class FortranLibrary:
    """How programs in Fortran are compiled, linked and started with a library."""

    name: str
    modules: Sequence[Path]
    headers: Path
    libraries: Sequence[str]
    starter: Sequence[str]

    @property
    def links(self) -> list[str]:
        return [f"-L{MULTIARCH}", *(f"-l:{one}" for one in self.libraries)]


def debian_library(name: str, mpiexec: Path) -> FortranLibrary:
    """Return a library; `mpiexec` starts programs of MPICH."""
    root = _unpacked(name)
    if name == "openmpi":
        place = root / MULTIARCH.relative_to("/")
        runner = root / "usr/bin/orterun"
        return FortranLibrary(
            name,
            [place / "fortran/gfortran-mod-15/openmpi"],
            place / "openmpi/include",
            [
                "libmpi_usempif08.so.40",
                "libmpi_usempi_ignore_tkr.so.40",
                "libmpi_mpifh.so.40",
                "libmpi.so.40",
            ],
            [
                str(runner), "--oversubscribe", "-mca", "plm", "isolated",
                "-mca", "pml", "ob1", "-mca", "btl", "self,vader",
            ],
        )  # fmt: skip
    place = root / "usr/include/x86_64-linux-gnu/mpich"
    return FortranLibrary(
        name,
        [place],
        place,
        ["libmpichfort.so.12", "libmpich.so.12"],
        [str(mpiexec), "-launcher", "fork", "-iface", "lo"],
    )


def _unpacked(name: str) -> Path:
    """Return the folder of the unpacked packages, kept between sessions."""
    wanted = MULTIARCH / ("libmpi.so.40" if name == "openmpi" else "libmpich.so.12")
    tools = ("gfortran", "apt-get", "dpkg-deb")
    if not wanted.exists() or not all(map(shutil.which, tools)):
        pytest.skip(f"no Fortran with Debian's {name} here: {HOW}")
    root = libraries_folder() / f"debian-{name}"
    if (root / "unpacked").exists():
        return root
    root.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(
        ["apt-get", "download", *PACKAGES[name]],
        cwd=root,
        capture_output=True,
        check=False,
        env=os.environ,
    )
    if got.returncode:
        pytest.skip(f"Debian's packages of {name} cannot be downloaded: {HOW}")
    for package in root.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)
    (root / "unpacked").touch()
    return root
