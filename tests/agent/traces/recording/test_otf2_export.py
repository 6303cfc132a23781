"""Own traces as archives of OTF2: what comes back is what was recorded."""

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.otf2.reader import read_otf2
from scalewatch_agent.traces.otf2.writer import write_otf2
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.recording.tracing import archived
from scalewatch_agent.traces.reduction import reduced
from support.agent_sentences import TRACES as SAID
from support.mpi_programs import compiled, totals, traced

pytest.importorskip("otf2", reason="the package otf2 is not installed")


@pytest.mark.parametrize("name", ["calls", "delays", "apart"])
def test_own_trace_comes_back_from_otf2(openmpi, tmp_path, name):
    program = compiled(openmpi, name, tmp_path)
    folder = traced(openmpi, tmp_path, program, 1000).folder
    own = read_own(folder)

    anchor = write_otf2(own, tmp_path / "archive")

    back, there = (
        reduced(one, best_times) for one in (read_otf2(anchor), read_own(folder))
    )
    assert totals(back) == totals(there)
    if name == "apart":
        assert totals(back)["MPI_Put"] == (2, 0, 32)
        assert totals(back)["MPI_Ibcast"] == (2, 0, 32)
    assert back.unmatched == there.unmatched == 0
    assert there.mpi_time - there.overhead > 20e-9
    assert (back.runtime, back.ideal_runtime) == (there.runtime, there.ideal_runtime)
    assert back.useful == pytest.approx(there.useful)
    for kind in ("mpi_time", "overhead", "wait_late_sender", "wait_collective"):
        assert by_function(back, kind) == pytest.approx(by_function(there, kind))
    callers = {(one.function, one.site.caller, one.site.file) for one in back.locations}
    assert callers == {
        (one.function, one.site.caller, one.site.file) for one in there.locations
    }


def best_times(function, processes, sizes):  # noqa: ARG001 - of a table
    """Return 1 ns a byte for what sends and receives, so that waits have some, too."""
    has_one = function in {"MPI_Send", "MPI_Recv"} or "MPI_Iallreduce" in function
    return sizes * 1e-9 if has_one else None


def by_function(sums, kind):
    found: dict[str, float] = {}
    for one in sums.locations:
        found[one.function] = found.get(one.function, 0.0) + getattr(one, kind)
    return found


def test_threads_that_overlap_are_refused_in_one_line(openmpi, tmp_path):
    program = compiled(openmpi, "threads", tmp_path)
    trace = read_own(traced(openmpi, tmp_path, program).folder)
    assert len(np.unique(trace.processes[0].records["start"])) > 1

    with pytest.raises(TraceUnusable, match="overlap: it has several threads"):
        write_otf2(trace, tmp_path / "archive")
    # Their program has run, though: it is not lost for that.
    remarks = archived(trace, tmp_path, reduced(trace)).remarks
    assert SAID["no archive"] in remarks[-1]
