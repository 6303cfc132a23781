"""Count by what gcc puts into a program: functions and loops."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.counting import Tally
from scalewatch_agent.counts.gcov.counters import Counters, read_counters
from scalewatch_agent.counts.gcov.flow import arc_counts
from scalewatch_agent.counts.gcov.loops import iterations, loops_of
from scalewatch_agent.counts.gcov.mpi_calls import mpi_calls
from scalewatch_agent.counts.gcov.notes import ENTRY, Graph, Notes, read_notes
from scalewatch_agent.counts.names import PARALLEL, PROGRAM, written_names
from scalewatch_agent.counts.programs import Build, build_in, check_sources
from scalewatch_agent.counts.regions import (
    LOOP,
    Function,
    Part,
    Uncountable,
    is_below,
)
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


class Gcov:
    """Counts functions and loops of programs that gcc has compiled with `FLAGS`."""

    title: Final = "gcov"
    flags: Final = FLAGS
    variable: Final = "GCOV_PREFIX"
    suffix: Final = ""
    environment: Final[Mapping[str, str]] = {"GCOV_PREFIX_STRIP": "0"}
    tool: Final = None
    advice: Final = (
        "no counts were written: compile and link the program with what "
        "`scalewatch-agent count --flags` prints ({cflags} in an experiment), and let "
        "it end by exit, or by returning from main"
    )

    def started(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the program as it is."""
        return words

    def build(self, request: Request) -> Build:
        """Return how gcc compiled the program."""
        return build_in(request)

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
        functions: list[Function] = []
        for data in files:
            functions += _of_object(data, prefix, roots)
        begun: Counter[str] = Counter()
        for function in functions:
            if function.name == PROGRAM and function.calls:
                begun[function.place.file.name] += function.calls
        return Tally(functions, begun)


def _of_object(data: Path, prefix: Path, roots: tuple[Path, ...]) -> list[Function]:
    notes_file = Path(os.sep) / data.relative_to(prefix).with_suffix(".gcno")
    notes, modified = _notes_of(notes_file)
    graphs = {
        ident: graph for ident, graph in notes.graphs.items() if _is_own(graph, roots)
    }
    check_sources({graph.place.file for graph in graphs.values()}, notes_file, modified)
    return _counted(graphs, read_counters(data, notes))


def _is_own(graph: Graph, roots: tuple[Path, ...]) -> bool:
    if graph.is_artificial and not PARALLEL.fullmatch(graph.name):
        return False  # nobody wrote it, as the copying of a structure
    return is_below(graph.place.file, roots)


def _notes_of(path: Path) -> tuple[Notes, float]:
    try:
        modified = path.stat().st_mtime
    except OSError:
        raise Uncountable(
            f"{path}, which gcc writes beside the object, is not there: count where "
            "the program was built"
        ) from None
    return read_notes(path, modified), modified


def _counted(graphs: Mapping[int, Graph], counters: Counters) -> list[Function]:
    symbols = [(graph.name, graph.place.file) for graph in graphs.values()]
    names = written_names(symbols)
    fortran = any(name == "MAIN__" for name, _ in symbols)
    functions = []
    for ident, graph in graphs.items():
        if graph.name == "main" and fortran:
            continue  # gfortran's own, which calls the program
        known = counters.arcs.get(ident)
        if known is None:
            known = (0,) * sum(not arc.is_derived for arc in graph.arcs)
        counts = arc_counts(graph, known)
        functions.append(
            Function(
                name=names[graph.name, graph.place.file],
                place=graph.place,
                calls=_entries(graph, counts),
                parts=(
                    *(
                        Part(LOOP, loop.place, iterations(graph, counts, loop))
                        for loop in loops_of(graph)
                    ),
                    *mpi_calls(graph, counts),
                ),
            )
        )
    return functions


def _entries(graph: Graph, counts: Sequence[int]) -> int:
    pairs = zip(graph.arcs, counts, strict=True)
    return sum(count for arc, count in pairs if arc.source == ENTRY)
