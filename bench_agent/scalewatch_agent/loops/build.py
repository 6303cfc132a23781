"""Compile code in C where a compiler is: the loops, and kernels that are measured.

The agent compiles the loops before it starts a job, so that its processes only load
them.
"""

import hashlib
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from platform import machine
from typing import Final

from scalewatch_agent.compilers import compile_source, compiler_in
from scalewatch_agent.folders import make_folder

OPTIONS: Final = ("-O2", "-fPIC", "-shared")
WORDS: Final = ("x86_64", "aarch64")
"""Architectures whose calls pass all arguments as words; see loop.c."""


def build_loops(
    folder: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the compiled loops in `folder`, or None where they cannot be had.

    Without a known architecture, a compiler (CC, or one on PATH) or its success there
    are none, and Python has to do.
    """
    if machine() not in WORDS:
        return None
    source = files("scalewatch_agent.loops").joinpath("loop.c").read_bytes()
    return build_library("loop", source, folder, environment)


def build_library(
    name: str,
    source: bytes,
    folder: Path,
    environment: Mapping[str, str] = os.environ,
) -> Path | None:
    """Return the shared library in `folder` that a compiler makes of a source in C.

    None without a compiler, or without its success.
    """
    if not (compiler := compiler_in(environment)):
        return None
    mark = hashlib.sha256(source + repr((compiler, OPTIONS, machine())).encode())
    library = make_folder(folder) / f"{name}-{mark.hexdigest()[:16]}.so"
    if library.exists() or not compile_source(compiler, OPTIONS, source, library):
        return library
    return None
