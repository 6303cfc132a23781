"""What is recorded of real programs in C, with both MPI libraries from PyPI."""

import re
import subprocess
from pathlib import Path

import pytest

from scalewatch_agent.traces import recording
from scalewatch_agent.traces.own.reader import read_own
from support.mpi_programs import PROGRAMS, compiled, totals, traced

DELAY, ROUNDS = 40_000, 10
"""Microseconds that each kind of waiting takes so many times."""

QUIET = 1.05
"""How much longer delays are than planted, at most, where nothing else runs."""

MOST_TURNS = 4

CALLS = {
    "MPI_Send": (10 + 2 + 1, 10 + 1, 10 * 800 + 4),
    "MPI_Recv": (10 + 2 + 1, 10 + 1, 10 * 800 + 4),
    "MPI_Sendrecv": (20, 40, 20 * 2 * 56),
    "MPI_Sendrecv_replace": (20, 40, 20 * 2 * 40),
    "MPI_Irecv": (2 * (4 + 4 + 1 + 1), 0, 0),
    "MPI_Isend": (2 * (4 + 1 + 1), 12, 48),
    "MPI_Waitall": (4, 8, 32),
    "MPI_Waitany": (8, 8, 32),
    "MPI_Startall": (2, 8, 32),
    "MPI_Ssend_init": (8, 0, 0),
    "MPI_Start": (40, 20, 20 * 8),
    "MPI_Recv_init": (2, 0, 0),
    "MPI_Send_init": (2, 0, 0),
    "MPI_Request_free": (2 * (4 + 2), 0, 0),
    "MPI_Wait": (2 * 4, 0, 0),
    "MPI_Mprobe": (2, 2, 8),
    "MPI_Mrecv": (2, 0, 0),
    "MPI_Barrier": (2, 0, 0),
    "MPI_Bcast": (2, 0, 32),
    "MPI_Reduce": (2, 0, 24),
    "MPI_Allreduce": (2, 0, 16),
    "MPI_Gather": (2, 0, 16),
    "MPI_Scatterv": (2, 0, 16 + 12),
    "MPI_Alltoall": (2, 0, 16),
    "MPI_Alltoallv": (2, 0, 32),
    "MPI_Iallreduce": (2, 0, 40),
    "MPI_Comm_split": (4, 0, 0),
    "MPI_Intercomm_create": (2, 0, 0),
    "MPI_Comm_free": (6, 0, 0),
}
"""Calls, ends of messages and bytes that the program is written to have."""


@pytest.fixture
def run(library, tmp_path):
    result = traced(library, tmp_path, compiled(library, "calls", tmp_path))
    assert result.done.returncode == 0, result.done.stderr
    return result


def test_calls_messages_and_bytes_are_those_of_the_source(run):
    found = totals(run.sums)

    # How often a program has to ask depends on when messages come.
    tests, messages, size = found.pop("MPI_Test")
    assert (tests >= 2, messages, size) == (True, 2, 8)
    somes, messages, size = found.pop("MPI_Waitsome")
    assert (20 <= somes <= 40, messages, size) == (True, 20, 160)
    assert found == CALLS


def test_each_message_is_found_also_between_groups_and_from_any_source(run):
    assert run.sums.unmatched == 0
    assert not run.sums.is_truncated


def test_places_are_those_of_the_source(run):
    source = (PROGRAMS / "calls.c").read_text().splitlines()

    for one in run.sums.locations:
        assert one.site.file == "calls.c"
        assert re.search(rf"\b{one.function}\(", source[one.site.line - 1])
    callers = {one.site.caller for one in run.sums.locations}
    assert callers == {
        "main", "blocking", "nonblocking", "probed", "collective", "between",
    }  # fmt: skip


def test_communicators_have_their_members_in_order(run):
    members = [one.tolist() for one in read_own(run.folder).communicators.values()]

    assert sorted(members) == [[0], [0, 1], [0, 1], [1], [1, 0]]


@pytest.mark.parametrize(
    "option", ["-fno-omit-frame-pointer", "-fomit-frame-pointer"], ids=str
)
def test_callers_are_told_where_frame_pointers_tell_them(openmpi, tmp_path, option):
    program = compiled(
        openmpi, "calls", tmp_path, option, "-fno-inline", "-fno-optimize-sibling-calls"
    )

    result = traced(openmpi, tmp_path, program, SCALEWATCH_TRACE_DEPTH=4)

    paths = {one.site.caller: one.site.call_path for one in result.sums.locations}
    if option == "-fno-omit-frame-pointer":
        assert paths["blocking"].split(" < ")[0] == "main"
    assert totals(result.sums)["MPI_Sendrecv"] == CALLS["MPI_Sendrecv"]


def test_threads_record_apart_and_are_read_together(library, tmp_path):
    program = compiled(library, "threads", tmp_path)

    result = traced(library, tmp_path, program)

    assert result.done.returncode == 0, result.done.stderr
    assert len(list(result.folder.glob("rank.0*.swt"))) == 2
    assert totals(result.sums)["MPI_Send"] == (200, 200, 800)
    assert totals(result.sums)["MPI_Wait"] == (200, 200, 800)
    assert result.sums.unmatched == 0
    assert any("threads" in remark for remark in result.sums.remarks)


def test_thread_takes_its_own_request_of_a_handle_handed_out_twice(library, tmp_path):
    source = Path(recording.__file__).parent / "requests.c"
    program = compiled(library, "handles", tmp_path, f'-DREQUESTS="{source}"')

    done = subprocess.run([program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["2", "1", "3", "0"]


def test_planted_delays_are_found_within_a_tenth(library, tmp_path):
    program = compiled(library, "delays", tmp_path)

    for turn in range(MOST_TURNS):
        place = tmp_path / str(turn)
        place.mkdir()
        result = traced(library, place, program, DELAY)
        assert result.done.returncode == 0, result.done.stderr
        words = (line.split() for line in result.done.stdout.splitlines())
        planted = {name: float(value) for name, value in words}
        found, wanted = waits(result.sums), pytest.approx(planted, rel=0.1)
        # Other programs may come between a call's clock and that of the program: a
        # trace counts once it agrees, or nothing made any delay longer than planted.
        if found == wanted or max(planted.values()) < QUIET * ROUNDS * DELAY * 1e-6:
            break

    assert found == wanted


def waits(sums):
    """Return the waiting at the places where it was planted."""
    found = {
        "late_sender": ("MPI_Recv", "MPI_Waitall", "wait_late_sender"),
        "late_receiver": ("MPI_Ssend", "wait_late_receiver"),
        "late_entry": ("MPI_Allreduce", "wait_collective"),
        "late_root": ("MPI_Bcast", "wait_collective"),
        "early_root": ("MPI_Reduce", "wait_collective"),
        "late_barrier": ("meet", "wait_collective"),
    }
    return {
        name: sum(
            getattr(one, kind)
            for one in sums.locations
            if one.function in names or one.site.caller in names
        )
        for name, (*names, kind) in found.items()
    }
