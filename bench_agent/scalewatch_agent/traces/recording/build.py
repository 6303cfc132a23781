"""Compile the interposer against the MPI library in use.

The result is kept by library and version: by what its mpi.h says, and where it lies.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from scalewatch_agent import compilers, errors, folders, programs
from scalewatch_agent.traces.recording.wrappers import (
    fortran_wrappers,
    numbers,
    wrappers,
)

PART: Final = re.compile(r'^#include "(\w+\.c)"$', re.MULTILINE)
OPTIONS: Final = ("-O2", "-fPIC", "-shared", "-fno-omit-frame-pointer")
PATIENCE: Final = 120


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler that finds mpi.h and its library by itself, or by options."""

    words: tuple[str, ...]
    libraries: tuple[str, ...] = ()


def interposer(
    folder: Path, mpicc: str, environment: Mapping[str, str] = os.environ
) -> Path:
    """Return the interposer for the library of `mpicc`, kept in `folder`.

    Without that compiler beside mpiexec a plain one does, as long as the library
    brings its header.

    Raises
    ------
    ToolMissing
        If there is no compiler.
    TracingImpossible
        If it cannot compile the interposer.
    """
    path = environment.get("PATH", os.defpath)
    candidates = list(_compilers(mpicc, path, environment))
    if not candidates:
        raise errors.ToolMissing(mpicc, "gcc")
    reasons = []
    for compiler in candidates:
        try:
            return compiled_by(compiler, folders.code_folder(folder), environment)
        except errors.TracingImpossible as error:
            reasons.append(error)
    raise reasons[0]


def compiled_by(
    compiler: Compiler, folder: Path, environment: Mapping[str, str] = os.environ
) -> Path:
    """Return the interposer that a compiler makes for its library, kept in `folder`.

    Raises
    ------
    TracingImpossible
        If it cannot compile it.
    """
    source = interposer_source()
    options = (*compiler.words[1:], *OPTIONS)
    libraries = (*compiler.libraries, "-ldl", "-lpthread")
    header = _header(compiler, environment)
    parts = (source, compiler, OPTIONS, header)
    mark = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    library = folder / f"interposer-{mark}.so"
    if not library.exists():
        wrong = compilers.compile_source(
            compiler.words[:1], options, source.encode(), library, libraries=libraries
        )
        if wrong:
            raise errors.TracingImpossible(wrong)
    return library


def interposer_source() -> str:
    """Return the whole interposer as one text."""
    folder = files("scalewatch_agent.traces.recording")
    made = {
        "numbers.c": numbers(),
        "wrappers.c": wrappers(),
        "named.c": fortran_wrappers(),
    }

    def part(match: re.Match[str]) -> str:
        name = match[1]
        return made[name] if name in made else folder.joinpath(name).read_text("utf-8")

    return PART.sub(part, folder.joinpath("interposer.c").read_text("utf-8"))


def _compilers(
    mpicc: str, path: str, environment: Mapping[str, str]
) -> Iterator[Compiler]:
    wrapper, starter = (
        shutil.which(mpicc, path=path),
        shutil.which("mpiexec", path=path),
    )
    if mpicc == "smpicc":
        if wrapper:
            yield Compiler((wrapper, "-DSIMULATED"))
        return
    if wrapper and (starter is None or Path(wrapper).parent == Path(starter).parent):
        yield Compiler((wrapper,))
    if starter and (plain := compilers.compiler_in(environment)):
        prefix = Path(starter).resolve().parents[1]
        yield Compiler(
            (*plain, f"-I{prefix / 'include'}"),
            (f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-lmpi"),
        )


def _header(compiler: Compiler, environment: Mapping[str, str]) -> str:
    """Return what mpi.h says, which tells the library and its version."""
    return programs.answer_of(
        [*compiler.words, "-E", "-P", "-x", "c", "-"],
        PATIENCE,
        question="#include <mpi.h>\n",
        environment=environment,
    ).stdout  # nothing where it fails: compiling will say what is wrong
