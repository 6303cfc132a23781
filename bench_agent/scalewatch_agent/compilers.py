"""The C compiler of this machine, and what the agent compiles with it."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from scalewatch_agent.programs import complaint

COMPILERS: Final = ("cc", "gcc", "clang", "icx")
PATIENCE: Final = 60


def compiler_in(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the C compiler, empty where there is none."""
    if named := environment.get("CC"):
        return shlex.split(named)
    path = environment.get("PATH", os.defpath)
    for name in COMPILERS:
        if compiler := shutil.which(name, path=path):
            return [compiler]
    return []


def words_on_version(compiler: Sequence[str]) -> str:
    """Return what a compiler says of its version, empty where it says nothing."""
    try:
        return subprocess.run(  # noqa: S603 - the user's compiler
            [*compiler, "--version"],
            capture_output=True,
            check=False,
            errors="replace",
            timeout=PATIENCE,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


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
            return f"{compiler[0]} failed{complaint(done.stderr.splitlines())}"
        new.replace(made)
    return ""
