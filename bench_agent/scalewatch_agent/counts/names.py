"""Names of functions as their authors wrote them."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

FORTRAN: Final = frozenset(
    {".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08"}
)
MODULE: Final = re.compile(r"__(?=\w++\Z)(?P<module>\w+?)_MOD_(?P<name>\w++)")
PARALLEL: Final = re.compile(r"(?P<name>.*)\._omp_fn\.(?P<number>\d+)")
NUMBERED: Final = re.compile(r"\.\d+$")
"""Suffix of gcc for functions inside functions."""

PROGRAM: Final = "main"
"""Where a program begins, in any language."""

PATIENCE: Final = 60


def written_names(names: Iterable[tuple[str, Path]]) -> Mapping[tuple[str, Path], str]:
    """Return how the functions of these symbols and files are called in the source."""
    pairs = list(dict.fromkeys(names))
    mangled = [name for name, _ in pairs if name.startswith("_Z")]
    demangled = dict(zip(mangled, _demangled(mangled), strict=True))
    return {
        (name, file): _written(demangled.get(name, name), file) for name, file in pairs
    }


def _written(name: str, file: Path) -> str:
    if parallel := PARALLEL.fullmatch(name):
        outer = _written(parallel["name"], file)
        return f"{outer} › parallel {int(parallel['number']) + 1}"
    if name.startswith("_Z"):
        return name
    if file.suffix.lower() not in FORTRAN:
        return NUMBERED.sub("", name)
    if name == "MAIN__":
        return PROGRAM
    name = NUMBERED.sub("", name)
    if inside := MODULE.fullmatch(name):
        return f"{inside['module']}::{inside['name']}"
    return name.removesuffix("_")


def _demangled(names: list[str]) -> list[str]:
    """Return names of C++ in words; as they are where nobody can tell."""
    program = shutil.which("c++filt")
    if not names or program is None:
        return names
    try:
        answer = subprocess.run(  # noqa: S603 - of the compiler's own tools
            [program],
            input="\n".join(names),
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return names
    lines = answer.stdout.splitlines()
    return lines if len(lines) == len(names) else names
