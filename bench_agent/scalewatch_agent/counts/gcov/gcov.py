"""Count by what gcc puts into a program: functions and loops."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from scalewatch.wire import Fact, Result
from scalewatch_agent.counts.gcov.counters import Counters, read_counters
from scalewatch_agent.counts.gcov.flow import arc_counts
from scalewatch_agent.counts.gcov.loops import iterations, loops_of
from scalewatch_agent.counts.gcov.names import PARALLEL, PROGRAM, written_names
from scalewatch_agent.counts.gcov.notes import ENTRY, Graph, Notes, read_notes
from scalewatch_agent.counts.gcov.programs import Build, build_of
from scalewatch_agent.counts.ranks import by_rank
from scalewatch_agent.counts.regions import (
    Function,
    Part,
    Uncountable,
    added,
    failed,
    regions,
    results,
)
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import Output
from scalewatch_agent.experiments.jobs import Executed, Request

FLAGS: Final = (
    "-g --coverage -fno-early-inlining -fno-partial-inlining "
    "-fno-optimize-sibling-calls -fno-ipa-pure-const"
)
"""What makes gcc count, and leaves functions and calls what the source says.

What is optimised after the counters are there, inlining too, does not change them.
Where threads are (-pthread, -fopenmp), gcc counts atomically by itself; elsewhere that
would cost time for nothing.
"""

FOLDER: Final = "counts"
PREFIX: Final = "GCOV_PREFIX"


@dataclass(frozen=True, slots=True)
class Gcov:
    """Counts functions and loops of programs that gcc has compiled with `FLAGS`.

    Parameters
    ----------
    name
        Of the experiment, the region of what fails.
    roots
        Folders of the sources that count; libraries lie elsewhere.
    is_by_rank
        Whether processes count apart, so that the largest count is known as well.
    """

    name: str
    roots: tuple[Path, ...]
    is_by_rank: bool = False

    @property
    def identity(self) -> Any:
        """How it counts."""
        return ["gcov", FLAGS, self.is_by_rank]

    @property
    def flags(self) -> Mapping[str, str]:
        """The flags, the same for all languages."""
        return {"cflags": FLAGS, "fflags": FLAGS}

    def prepared(self, request: Request) -> Request:
        """Return the job with counts that go to its own folder, so to no other's."""
        folder = request.folder / FOLDER
        environment = {
            **request.environment,
            PREFIX: str(folder),
            "GCOV_PREFIX_STRIP": "0",
        }
        words = request.words
        if self.is_by_rank:
            words = by_rank(words, PREFIX, folder)
        return replace(request, words=words, environment=environment)

    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:  # noqa: ARG002 - the protocol's
        """Return the counts of a job; what was counted before a failure is not all."""
        build = _build(executed.request)
        facts: dict[str, Fact] = {}
        if build.compilers:
            facts["compiler"] = ", ".join(build.compilers)
        settings: dict[str, Fact] = {"counted_by": "gcov"}
        if build.optimisation:
            settings["optimisation"] = build.optimisation
        if executed.failure is not None:
            found = failed(self.name, executed.failure)
        else:
            try:
                found = self._results(executed.request, build)
            except Uncountable as reason:
                found = failed(self.name, str(reason))
        return Output(found, settings=settings, facts=facts)

    def _results(self, request: Request, build: Build) -> list[Result]:
        if build.is_threaded and not build.is_atomic:
            raise Uncountable(
                "the program has threads, which lose counts of each other: compile "
                "with -pthread, or with -fprofile-update=atomic"
            )
        folder = request.folder / FOLDER
        prefixes = sorted(folder.glob("rank-*")) if self.is_by_rank else [folder]
        ranks = [list(self._functions(prefix)) for prefix in prefixes]
        # What no process enters is left out: libraries hold much that nobody calls.
        together = [
            function
            for function in added(function for rank in ranks for function in rank)
            if function.is_used
        ]
        if not together:
            raise Uncountable(_nothing(folder))
        wanted = request.configured.processes or 1
        _check_programs([one for rank in ranks for one in rank], wanted)
        total = regions(together, self.roots)
        apart: list[Mapping[str, int]] = []
        if self.is_by_rank:
            apart = [
                {each.name: each.count for each in regions(added(rank), self.roots)}
                for rank in ranks
            ]
        return results(total, apart)

    def _functions(self, prefix: Path) -> Iterator[Function]:
        """Yield the functions of all objects that have counted below a folder."""
        for data in sorted(prefix.rglob("*.gcda")):
            beside = Path(os.sep) / data.relative_to(prefix).with_suffix(".gcno")
            notes, modified = _notes_of(beside)
            graphs = {
                ident: graph
                for ident, graph in notes.graphs.items()
                if self._is_own(graph)
            }
            _check_sources(graphs.values(), beside, modified)
            yield from _counted(graphs, read_counters(data, notes))

    def _is_own(self, graph: Graph) -> bool:
        if graph.is_artificial and not PARALLEL.fullmatch(graph.name):
            return False  # nobody wrote it, as the copying of a structure
        return any(graph.place.file.is_relative_to(root) for root in self.roots)


def _notes_of(path: Path) -> tuple[Notes, float]:
    try:
        modified = path.stat().st_mtime
    except OSError:
        raise Uncountable(
            f"{path}, which gcc writes beside the object, is not there: count where "
            "the program was built"
        ) from None
    return read_notes(path, modified), modified


def _check_sources(graphs: Iterable[Graph], notes: Path, modified: float) -> None:
    for file in {graph.place.file for graph in graphs}:
        try:
            is_newer = file.stat().st_mtime > modified
        except OSError:
            raise Uncountable(
                f"{file} has moved since {notes.name} was written: build again"
            ) from None
        if is_newer:
            raise Uncountable(f"{file} has changed since it was compiled: build again")


def _counted(graphs: Mapping[int, Graph], counters: Counters) -> list[Function]:
    symbols = [(graph.name, graph.place.file) for graph in graphs.values()]
    names = written_names(symbols)
    fortran = any(name == "MAIN__" for name, _ in symbols)
    functions = []
    for ident, graph in graphs.items():
        if graph.name == "main" and fortran:
            continue  # gfortran's own, which calls the program
        own = counters.arcs.get(ident)
        if own is None:
            own = (0,) * sum(not arc.is_derived for arc in graph.arcs)
        counts = arc_counts(graph, own)
        functions.append(
            Function(
                name=names[graph.name, graph.place.file],
                place=graph.place,
                calls=_entries(graph, counts),
                parts=tuple(
                    Part("loop", loop.place, iterations(graph, counts, loop))
                    for loop in loops_of(graph)
                ),
            )
        )
    return functions


def _entries(graph: Graph, counts: Sequence[int]) -> int:
    pairs = zip(graph.arcs, counts, strict=True)
    return sum(count for arc, count in pairs if arc.source == ENTRY)


def _check_programs(functions: Sequence[Function], processes: int) -> None:
    """See that one program has counted, in all its processes."""
    begun: dict[Path, int] = {}
    for one in functions:
        if one.name == PROGRAM and one.calls:
            begun[one.place.file] = begun.get(one.place.file, 0) + one.calls
    if len(begun) > 1:
        files = " and ".join(sorted(file.name for file in begun))
        raise Uncountable(
            f"two programs have counted in one job, those of {files}: count one alone"
        )
    for file, number in begun.items():
        if number != processes:
            raise Uncountable(
                f"{number} of {processes} processes have written what they counted "
                f"({file.name}): each has to end by exit, or by returning from main"
            )


def _nothing(folder: Path) -> str:
    if any(folder.rglob("*.gcda")):
        return "nothing was counted in the folder of the sources: name it by --source"
    return (
        "no counts were written: compile and link the program with what "
        "`scalewatch-agent count --flags` prints ({cflags} in an experiment), and let "
        "it end by exit, or by returning from main"
    )


def _build(request: Request) -> Build:
    """Return how the program was compiled, where a word of the command tells."""
    where = request.work or request.folder
    for word in request.words:
        path = where / word
        try:
            found = build_of(path, path.stat().st_mtime)
        except (OSError, ValueError):
            continue
        if found.compilers:
            return found
    return Build()
