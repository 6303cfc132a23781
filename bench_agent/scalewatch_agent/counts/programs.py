"""Programs, by their debug data, and sources."""

import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.regions import Uncountable
from scalewatch_agent.experiments.launchers.jobs import Request

PRODUCER: Final = re.compile(
    rb"(?P<compiler>(?:GNU (?:C|C\+\+|Fortran)[0-9]*|clang version) [0-9.]+)"
    rb"(?P<flags>[^\0]*)\0"
)
COUNTS: Final = re.compile(rb"-ftest-coverage|-fprofile|-fcoverage-mapping")
"""Flags of the parts that count; those that a program is linked with lack them."""

THREADS: Final = (b"pthread_create", b"GOMP_parallel")
"""Symbols of a program that has threads."""

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
def build_of(program: Path, modified: float, *, is_any: bool = False) -> Build:  # noqa: ARG001 - of the cache
    """Return how the program at a path, of this time of modification, was compiled.

    Parts that do not count are what it is linked with, unless `is_any` takes all.
    """
    compilers, levels, atomic = set(), set(), []
    try:
        with (
            program.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if content[:4] != b"\x7fELF":
                return Build()
            for producer in PRODUCER.finditer(content):
                flags = producer["flags"]
                if not (is_any or COUNTS.search(flags)):
                    continue
                compilers.add(producer["compiler"].decode())
                stated = LEVEL.findall(flags)
                levels.add(stated[-1].decode() if stated else "-O0")
                atomic.append(b"atomic" in flags)
            is_threaded = any(content.find(name) >= 0 for name in THREADS)
    except (OSError, ValueError):
        return Build()
    return Build(
        tuple(sorted(compilers)), tuple(sorted(levels)), all(atomic), is_threaded
    )


def build_in(request: Request, *, is_any: bool = False) -> Build:
    """Return how the program of a job was compiled, where a word of it tells."""
    for path in files_in(request):
        build = build_of(path, path.stat().st_mtime, is_any=is_any)
        if build.compilers:
            return build
    return Build()


def files_in(request: Request) -> Iterator[Path]:
    """Yield the files that the command of a job names."""
    where = request.work or request.folder
    for word in request.words:
        path = where / word
        with suppress(OSError, ValueError):  # a word can be anything
            if path.is_file():
                yield path


def written_at(prefix: Path, ending: str = "") -> list[Path]:
    """Return the files of all processes that were told to begin theirs so."""
    return sorted(prefix.parent.glob(f"{prefix.name}.*{ending}"))


def check_sources(sources: Iterable[Path], build: Path, modified: float) -> None:
    """See that sources are what was compiled into a file of that time.

    Raises
    ------
    Uncountable
        If one has moved or changed since.
    """
    for file in sources:
        try:
            is_newer = file.stat().st_mtime > modified
        except OSError:
            raise Uncountable(
                f"{file} has moved since {build.name} was written: build again"
            ) from None
        if is_newer:
            raise Uncountable(f"{file} has changed since it was compiled: build again")
