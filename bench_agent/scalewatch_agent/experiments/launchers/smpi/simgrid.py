"""SimGrid on this host: its programs, platforms and failures, and this host's speed.

A platform's hosts do so many operations a second, hence a program computes there for
its seconds here times the speed of this host over theirs. Some failures that SMPI
reports end with exit code 0.
"""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.etree import ElementTree as ET

from scalewatch_agent import compilers, errors, programs

# A platform is a file that the experiment's author names, as a program is.


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

TITLES: Final = {
    "torus": "a 5-D torus of 4×4×4×8×8 nodes with links of 2 GB/s and 40 ns",
    "fat-tree": "a fat tree of three levels of 16 with links of 12.5 GB/s and 500 ns",
    "dragonfly": "a dragonfly of 11 groups of 6 chassis of 16 blades of 4 nodes with "
    "links of 10 GB/s and 300 ns",
}
"""Plausible networks, calibrated to no real machine."""

_RADICAL: Final = re.compile(r"(\d+)(?:-(\d+))?")


def simgrid_version() -> str:
    """Return the version of SimGrid.

    Raises
    ------
    ToolMissing
        If it is not installed.
    """
    program = shutil.which("smpirun")
    if program is None:
        raise errors.ToolMissing("smpirun (SimGrid)", PACKAGE)
    answer = programs.answer_of([program, "-version"], PATIENCE)
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
                raise errors.ToolMissing(wanted, brings)


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: its name, its file, its number of hosts, and what it is."""

    name: str
    path: Path
    hosts: int
    title: str


def platform_of(named: str, folder: Path) -> Platform:
    """Return a platform of ours, or the one in a file whose path begins at `folder`.

    Raises
    ------
    PlatformUnusable
        If there is no such file, or none that describes hosts.
    """
    if named in TITLES:
        # The package lies in a folder: pip unpacks it, and so does a checkout.
        path = (
            Path(str(files("scalewatch_agent.experiments.launchers.smpi")))
            / f"{named}.xml"
        )
        return Platform(named, path, _hosts(path), TITLES[named])
    path = folder / named
    if path.suffix != ".xml":
        known = ", ".join(TITLES)
        raise errors.PlatformUnusable(named, f"write one of {known}, or a FILE.xml")
    return Platform(path.stem, path, _hosts(path), f"the platform {path.name}")


def _hosts(path: Path) -> int:
    """Return how many hosts a file describes."""
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - the author's own file
    except OSError as error:
        raise errors.PlatformUnusable(str(path), error.strerror or str(error)) from None
    except ET.ParseError as error:
        raise errors.PlatformUnusable(str(path), f"this is no XML: {error}") from None
    hosts = len(list(root.iter("host")))
    for cluster in (*root.iter("cluster"), *root.iter("cabinet")):
        hosts += sum(
            int(end or start) - int(start) + 1
            for start, end in _RADICAL.findall(cluster.get("radical", ""))
        )
    if root.tag != "platform" or not hosts:
        raise errors.PlatformUnusable(str(path), "it describes no hosts of SimGrid")
    return hosts


def host_speed() -> float:
    """Return the operations a second of a short loop, compiled as codes usually are.

    Raises
    ------
    ToolMissing
        If no compiler can make it.
    """
    compiler = compilers.compiler_in(os.environ)
    if not compiler:
        raise errors.ToolMissing("cc", "gcc", "or state launcher.host_speed, as 10Gf")
    source = files("scalewatch_agent.experiments.launchers.smpi")
    with TemporaryDirectory() as folder:
        code, program = Path(folder) / "host_speed.c", Path(folder) / "host_speed"
        code.write_bytes(source.joinpath(code.name).read_bytes())
        for command in (
            [*compiler, "-O2", "-o", str(program), str(code)],
            [str(program)],
        ):
            answer = programs.answer_of(command, PATIENCE)
            if answer.returncode:
                reason = "or state launcher.host_speed, as 10Gf"
                raise errors.ToolMissing(command[0], "gcc", reason)
        return float(answer.stdout)


LARGEST: Final = 2**20
"""Bytes of what a job said that are read: its first complaint explains the others."""

SENTENCES: Final = (
    (
        re.compile(r"SMPI-specific compiler|Could not resolve entry point"),
        "the program is not built for SMPI: compile it by {mpicc}, {mpicxx}, {mpif90}",
    ),
    (
        re.compile(r"\[smpi_pmpi/WARNING\] MPI_Abort was called"),
        "the program called MPI_Abort",
    ),
    (
        re.compile("Deadlock detected"),
        "deadlock: processes wait for messages, or for others, that never come",
    ),
    (
        re.compile(r"Memory \w+ of \d+ bytes failed|bad_alloc"),
        "there is not enough memory",
    ),
)
_LOGGED: Final = re.compile(r"\[[^\]]*\d\.\d+\] ")
_COMPLAINT: Final = re.compile(r"/CRITICAL\] (.+)")


def failure_said(folder: Path) -> str | None:
    """Return what the simulator said of the failure of the job in `folder`, if it did.

    What the program itself writes is no complaint of the simulator.
    """
    try:
        with (folder / programs.STDERR).open(errors="replace") as file:
            text = file.read(LARGEST)
    except OSError:
        return None
    said = "\n".join(
        line
        for line in text.splitlines()
        if "/CRITICAL] " in line
        or (line.startswith("Error: Did you compile") or "[smpi_pmpi/WARNING]" in line)
    )
    for pattern, sentence in SENTENCES:
        if pattern.search(said):
            # What the program itself wrote, if the simulator has no backtrace.
            lines = text.splitlines() if "Backtrace" not in text else []
            words = [line for line in lines if not _LOGGED.match(line)]
            return sentence + programs.complaint(words)
    critical = _COMPLAINT.search(said)
    return critical and f"SMPI: {critical[1][:500]}"
