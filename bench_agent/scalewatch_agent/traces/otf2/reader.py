"""Read an archive of OTF2: by libotf2, which a child process calls within limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from scalewatch_agent import compilers, errors, folders
from scalewatch_agent.traces import limited, stored, trace
from scalewatch_agent.traces.otf2 import library
from scalewatch_agent.traces.otf2.calls import Converter, Numbering, Ticks, read_rows
from scalewatch_agent.traces.otf2.definitions import Definitions
from scalewatch_agent.traces.otf2.library import DEFINITIONS, calls_file, library_path

SUFFIXES: Final = (".otf2",)

PATIENCE_PER_BYTE: Final = 2e-6
"""Seconds for each byte of an archive: without a compiler, ten events take that."""

LEAST_PATIENCE: Final = 60.0
GROWTH: Final = 100
"""A location's events are at most so many times as large as the archive's files."""

TICKS: Final = 10**9
LONGEST: Final = 2**60
"""Nanoseconds of a run; longer ones are no times."""


def read_otf2(anchor: Path) -> trace.Trace:
    """Return the trace of an archive, given its anchor file (.otf2).

    The first thread of each process stands for it.

    Raises
    ------
    TraceUnusable
        If it cannot be read, or no MPI is in it.
    """
    if library_path() is None:
        raise errors.TraceUnusable(
            anchor, "archives of OTF2 need libotf2: pip install 'scalewatch[otf2]'"
        )
    with TemporaryDirectory(prefix="otf2-") as folder:
        collector = compilers.build_collector(folders.loops_folder())
        try:
            beside = anchor.parent.glob(f"{anchor.stem}*")
            named = [anchor, *beside, *anchor.with_suffix("").glob("*")]
            size = sum(each.stat().st_size for each in {*named} if each.is_file())
        except OSError as error:
            raise errors.TraceUnusable(anchor, error.strerror or str(error)) from None
        limited.read_in_child(
            anchor,
            library.__name__,
            [
                *(str(Path(folder)), str(collector or "")),
                *(str(limited.MEMORY), str(GROWTH * size + 2**20)),
            ],
            reader="libotf2",
            patience=max(LEAST_PATIENCE, PATIENCE_PER_BYTE * size),
        )
        definitions = Definitions.load(Path(folder, DEFINITIONS))
        if definitions.resolution < 1:
            raise errors.TraceUnusable(anchor, "its clock has no resolution")
        ranks = definitions.ranks()
        paths = [calls_file(Path(folder), each) for each in ranks]
        locations = [_Location(path, *read_rows(path)) for path in paths]
        return _trace(anchor, definitions, locations)


@dataclass(frozen=True, slots=True)
class _Location:
    """Collected events of a process: the heading of its file, and its rows."""

    path: Path
    heading: Mapping[str, int]
    rows: stored.StoredRows


def _trace(
    anchor: Path, definitions: Definitions, locations: Sequence[_Location]
) -> trace.Trace:
    headings = [each.heading for each in locations]
    filled = [each for each in headings if each["events"]]
    if not filled:
        raise errors.TraceUnusable(anchor, "it holds no events")
    scale = _Scale(min(each["first"] for each in filled), definitions.resolution)
    runtime = scale.nanosecond(max(each["last"] for each in filled))
    if runtime > LONGEST:
        raise errors.TraceUnusable(anchor, "its times are beyond those of any run")
    if not any(each["rows"] for each in headings):
        raise errors.TraceUnusable(anchor, "no call of MPI is in it")
    if not runtime:
        raise errors.TraceUnusable(anchor, "the run took no time")
    members = definitions.members(len(locations))
    # Numbers from 1 on: 0 is the world, of calls of which nothing else is known.
    numbers = {reference: place for place, reference in enumerate(members, start=1)}
    converter = Converter(
        Numbering(lambda region: definitions.region(region).name),
        Numbering(lambda region: _site(definitions, region)),
        Numbering(lambda reference: numbers.get(reference, 0)),
        scale.nanoseconds,
    )
    for location in locations:
        first, last = location.heading["first"], location.heading["last"]
        span = (scale.nanosecond(first), scale.nanosecond(last))
        converter.add(location.rows, span if location.heading["events"] else (0, 0))
        location.path.unlink()  # so that not all of the trace lies there twice
    communicators = {0: np.arange(len(locations), dtype=np.int64)}
    for reference, ranks in members.items():
        communicators[numbers[reference]] = np.array(ranks, np.int64)
    left_open = sum(each["left_open"] for each in headings)
    backwards = sum(each["backwards"] for each in headings)
    remarks = []
    if definitions.repeated:
        remarks.append(f"{definitions.repeated} definitions came twice, the last holds")
    if left_open:
        remarks.append(f"{left_open} calls have no end")
    if backwards:
        remarks.append(f"in {backwards} calls time ran backwards: they took none")
    return trace.Trace(
        converter.processes(),
        converter.functions.meanings,
        converter.sites.meanings,
        communicators,
        runtime,
        remarks=tuple(remarks),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """Nanoseconds since the first event of an archive, of its ticks."""

    base: int
    resolution: int

    def nanosecond(self, ticks: int) -> int:
        """Return one time."""
        return (ticks - self.base) * TICKS // self.resolution

    def nanoseconds(self, ticks: Ticks) -> trace.Indices:
        """Return times, shape (n,)."""
        since = ticks - np.uint64(self.base)
        if self.resolution == TICKS:
            return since.astype(np.int64)
        return (since.astype(np.float64) * (TICKS / self.resolution)).astype(np.int64)


def _site(definitions: Definitions, number: int) -> trace.Site:
    """Return the place of a caller; EZTrace's own regions are none."""
    region = definitions.region(number)
    return (
        trace.Site(region.file, caller=region.name)
        if "." in region.file
        else trace.Site()
    )
