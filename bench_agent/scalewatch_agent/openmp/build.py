"""Compile the kernels where a compiler knows OpenMP, once for all commands."""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from platform import machine
from typing import Final

from scalewatch_agent.compilers import compile_source, compiler_in, words_on_version
from scalewatch_agent.errors import OpenMPMissing
from scalewatch_agent.folders import make_folder

OPTIONS: Final = ("-O3", "-fopenmp", "-fno-tree-loop-distribute-patterns")
"""Without the last one, the copy of STREAM would be a call of memcpy."""

LIBRARIES: Final = ("-lm",)
PATIENCE: Final = 10


@dataclass(frozen=True, slots=True)
class Kernels:
    """The compiled kernels, and the compiler whose OpenMP they measure."""

    program: Path
    compiler: str
    version: str


def build_kernels(folder: Path, environment: Mapping[str, str] = os.environ) -> Kernels:
    """Return the kernels in `folder`, compiled by CC or the compiler on PATH.

    Raises
    ------
    OpenMPMissing
        If there is no compiler, or it cannot make an OpenMP program that starts.
    FolderUnwritable
        If nothing can be written into the folder.
    """
    if not (compiler := compiler_in(environment)):
        raise OpenMPMissing("there is no C compiler")
    source = files("scalewatch_agent.openmp").joinpath("kernels.c").read_bytes()
    key = (compiler, words_on_version(compiler), OPTIONS, LIBRARIES, machine())
    mark = hashlib.sha256(source + repr(key).encode()).hexdigest()[:16]
    program = make_folder(folder) / f"openmp-{mark}"
    if not program.exists() and (
        wrong := compile_source(compiler, OPTIONS, source, program, libraries=LIBRARIES)
    ):
        raise OpenMPMissing(wrong)
    name, _, version = _compiler_of(program).partition(" ")
    return Kernels(program, name, version)


def _compiler_of(program: Path) -> str:
    """Return the compiler's name and version, as the program that it made tells."""
    try:
        return subprocess.run(  # noqa: S603 - what the agent compiled
            [program, "compiler"],
            capture_output=True,
            check=True,
            text=True,
            timeout=PATIENCE,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        program.unlink(missing_ok=True)  # the next compiler may do better
        raise OpenMPMissing(f"what was compiled does not start ({error})") from None
