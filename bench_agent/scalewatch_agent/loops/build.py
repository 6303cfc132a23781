"""Compile the loops where a compiler is.

The agent does this before it starts a job, so that its processes only load the result.
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
    if machine() not in WORDS or not (compiler := compiler_in(environment)):
        return None
    source = files("scalewatch_agent.loops").joinpath("loop.c").read_bytes()
    mark = hashlib.sha256(source + repr((compiler, OPTIONS, machine())).encode())
    library = make_folder(folder) / f"loop-{mark.hexdigest()[:16]}.so"
    if library.exists() or not compile_source(compiler, OPTIONS, source, library):
        return library
    return None
