"""Compile the loops where a compiler is.

The agent does this before it starts a job, so that its processes only load the result.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from platform import machine
from tempfile import TemporaryDirectory
from typing import Final

from scalewatch_agent.folders import make_folder

COMPILERS: Final = ("cc", "gcc", "clang", "icx")
OPTIONS: Final = ("-O2", "-fPIC", "-shared")
PATIENCE: Final = 60
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
    if library.exists() or _compile(compiler, source, library):
        return library
    return None


def compiler_in(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the C compiler, empty where there is none."""
    if named := environment.get("CC"):
        return shlex.split(named)
    path = environment.get("PATH", os.defpath)
    for name in COMPILERS:
        if found := shutil.which(name, path=path):
            return [found]
    return []


def _compile(compiler: list[str], source: bytes, library: Path) -> bool:
    with TemporaryDirectory(dir=library.parent) as folder:
        code, made = Path(folder) / "loop.c", Path(folder) / "loop.so"
        code.write_bytes(source)
        try:
            done = subprocess.run(  # noqa: S603 - the user's compiler
                [*compiler, *OPTIONS, "-o", made, code],
                capture_output=True,
                check=False,
                timeout=PATIENCE,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if done.returncode or not made.exists():
            return False
        made.replace(library)  # another agent may have been quicker
    return True
