"""MPI programs in C that tests compile with the library's own compiler, and trace."""

import atexit
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from scalewatch_agent.folders import interposers_folder
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.mpi.mpiexec import Launcher
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.recording.build import interposer
from scalewatch_agent.traces.reduction import Reduced, reduced

PROGRAMS = Path(__file__).parents[1] / "agent" / "traces" / "programs"


@dataclass(frozen=True)
class Traced:
    """A program that has run with the interposer."""

    done: subprocess.CompletedProcess[str]
    folder: Path

    @property
    def sums(self) -> Reduced:
        return reduced(read_own(self.folder))


def compiled(library: Library, name: str, folder: Path, *options: str) -> Path:
    """Return the program of a source among the tests, a copy in a folder."""
    return Path(shutil.copy(_built(library, name, options), folder))


@cache
def _built(library: Library, name: str, options: tuple[str, ...]) -> Path:
    """Return the program, compiled once by each process that runs tests."""
    made = Path(mkdtemp(dir=_folder())) / f"{name}-{library.name}"
    compiler = library.mpiexec.parent / "mpicc"
    source = PROGRAMS / f"{name}.c"
    command = [compiler, "-O1", "-g", *options, "-o", made, source, "-lpthread"]
    subprocess.run([*map(str, command)], check=True)
    return made


@cache
def _folder() -> str:
    """Return a folder that is removed at the end of the process."""
    folder = mkdtemp(prefix="scalewatch-programs-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def traced(
    library: Library, folder: Path, *words: Any, p: int = 2, **variables: Any
) -> Traced:
    """Run a program of p processes with the interposer before its library."""
    launcher = Launcher(library, "shm", crowded=True)
    environment = launcher.program_environment(p)
    preloaded = interposer(interposers_folder(), "mpicc", environment)
    trace = folder / "trace"
    environment |= {"SCALEWATCH_TRACE": str(trace), "SCALEWATCH_TRACE_RUN": "test"}
    environment |= {name: str(value) for name, value in variables.items()}
    command = ("env", f"LD_PRELOAD={preloaded}", *map(str, words))
    done = subprocess.run(
        launcher.program(p, *command),
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Traced(done, trace)


def totals(sums: Reduced) -> dict[str, tuple[int, int, int]]:
    """Return calls, messages and bytes by function."""
    found: dict[str, tuple[int, int, int]] = {}
    for one in sums.locations:
        before = found.get(one.function, (0, 0, 0))
        own = (one.calls, one.messages, one.bytes)
        found[one.function] = tuple(map(sum, zip(before, own, strict=True)))
    return found
