"""Clocks that differ: offsets are measured at begin and end, and taken out."""

import re

import numpy as np
import pytest

from scalewatch_agent.traces.own.definitions import read_definitions
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.own.records import corrected
from scalewatch_agent.traces.records import HEADER, RECORD
from scalewatch_agent.traces.reduction import reduced
from support.mpi_programs import compiled, traced

AHEAD = 5 * 10**9
DRIFT = 2 * 10**6


def test_offsets_are_measured_when_recording_begins_and_ends(library, tmp_path):
    program = compiled(library, "delays", tmp_path)

    result = traced(library, tmp_path, program, 1000, SCALEWATCH_TRACE_CLOCKS="measure")

    assert result.done.returncode == 0, result.done.stderr
    clocks = read_definitions(result.folder / "rank.1.def", 2).clocks
    # Both processes read the same clock: half the way of a message is the error.
    assert [abs(offset) < 20e6 for _, offset in clocks] == [True, True]
    assert not read_definitions(result.folder / "rank.0.def", 2).clocks


def test_clock_that_is_ahead_and_drifts_is_set_back(openmpi, tmp_path):
    program = compiled(openmpi, "delays", tmp_path)
    folder = traced(openmpi, tmp_path, program, 1000).folder
    before = reduced(read_own(folder))
    _set_ahead(folder)

    after = reduced(read_own(folder))

    assert after.unmatched == 0
    assert after.runtime == pytest.approx(before.runtime, abs=1e-6)
    for kind in ("wait_late_sender", "wait_late_receiver", "wait_collective"):
        sums = [
            sum(getattr(one, kind) for one in found.locations)
            for found in (before, after)
        ]
        assert sums[1] == pytest.approx(sums[0], abs=1e-6)


def _set_ahead(folder):
    """Let process 1 have a clock that is ahead, and by more at the end."""
    path = folder / "rank.1.def"
    text = path.read_text()
    begin, end = (
        int(re.search(rf"^{name}\t(\d+)$", text, re.MULTILINE)[1])
        for name in ("begin", "end")
    )

    def ahead(times):
        return AHEAD + (times - begin) * DRIFT // (end - begin)

    at = [begin + ahead(begin), end + ahead(end)]
    lines = [
        line
        for line in text.splitlines()
        if line.split("\t")[0] not in {"begin", "end"}
    ]
    lines += [f"begin\t{at[0]}", f"end\t{at[1]}"]
    lines += [f"clock\t{at[0]}\t{AHEAD}", f"clock\t{at[1]}\t{AHEAD + DRIFT}"]
    path.write_text("\n".join(lines) + "\n")
    file = folder / "rank.1.swt"
    records = np.memmap(file, RECORD, "r+", offset=HEADER.itemsize)
    start = records["start"].astype(np.int64)
    records["start"] = start + ahead(start)
    records.flush()


def test_one_clock_needs_no_correction():
    times = np.array([3, 7])

    assert corrected(times, []).tolist() == [3, 7]
    assert corrected(times, [(0, 2)]).tolist() == [1, 5]
