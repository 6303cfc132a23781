"""What a program says of its compiler: its version and flags, in its debug data."""

import mmap
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

PRODUCER: Final = re.compile(
    rb"(?P<compiler>GNU (?:C|C\+\+|Fortran)[0-9]* [0-9.]+)(?P<flags>[^\0]*)\0"
)
THREADS: Final = (b"pthread_create", b"GOMP_parallel")
"""What a program needs in order to have threads."""

LEVEL: Final = re.compile(rb"(?<= )-O\w*")


@dataclass(frozen=True, slots=True)
class Build:
    """How a program was compiled, as far as it says so itself."""

    compilers: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    is_atomic: bool = True
    is_threaded: bool = False

    @property
    def optimisation(self) -> str | None:
        """The level, or all levels that occur."""
        return ", ".join(self.levels) or None


@lru_cache(maxsize=64)
def build_of(program: Path, modified: float) -> Build:  # noqa: ARG001 - of the cache
    """Return how the program at a path, of this time of modification, was compiled."""
    compilers, levels, atomic = set(), set(), []
    try:
        with program.open("rb") as file, _mapped(file.fileno()) as content:
            if content[:4] != b"\x7fELF":
                return Build()
            for producer in PRODUCER.finditer(content):
                flags = producer["flags"]
                if b"-ftest-coverage" not in flags and b"-fprofile" not in flags:
                    continue  # what the program is linked with
                compilers.add(producer["compiler"].decode())
                found = LEVEL.findall(flags)
                levels.add(found[-1].decode() if found else "-O0")
                atomic.append(b"atomic" in flags)
            is_threaded = any(content.find(name) >= 0 for name in THREADS)
    except (OSError, ValueError):
        return Build()
    return Build(
        tuple(sorted(compilers)), tuple(sorted(levels)), all(atomic), is_threaded
    )


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
