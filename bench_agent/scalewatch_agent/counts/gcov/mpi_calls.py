"""Calls of MPI, by the lines on which they stand.

A call that may not return ends a block of the graph, so that its count is that of the
block; which function is called says the source.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.gcov.notes import Graph
from scalewatch_agent.counts.names import FORTRAN
from scalewatch_agent.counts.regions import Part, Place

CALL: Final = re.compile(
    r"\b(?!(?:if|for|while|switch|return|sizeof)\b)([A-Za-z_]\w*)\s*\("
)
CALL_IN_FORTRAN: Final = re.compile(r"\bcall\s+(\w+)", re.IGNORECASE)
"""Pattern of a call; a line that holds only arguments does not match."""

MPI: Final = re.compile(r"MPI_[A-Za-z]\w*", re.IGNORECASE)


def mpi_calls(graph: Graph, counts: Sequence[int]) -> Iterator[Part]:
    """Yield the calls of MPI in a function, in the order of the source.

    Calls of one line are told apart by their order, and one in a macro, as in
    `CHECK(MPI_Send(…))`, comes before what the macro calls. Where a line calls more
    that the source does not show, they cannot be told apart, and are left out.
    """
    for place, blocks in sorted(_calls(graph, counts).items(), key=_line):
        names = [name for name in _calls_in(place.file)[place.line] if _is_plain(name)]
        if len(blocks) == len(names) or len(names) == 1:
            for name, block in zip(names, sorted(blocks), strict=False):
                if MPI.fullmatch(name):
                    yield Part(_written(name), place, blocks[block])


def _is_plain(name: str) -> bool:
    """Tell a function from a macro; Fortran may write everything in capitals."""
    return not name.isupper() or MPI.fullmatch(name) is not None


def _line(call: tuple[Place, Mapping[int, int]]) -> int:
    return call[0].line


def _calls(graph: Graph, counts: Sequence[int]) -> dict[Place, dict[int, int]]:
    """Return, by line, how often the blocks ran that end with a call."""
    lines = {
        arc.source: _line_of_call(graph, arc.source)
        for arc in graph.arcs
        if arc.is_fake
    }
    calls: dict[Place, dict[int, int]] = defaultdict(dict)
    for arc, count in zip(graph.arcs, counts, strict=True):
        if (place := lines.get(arc.source)) is not None:
            blocks = calls[place]
            blocks[arc.source] = blocks.get(arc.source, 0) + count
    return calls


def _line_of_call(graph: Graph, block: int) -> Place | None:
    """Return the line of the call that ends a block: the last one that calls."""
    calls = _calls_in(graph.place.file)
    return next(
        (
            place
            for place in reversed(graph.lines.get(block, ()))
            if place.file == graph.place.file and place.line in calls
        ),
        None,
    )


def _calls_in(file: Path) -> Mapping[int, tuple[str, ...]]:
    """Return the functions that each line of a file calls."""
    try:
        return _read(file, file.stat().st_mtime)
    except OSError:
        return {}


@lru_cache(maxsize=1024)
def _read(file: Path, modified: float) -> Mapping[int, tuple[str, ...]]:  # noqa: ARG001 - of the cache
    in_fortran = file.suffix.lower() in FORTRAN
    pattern = CALL_IN_FORTRAN if in_fortran else CALL
    calls = {}
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.partition("!" if in_fortran else "//")[0]
        if names := tuple(pattern.findall(code)):
            calls[number] = names
    return calls


def _written(name: str) -> str:
    """Return a name as the standard writes it, however Fortran does."""
    return f"MPI_{name[4:].capitalize()}" if name.islower() or name.isupper() else name
