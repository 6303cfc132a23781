"""Definitions of a process: the meaning of numbers in its records.

A line each, its fields separated by tabs: `site NUMBER (OFFSET SYMBOL FILE)…` for an
address in an object file and its callers, `python NUMBER (LINE FUNCTION FILE)…`,
`comm NUMBER MEMBERS` and `remote NUMBER MEMBERS` of a communicator, `begin` and `end`
of the program, `clock TIME OFFSET`, `functions NAMES`, and `lost REASON`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a call path: an address in an object file, or a line of Python."""

    path: Path
    function: str
    line: int = 0
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a communicator, and the other side where it has two."""

    ranks: NDArray[np.int64]
    remote: NDArray[np.int64] | None = None


@dataclass(slots=True)
class Definitions:
    """Definitions of one process.

    `sites` hold the place of the call and its callers, the innermost first; `clocks`
    by how much its clock was ahead of that of process 0, by its own time, all in ns.
    """

    path: Path
    begin: int | None = None
    end: int | None = None
    functions: Sequence[str] = ()
    sites: dict[int, tuple[Frame, ...]] = field(default_factory=dict)
    communicators: dict[int, Members] = field(default_factory=dict)
    clocks: list[tuple[int, int]] = field(default_factory=list)
    lost: str = ""


def read_definitions(path: Path, processes: int) -> Definitions:
    """Return what a process has written down; a last line that was cut is left out.

    Raises
    ------
    TraceUnusable
        If a line says nothing that can be understood.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None
    definitions = Definitions(path)
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            _understand(definitions, line.split("\t"), processes)
        except (IndexError, KeyError, ValueError):
            raise TraceUnusable(
                path, f"{line[:60]!r} is no definition", number
            ) from None
    return definitions


def _understand(
    definitions: Definitions, fields: Sequence[str], processes: int
) -> None:
    kind, first, *rest = fields
    match kind:
        case "site" | "python":
            frames = []
            for at in range(0, len(rest), 3):
                number, function, path = rest[at : at + 3]
                frames.append(
                    Frame(Path(path), function, int(number))
                    if kind == "python"
                    else Frame(Path(path), function, offset=int(number, 16))
                )
            definitions.sites[int(first)] = tuple(frames)
        case "comm":
            definitions.communicators[int(first)] = Members(_ranks(rest[0], processes))
        case "remote":
            ranks = definitions.communicators[int(first)].ranks
            definitions.communicators[int(first)] = Members(
                ranks, _ranks(rest[0], processes)
            )
        case "begin":
            definitions.begin = int(first)
        case "end":
            definitions.end = int(first)
        case "clock":
            definitions.clocks.append((int(first), int(rest[0])))
        case "functions":
            definitions.functions = tuple(first.split(","))
        case "lost":
            definitions.lost = first
        case _:
            raise ValueError(kind)


def _ranks(text: str, processes: int) -> NDArray[np.int64]:
    """Return ranks from runs `first:count:step`, separated by commas."""
    parts = []
    for run in text.split(",") if text else ():
        first, count, step = map(int, run.split(":"))
        if not (0 < count <= processes):
            raise ValueError(run)
        parts.append(first + step * np.arange(count, dtype=np.int64))
    ranks = np.concatenate([np.zeros(0, np.int64), *parts])
    if ((ranks < 0) | (ranks >= processes)).any():
        raise ValueError(text)
    return ranks


def common_communicators(
    all_definitions: Sequence[Definitions],
) -> tuple[Mapping[int, NDArray[np.int64]], list[dict[int, tuple[int, int]]]]:
    """Return the communicators of a trace, and for each process what its numbers mean.

    The k-th communicator with the same members is the same one everywhere: making one
    takes all of them. One with two sides holds both, one after the other: for each
    process it is a number and what to add to the ranks of partners.
    """
    numbers: dict[tuple[bytes, int], int] = {}
    members: dict[int, NDArray[np.int64]] = {}
    meanings = []
    for definitions in all_definitions:
        seen: dict[bytes, int] = {}
        meaning = {}
        for number, communicator in sorted(definitions.communicators.items()):
            together, shift = _together(communicator)
            key = together.tobytes()
            order = seen[key] = seen.get(key, -1) + 1
            common = numbers.setdefault((key, order), len(numbers))
            members[common] = together
            meaning[number] = (common, shift)
        meanings.append(meaning)
    return members, meanings


def _together(members: Members) -> tuple[NDArray[np.int64], int]:
    if members.remote is None:
        return members.ranks, 0
    if (
        not len(members.ranks)
        or not len(members.remote)
        or members.ranks[0] < members.remote[0]
    ):
        return np.concatenate([members.ranks, members.remote]), len(members.ranks)
    return np.concatenate([members.remote, members.ranks]), 0
