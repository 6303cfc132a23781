"""Count by what gcc puts into a program: functions, loops, and calls of MPI.

A call that may not return ends a block of the graph, so that its count is that of the
block; which function is called says the source.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final

from scalewatch_agent.counts import regions
from scalewatch_agent.counts.counting import Method, Tally
from scalewatch_agent.counts.gcov.graphs import arc_counts, iterations, loops_of
from scalewatch_agent.counts.gcov.notes import (
    ENTRY,
    Counters,
    Graph,
    read_counters,
    read_notes,
)
from scalewatch_agent.counts.programs import check_sources
from scalewatch_agent.experiments.launchers.jobs import Request

FLAGS: Final = (
    "-g --coverage -fno-early-inlining -fno-partial-inlining "
    "-fno-optimize-sibling-calls -fno-ipa-pure-const"
)
"""Flags by which gcc counts, and keeps functions and calls as in the source.

What is optimised after the counters are there, inlining too, does not change them.
Where threads are (-pthread, -fopenmp), gcc counts atomically by itself; elsewhere that
would cost time for nothing.
"""


class Gcov(Method):
    """Counts functions and loops of programs that gcc has compiled with `FLAGS`."""

    title = "gcov"
    flags = FLAGS
    variable = "GCOV_PREFIX"
    environment: ClassVar[Mapping[str, str]] = {"GCOV_PREFIX_STRIP": "0"}
    advice = (
        "no counts were written: compile and link the program with what "
        "`scalewatch-agent count --flags` prints ({cflags} in an experiment), and let "
        "it end by exit, or by returning from main"
    )

    def tally(
        self,
        prefix: Path,
        request: Request,  # noqa: ARG002 - the protocol's
        roots: tuple[Path, ...],
    ) -> Tally | None:
        """Return the counts of all objects that have counted below a folder."""
        files = sorted(prefix.rglob("*.gcda"))
        if not files:
            return None
        functions: list[regions.Function] = []
        for data in files:
            notes_file = Path(os.sep) / data.relative_to(prefix).with_suffix(".gcno")
            try:
                modified = notes_file.stat().st_mtime
            except OSError:
                raise regions.Uncountable(
                    f"{notes_file}, which gcc writes beside the object, is not there: "
                    "count where the program was built"
                ) from None
            notes = read_notes(notes_file, modified)
            # Nobody wrote what is artificial, as the copying of a structure.
            graphs = {
                ident: graph
                for ident, graph in notes.graphs.items()
                if not graph.is_artificial or regions.PARALLEL.fullmatch(graph.name)
                if regions.is_below(graph.place.file, roots)
            }
            check_sources(
                {graph.place.file for graph in graphs.values()}, notes_file, modified
            )
            functions += _counted(graphs, read_counters(data, notes))
        begun: Counter[str] = Counter()
        for function in functions:
            if function.name == regions.PROGRAM and function.calls:
                begun[function.place.file.name] += function.calls
        return Tally(functions, begun)


def _counted(graphs: Mapping[int, Graph], counters: Counters) -> list[regions.Function]:
    symbols = [(graph.name, graph.place.file) for graph in graphs.values()]
    names = regions.written_names(symbols)
    fortran = any(name == "MAIN__" for name, _ in symbols)
    functions = []
    for ident, graph in graphs.items():
        if graph.name == "main" and fortran:
            continue  # gfortran's own, which calls the program
        known = counters.arcs.get(ident)
        if known is None:
            known = (0,) * sum(not arc.is_derived for arc in graph.arcs)
        counts = arc_counts(graph, known)
        pairs = zip(graph.arcs, counts, strict=True)
        functions.append(
            regions.Function(
                name=names[graph.name, graph.place.file],
                place=graph.place,
                calls=sum(count for arc, count in pairs if arc.source == ENTRY),
                parts=(
                    *(
                        regions.Part(
                            regions.LOOP, loop.place, iterations(graph, counts, loop)
                        )
                        for loop in loops_of(graph)
                    ),
                    *mpi_calls(graph, counts),
                ),
            )
        )
    return functions


CALL: Final = re.compile(
    r"\b(?!(?:if|for|while|switch|return|sizeof)\b)([A-Za-z_]\w*)\s*\("
)
CALL_IN_FORTRAN: Final = re.compile(r"\bcall\s+(\w+)", re.IGNORECASE)
"""Pattern of a call; a line that holds only arguments does not match."""

MPI: Final = re.compile(r"MPI_[A-Za-z]\w*", re.IGNORECASE)


def mpi_calls(graph: Graph, counts: Sequence[int]) -> Iterator[regions.Part]:
    """Yield the calls of MPI in a function, in the order of the source.

    Calls of one line are told apart by their order, and one in a macro, as in
    `CHECK(MPI_Send(…))`, comes before what the macro calls. Where a line calls more
    that the source does not show, they cannot be told apart, and are left out.
    """
    for place, blocks in sorted(
        _calls(graph, counts).items(), key=lambda call: call[0].line
    ):
        # Other capitals are macros, but Fortran may write everything in capitals.
        names = [
            name
            for name in _calls_in(place.file)[place.line]
            if not name.isupper() or MPI.fullmatch(name)
        ]
        if len(blocks) == len(names) or len(names) == 1:
            for name, block in zip(names, sorted(blocks), strict=False):
                if MPI.fullmatch(name):
                    is_mixed = not (name.islower() or name.isupper())
                    standard = name if is_mixed else f"MPI_{name[4:].capitalize()}"
                    yield regions.Part(standard, place, blocks[block])


def _calls(graph: Graph, counts: Sequence[int]) -> dict[regions.Place, dict[int, int]]:
    """Return, by line, how often the blocks ran that end with a call.

    The line is the last one of the block that calls.
    """
    file, known = graph.place.file, _calls_in(graph.place.file)
    lines = {
        block: next(
            (
                place
                for place in reversed(graph.lines.get(block, ()))
                if place.file == file and place.line in known
            ),
            None,
        )
        for block in {arc.source for arc in graph.arcs if arc.is_fake}
    }
    calls: dict[regions.Place, dict[int, int]] = defaultdict(dict)
    for arc, count in zip(graph.arcs, counts, strict=True):
        if (place := lines.get(arc.source)) is not None:
            blocks = calls[place]
            blocks[arc.source] = blocks.get(arc.source, 0) + count
    return calls


def _calls_in(file: Path) -> Mapping[int, tuple[str, ...]]:
    """Return the functions that each line of a file calls."""
    try:
        return _read(file, file.stat().st_mtime)
    except OSError:
        return {}


@lru_cache(maxsize=1024)
def _read(file: Path, modified: float) -> Mapping[int, tuple[str, ...]]:  # noqa: ARG001 - of the cache
    in_fortran = file.suffix.lower() in regions.FORTRAN
    pattern = CALL_IN_FORTRAN if in_fortran else CALL
    calls = {}
    text = file.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.partition("!" if in_fortran else "//")[0]
        if names := tuple(pattern.findall(code)):
            calls[number] = names
    return calls
