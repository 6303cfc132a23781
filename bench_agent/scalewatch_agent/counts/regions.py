"""Regions that are counted: functions, the loops in them, and calls of MPI.

A region is named by its function and its place in the order of the source, so that a
line that moves keeps its history; file and line are its location.
"""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from scalewatch.wire import Location, Result
from scalewatch_agent.programs import answer_of

METRIC: Final = "count"
LARGEST_METRIC: Final = "count_max"
"""The largest count of one process."""

LOOP: Final = "loop"

LARGEST: Final = 2**53
"""Beyond it a floating-point number no longer tells each integer."""

ROOM: Final = 200 - 40
"""Characters of a function's name; file and part may follow."""

ADDRESSABLE: Final = str.maketrans({"/": "∕", "?": "？", "#": "＃"})
"""Characters that an address cannot hold, as in `operator/`, and their look-alikes."""


class Uncountable(Exception):
    """A job has counted nothing that could be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file."""

    file: Path
    line: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a function, `LOOP` or a function that it calls, and its count."""

    kind: str
    place: Place
    count: int


@dataclass(frozen=True, slots=True)
class Function:
    """How often a function was called, and what went on in it.

    `parts` stand in the order of the source.
    """

    name: str
    place: Place
    calls: int
    parts: tuple[Part, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether it was entered at all."""
        return self.calls > 0 or any(part.count for part in self.parts)


@dataclass(frozen=True, slots=True)
class Region:
    """A function, loop or call, with its name and its count."""

    name: str
    location: Location
    count: int


def added(functions: Iterable[Function]) -> list[Function]:
    """Return the functions with what several objects or processes counted added up."""
    together: dict[tuple[object, ...], Function] = {}
    for function in functions:
        # A macro can give each object other loops, which are then other regions.
        parts = tuple((part.kind, part.place) for part in function.parts)
        key = (function.name, function.place, parts)
        before = together.get(key)
        together[key] = function
        if before is not None:
            both = zip(before.parts, function.parts, strict=True)
            together[key] = replace(
                before,
                calls=before.calls + function.calls,
                parts=tuple(replace(a, count=a.count + b.count) for a, b in both),
            )
    return list(together.values())


def regions(functions: Sequence[Function], roots: Sequence[Path]) -> list[Region]:
    """Return the regions of functions; their files are named from the roots."""
    listed = []
    ordered = sorted(
        functions,
        key=lambda function: (
            str(function.place.file),
            function.place.line,
            function.name,
        ),
    )
    for name, function in _named(ordered):
        listed.append(_region(name, function, function.place, function.calls, roots))
        # Parts are numbered so that one which is added renames none before it.
        numbers: Counter[str] = Counter()
        for part in function.parts:
            numbers[part.kind] += 1
            number = numbers[part.kind]
            shown = f" {number}" if part.kind == LOOP or number > 1 else ""
            title = f"{name} › {part.kind}{shown}"
            listed.append(_region(title, function, part.place, part.count, roots))
    return listed


def _region(
    name: str, function: Function, place: Place, count: int, roots: Sequence[Path]
) -> Region:
    file = place.file
    relative = (file.relative_to(root) for root in roots if file.is_relative_to(root))
    location = Location(
        file=str(next(relative, file)),
        line=place.line or None,
        function=function.name,
    )
    return Region(name, location, count)


def _named(functions: Sequence[Function]) -> Iterator[tuple[str, Function]]:
    """Yield functions with names of their own; those of one name say their file."""
    alike: dict[str, list[Function]] = defaultdict(list)
    for function in functions:
        title = function.name.translate(ADDRESSABLE)
        if len(title) > ROOM:
            title = f"{title[: ROOM // 2]}…{title[-ROOM // 2 :]}"
        alike[title].append(function)
    for name, several in alike.items():
        files = Counter(each.place.file.name for each in several)
        seen: Counter[str] = Counter()
        for entry in several:
            file = entry.place.file.name
            seen[file] += 1
            if len(several) == 1:
                yield name, entry
            elif files[file] == 1:
                yield f"{name} ({file})", entry
            else:
                yield f"{name} ({file}, {seen[file]})", entry


def is_below(file: Path, roots: Iterable[Path]) -> bool:
    """Tell whether a file lies in one of the folders whose sources count."""
    return any(file.is_relative_to(root) for root in roots)


def results(
    total: Sequence[Region], by_rank: Sequence[Mapping[str, int]] = ()
) -> list[Result]:
    """Return exact results: the count of all processes, and the largest of one.

    Raises
    ------
    Uncountable
        If a count is too large to be told exactly.
    """
    listed = []
    for region in total:
        counts = {METRIC: region.count}
        if by_rank:
            counts[LARGEST_METRIC] = max(rank.get(region.name, 0) for rank in by_rank)
        for metric, count in counts.items():
            if count > LARGEST:
                raise Uncountable(
                    f"{region.name} counts {count:,}, beyond {LARGEST:,}, up to which "
                    "numbers are exact: choose smaller settings"
                )
            listed.append(
                Result(
                    region=region.name,
                    metric=metric,
                    unit="1",
                    exact=True,
                    values=(float(count),),
                    location=region.location,
                )
            )
    return listed


def failed(region: str, reason: str) -> list[Result]:
    """Return the result of a job that has counted nothing."""
    reason = reason[:2000].replace("\x00", "�")
    return [
        Result(region=region, metric=METRIC, unit="1", status="failed", reason=reason)
    ]


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
        (name, file): _written_name(demangled.get(name, name), file)
        for name, file in pairs
    }


def _written_name(name: str, file: Path) -> str:
    if parallel := PARALLEL.fullmatch(name):
        outer = _written_name(parallel["name"], file)
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
    answer = answer_of([program], PATIENCE, question="\n".join(names))
    lines = answer.stdout.splitlines()
    return lines if len(lines) == len(names) else names
