"""Run the calibration program, again where its table has gaps.

Where t_max jumps between neighbouring sizes, as where a library changes its protocol,
sizes between them are measured until neighbours are within a factor of `JUMP`, or close
together.
"""

import math
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from scalewatch.wire import Result
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import Instrument, Output
from scalewatch_agent.experiments.launchers.jobs import Executed, Request
from scalewatch_agent.traces.calibration.cells import (
    FUNCTIONS,
    SHARED,
    WITHOUT_BYTES,
    Cell,
    cells_of,
)
from scalewatch_agent.traces.functions import function_of
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.recording.tracing import FOLDER, Tracing

JUMP: Final = 4.0
CLOSEST: Final = 1.25
"""Ratio of bytes at which sizes are not divided any more."""

ROUNDS: Final = 6
ALIGNED: Final = 8
"""Bytes of a double, of which reductions take a whole number."""

Sizes = Mapping[str, Sequence[int]]
"""Bytes to measure, by function, as the program takes them."""


@dataclass(slots=True)
class Calibrating(Instrument):
    """Traces the calibration program, and takes the cells from its traces."""

    tracing: Tracing
    blocks: int
    cells: list[Cell] = field(default_factory=list)

    @property
    def identity(self) -> Any:
        """How it measures."""
        return ["calibrate", self.blocks]

    def prepared(self, request: Request) -> Request:
        """Return the job with the interposer."""
        return self.tracing.prepared(request)

    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:  # noqa: ARG002 - the protocol's
        """Take the cells, and return how many there are."""
        folder = executed.request.folder / FOLDER
        if executed.failure is not None:
            return Output([_counted(0, executed.failure)])
        cells = cells_of(read_own(folder), self.blocks)
        shutil.rmtree(folder, ignore_errors=True)
        self.cells += cells
        return Output([_counted(len(cells))])


def _counted(cells: int, failure: str | None = None) -> Result:
    return Result(
        region="calibration",
        metric="cells",
        unit="1",
        values=(float(cells),) if failure is None else (),
        status="ok" if failure is None else "failed",
        reason=failure,
    )


def first_sizes(functions: Iterable[str], sizes: Sequence[int]) -> Sizes:
    """Return what the first round measures."""
    return {
        name: (ALIGNED,) if name in WITHOUT_BYTES else tuple(sizes)
        for name in FUNCTIONS
        if name in set(functions)
    }


def sizes_at_jumps(cells: Iterable[Cell]) -> Sizes:
    """Return sizes between neighbours that are too far apart."""
    rows = defaultdict(list)
    for cell in cells:
        is_shared = function_of(cell.function) in SHARED
        size = cell.bytes // (cell.processes if is_shared else 1)
        rows[cell.function, cell.processes].append((size, cell.best))
    wanted: dict[str, set[int]] = defaultdict(set)
    for (function, _), row in rows.items():
        row.sort()
        for (below, first), (above, second) in pairwise(row):
            if second > JUMP * first > 0 and above > CLOSEST * below > 0:
                middle = math.sqrt(below * above)
                size = ALIGNED * max(1, round(middle / ALIGNED))
                if below < size < above:
                    wanted[function_of(function)].add(size)
    return {name: sorted(sizes) for name, sizes in wanted.items()}


def command(folder: str, sizes: Sizes, blocks: int, repetitions: int) -> str:
    """Return the command that measures some sizes; `folder` holds the program."""
    cells = (
        f"{name.removeprefix('MPI_')}:{size}"
        for name, chosen in sizes.items()
        for size in chosen
    )
    words = [str(blocks), str(repetitions), *cells]
    return f"{folder}/calibrate {shlex.join(words)}"


def compilation(folder: Path) -> str:
    """Return the command that compiles the program, whose source goes to a folder."""
    source = folder / "calibrate.c"
    with as_file(files(__package__).joinpath("calibration.c")) as shipped:
        shutil.copyfile(shipped, source)
    return f"{{mpicc}} -O2 -o calibrate {shlex.quote(str(source))}"
