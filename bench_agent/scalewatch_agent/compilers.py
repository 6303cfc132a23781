"""The C compiler of this machine, and what the agent compiles with it."""

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from platform import machine
from tempfile import TemporaryDirectory
from typing import Final

from scalewatch_agent import folders, programs

COMPILERS: Final = ("cc", "gcc", "clang", "icx")
PATIENCE: Final = 60

OPTIONS: Final = ("-O2", "-fPIC", "-shared")
WORDS: Final = ("x86_64", "aarch64")
"""Architectures whose calls pass all arguments as words; see loop.c."""


def compiler_in(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the C compiler, empty where there is none."""
    if named := environment.get("CC"):
        try:
            return shlex.split(named)
        except ValueError:  # a quotation without an end
            return [named]
    path = environment.get("PATH", os.defpath)
    for name in COMPILERS:
        if compiler := shutil.which(name, path=path):
            return [compiler]
    return []


def words_on_version(compiler: Sequence[str]) -> str:
    """Return what a compiler says of its version, empty where it says nothing."""
    return programs.answer_of([*compiler, "--version"], PATIENCE).stdout


def compile_source(
    compiler: Sequence[str],
    options: Sequence[str],
    source: bytes,
    made: Path,
    *,
    libraries: Sequence[str] = (),
) -> str:
    """Compile C to the file `made`, and return what is wrong, empty if nothing is.

    The file appears at once and whole: another agent may make it, too.
    """
    with TemporaryDirectory(dir=made.parent) as folder:
        code, new = Path(folder) / "source.c", Path(folder) / "made"
        code.write_bytes(source)
        command = [*compiler, *options, "-o", str(new), str(code), *libraries]
        try:
            done = subprocess.run(  # noqa: S603 - the user's compiler
                command,
                capture_output=True,
                check=False,
                errors="replace",
                timeout=PATIENCE,
            )
        except OSError as error:
            return f"{compiler[0]} cannot be started: {error.strerror}"
        except subprocess.TimeoutExpired:
            return f"{compiler[0]} took over {PATIENCE} s"
        if done.returncode or not new.exists():
            return f"{compiler[0]} failed{programs.complaint(done.stderr.splitlines())}"
        new.replace(made)
    return ""


def build_loops(
    folder: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the compiled loops in `folder`, or None where they cannot be had.

    The agent compiles them before it starts a job, so that its processes only load
    them. Without a known architecture, a compiler (CC, or one on PATH) or its success
    there are none, and Python has to do.
    """
    if machine() not in WORDS:
        return None
    source = files("scalewatch_agent.loops").joinpath("loop.c").read_bytes()
    return build_library("loop", source, folder, environment)


def build_collector(
    folder: Path, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """Return the compiled collector of OTF2, or None where it cannot be had."""
    source = files("scalewatch_agent.traces.otf2").joinpath("collector.c").read_bytes()
    return build_library("otf2", source, folder, environment)


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
    library = folders.code_folder(folder) / f"{name}-{mark.hexdigest()[:16]}.so"
    if library.exists() or not compile_source(compiler, OPTIONS, source, library):
        return library
    return None
