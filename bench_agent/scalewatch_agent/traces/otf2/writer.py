"""Write a trace as an archive of OTF2, for Vampir, Pipit and other tools."""

import importlib
import importlib.util
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import functions, stored
from scalewatch_agent.traces.otf2.definitions import SIZES
from scalewatch_agent.traces.records import RECORD, Flag, blocks
from scalewatch_agent.traces.trace import Process, Site, Trace

TICKS: Final = 10**9
ARCHIVE: Final = "otf2"
"""The folder of an archive in that of an own trace."""

ANCHOR: Final = "traces.otf2"
NO_ROOT: Final = 2**32 - 1
BLOCK: Final = 100_000
"""Records that are made Python objects at a time."""


def write_otf2(trace: Trace, folder: Path) -> Path:
    """Write a trace to a new folder, and return the anchor of the archive.

    Each call is inside a region of its caller, where that is known.

    Raises
    ------
    TraceUnusable
        If the package otf2 is missing, or threads of a process overlap.
    """
    if importlib.util.find_spec("otf2") is None:
        raise TraceUnusable(
            folder, "writing OTF2 needs its library: pip install 'scalewatch[otf2]'"
        )
    otf2 = importlib.import_module("otf2")
    shutil.rmtree(folder, ignore_errors=True)
    for process in trace.processes:
        _check(folder, process)
    try:
        with otf2.writer.open(str(folder), timer_resolution=TICKS) as archive:
            _Archive(otf2, archive, trace).write()
    except OSError as error:
        raise TraceUnusable(folder, error.strerror or str(error)) from None
    return folder / ANCHOR


def _check(folder: Path, process: Process) -> None:
    last = 0
    for _, block in blocks(process.records):
        calls = block[(block["flags"] & Flag.PART) == 0]
        ends = calls["start"] + calls["took"]
        if (calls["start"] < np.r_[last, ends[:-1]]).any():
            raise TraceUnusable(
                folder,
                f"calls of process {process.rank} overlap: it has several threads",
            )
        last = int(ends[-1])


_BLOCKING: Final = {
    functions.non_blocking(name): name for name in functions.COLLECTIVES
}


@dataclass(slots=True)
class _Call:
    """A call, and the records of its messages: its own first, then its parts."""

    start: int
    end: int
    function: int
    site: int
    records: list[Any]


class _Archive:
    """An archive that is being written."""

    def __init__(self, otf2: Any, archive: Any, trace: Trace) -> None:
        self.archive = archive
        self.trace = trace
        self.kinds = otf2.enums
        known = archive.definitions
        node = known.system_tree_node("host")
        mpi = self.kinds.Paradigm.MPI
        self.locations = []
        for process in trace.processes:
            title = f"process {process.rank}"
            group = known.location_group(title, system_tree_parent=node)
            self.locations.append(known.location("thread 0", group=group))
        groups = self.kinds.GroupType
        known.group("MPI", groups.COMM_LOCATIONS, mpi, members=self.locations)
        self.communicators = {
            number: known.comm(
                f"communicator {number}",
                group=known.group(
                    f"members {number}",
                    groups.COMM_GROUP,
                    mpi,
                    members=[int(rank) for rank in members],
                ),
            )
            for number, members in trace.communicators.items()
        }
        self.sends: frozenset[int] = frozenset()
        self.started: dict[int, tuple[Any, Any]] = {}
        self.functions = [known.region(n, paradigm=mpi) for n in trace.functions]
        self.sites = [self._region(known, site) for site in trace.sites]
        self.operations = [self._operation(name) for name in trace.functions]
        self.starting = {
            at
            for at, name in enumerate(trace.functions)
            if functions.standard_name(name) in functions.STARTING
        }
        self.sizes = known.parameter(SIZES, self.kinds.ParameterType.UINT64)
        begins = [
            each.span[0] if each.span else int(each.records[0]["start"])
            for each in trace.processes
            if each.span or len(each.records)
        ]
        self.base = min(begins, default=0)

    def _region(self, known: Any, site: Site) -> Any:
        if not (site.caller or site.file):
            return None
        return known.region(
            site.caller or site.file,
            source_file=site.file,
            begin_line_number=site.line,
            end_line_number=site.line,
        )

    def _operation(self, name: str) -> Any:
        plain = functions.standard_name(name)
        blocking = _BLOCKING.get(plain, plain)
        if blocking not in functions.COLLECTIVES:
            return None
        kind = blocking.removeprefix("MPI_").upper()
        return getattr(self.kinds.CollectiveOp, kind)

    def write(self) -> None:
        """Write the events of all processes."""
        for process, location in zip(self.trace.processes, self.locations, strict=True):
            writer = self.archive.event_writer_from_location(location)
            self.sends = _request_kinds(process.records)
            self.started = {}
            if process.span is not None:
                writer.program_begin(process.span[0] - self.base, "program", [])
            for call in _calls(process.records, self.base):
                self._call(writer, call)
            if process.span is not None:
                writer.program_end(process.span[1] - self.base, 0)

    def _call(self, writer: Any, call: _Call) -> None:
        site = self.sites[call.site] if self.sites else None
        function = self.functions[call.function]
        if site is not None:
            writer.enter(call.start, site)
        writer.enter(call.start, function)
        first = call.records[0]
        operation = self.operations[call.function]
        starts = call.function in self.starting and int(first["request"])
        if starts:
            self.started[starts] = operation, first
            writer.non_blocking_collective_request(call.start, starts)
        elif operation is not None:
            writer.mpi_collective_begin(call.start)
        elif first["bytes"] and not first["flags"]:
            writer.parameter_unsigned_int(call.start, self.sizes, int(first["bytes"]))
        for record in call.records:
            self._sent(writer, call, record)
        for record in call.records:
            self._received(writer, call, record)
        if operation is not None and not starts:
            collective = self._collective(first)
            writer.mpi_collective_end(call.end, operation, *collective)
        writer.leave(call.end, function)
        if site is not None:
            writer.leave(call.end, site)

    def _collective(self, record: Any) -> tuple[Any, ...]:
        on = self.communicators[int(record["communicator"])]
        root = NO_ROOT if record["peer"] < 0 else int(record["peer"])
        size = int(record["bytes"])
        return on, root, size, size

    def _message(self, record: Any) -> tuple[Any, ...]:
        on = self.communicators[int(record["communicator"])]
        return int(record["peer"]), on, int(record["tag"]), int(record["bytes"])

    def _sent(self, writer: Any, call: _Call, record: Any) -> None:
        flags, request = int(record["flags"]), int(record["request"])
        if flags & Flag.SENT and request:
            writer.mpi_isend(call.start, *self._message(record), request)
        elif flags & Flag.SENT:
            writer.mpi_send(call.start, *self._message(record))
        elif flags & Flag.POSTED:
            writer.mpi_irecv_request(call.start, request)

    def _received(self, writer: Any, call: _Call, record: Any) -> None:
        flags, request = int(record["flags"]), int(record["request"])
        if flags & Flag.RECEIVED and request:
            writer.mpi_irecv(call.end, *self._message(record), request)
        elif flags & Flag.RECEIVED:
            writer.mpi_recv(call.end, *self._message(record))
        elif flags == Flag.PART and request in self.sends:
            writer.mpi_isend_complete(call.end, request)
        elif flags == Flag.PART and request in self.started:
            operation, begun = self.started.pop(request)
            writer.non_blocking_collective_complete(
                call.end, operation, *self._collective(begun), request
            )


def _request_kinds(records: stored.Rows) -> frozenset[int]:
    """Return the requests that are sends."""
    is_sent = (records["flags"] & Flag.SENT) != 0
    return frozenset(records["request"][is_sent].tolist()) - {0}


def _calls(records: stored.Rows, base: int) -> Iterator[_Call]:
    call: _Call | None = None
    for record in _rows(records):
        if call is not None and record["flags"] & Flag.PART:
            call.records.append(record)
            continue
        if call is not None:
            yield call
        start = int(record["start"]) - base
        call = _Call(
            start,
            start + int(record["took"]),
            int(record["function"]),
            int(record["site"]),
            [record],
        )
    if call is not None:
        yield call


def _rows(records: stored.Rows) -> Iterator[Any]:
    names: Sequence[str] = RECORD.names or ()
    for begin in range(0, len(records), BLOCK):
        for row in records[begin : begin + BLOCK].tolist():
            yield dict(zip(names, row, strict=True))
