"""OTF2 archives: those of Score-P and EZTrace, made ones, and bad ones."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent import compilers
from scalewatch_agent.compilers import build_collector
from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import limited
from scalewatch_agent.traces.formats import read_reduced, traces_in
from scalewatch_agent.traces.otf2 import library, reader
from scalewatch_agent.traces.otf2.reader import read_otf2
from scalewatch_agent.traces.reduction import reduced
from scalewatch_agent.traces.trace import Site
from support.agent_sentences import TRACES as SAID
from support.otf2_archives import write_archive
from support.traces import foreign

SENDER = [
    ("enter", 0, "main"),
    ("enter", 100, "MPI_Send"),
    ("mpi_send", 101, 1, 7, 64),
    ("leave", 130, "MPI_Send"),
    ("leave", 1000, "main"),
]
RECEIVER = [
    ("enter", 0, "main"),
    ("enter", 40, "MPI_Recv"),
    ("mpi_recv", 139, 0, 7, 64),
    ("leave", 140, "MPI_Recv"),
    ("leave", 1000, "main"),
]
FILES = {"main": "/home/ada/src/halo.c"}


@pytest.fixture(autouse=True)
def _has_libotf2():
    pytest.importorskip("_otf2", reason="the package otf2 is not installed")


@pytest.fixture
def ping_pong(tmp_path):
    """A writable copy of Score-P's archive of a ping-pong."""
    folder = tmp_path / "ping-pong"
    shutil.copytree(foreign("otf2", "ping-pong-otf2"), folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder / "traces.otf2"


def by_function(trace):
    return {each.function: each for each in reduced(trace).locations}


def test_child_that_reads_an_archive_starts_without_numpy():
    program = "import sys, scalewatch_agent.traces.otf2.library; print(*sys.modules)"

    loaded = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert "numpy" not in loaded.split()


def test_archive_of_score_p_has_its_calls_messages_and_bytes():
    trace = read_otf2(foreign("otf2", "ping-pong-otf2", "traces.otf2"))

    found = by_function(trace)
    assert (found["MPI_Send"].calls, found["MPI_Recv"].calls) == (16, 16)
    # Eight messages each way, of 2^0 … kB that its own tools add up to as well.
    assert found["MPI_Send"].bytes == found["MPI_Recv"].bytes == 8_355_840
    assert found["MPI_Send"].site.file == "ping-pong.c"
    assert reduced(trace).unmatched == 0


def test_archive_of_eztrace_is_read_though_definitions_come_twice():
    trace = read_otf2(foreign("otf2", "eztrace-sweep-p4", "eztrace_log.otf2"))

    found = by_function(trace)
    # The closed form of the sweep: 128 messages an iteration at 2 x 2, two of them.
    assert (found["MPI_Send"].calls, found["MPI_Recv"].calls) == (256, 256)
    assert found["MPI_Recv"].site == Site()
    assert reduced(trace).unmatched == 0
    assert trace.remarks == (SAID["repeated definitions"],)


def test_made_archive_has_its_times_sites_and_waits(tmp_path):
    anchor = write_archive(tmp_path / "made", [SENDER, RECEIVER], files=FILES)

    trace = read_otf2(anchor)

    found = by_function(trace)
    sums = reduced(trace)
    assert sums.runtime == pytest.approx(1000e-9)
    assert sums.useful.tolist() == pytest.approx([970e-9, 900e-9])
    assert found["MPI_Recv"].wait_late_sender == pytest.approx(60e-9)
    assert found["MPI_Recv"].site == Site("halo.c", caller="main")
    # Sent after 100 ns of computation, then the receiver computes another 860.
    assert sums.ideal_runtime == pytest.approx(970e-9)


def test_ticks_of_any_length_become_nanoseconds(tmp_path):
    anchor = write_archive(
        tmp_path / "made", [SENDER, RECEIVER], resolution=2 * 10**8, files=FILES
    )

    assert reduced(read_otf2(anchor)).runtime == pytest.approx(5000e-9)


def test_requests_are_matched_where_they_are_posted_and_waited_for(tmp_path):
    sender = [
        ("enter", 0, "main"),
        ("enter", 300, "MPI_Isend"),
        ("mpi_isend", 301, 1, 7, 64, 11),
        ("leave", 310, "MPI_Isend"),
        ("enter", 400, "MPI_Isend"),
        ("mpi_isend", 401, 1, 8, 32, 12),
        ("leave", 410, "MPI_Isend"),
        ("leave", 1000, "main"),
    ]
    receiver = [
        ("enter", 0, "main"),
        ("enter", 10, "MPI_Irecv"),
        ("mpi_irecv_request", 11, 901),
        ("leave", 12, "MPI_Irecv"),
        ("enter", 20, "MPI_Irecv"),
        ("mpi_irecv_request", 21, 902),
        ("leave", 22, "MPI_Irecv"),
        ("enter", 50, "MPI_Waitall"),
        ("mpi_irecv", 419, 0, 7, 64, 901),
        ("mpi_irecv", 419, 0, 8, 32, 902),
        ("leave", 420, "MPI_Waitall"),
        ("leave", 1000, "main"),
    ]

    trace = read_otf2(write_archive(tmp_path / "made", [sender, receiver]))

    found = by_function(trace)
    assert reduced(trace).unmatched == 0
    assert (found["MPI_Waitall"].calls, found["MPI_Waitall"].messages) == (1, 2)
    assert found["MPI_Waitall"].bytes == 96
    # The latest of both counts: sent at 400, waited for from 50 on.
    assert found["MPI_Waitall"].wait_late_sender == pytest.approx(350e-9)


def test_members_wait_for_the_last_that_enters_and_for_the_root(tmp_path):
    otf2 = pytest.importorskip("otf2")
    barrier = otf2.enums.CollectiveOp.BARRIER
    reduce = otf2.enums.CollectiveOp.REDUCE

    def member(enters):
        return [
            ("enter", 0, "main"),
            ("enter", enters, "MPI_Barrier"),
            ("mpi_collective_end", 499, barrier, 0, 0, 0),
            ("leave", 500, "MPI_Barrier"),
            ("enter", 500 + enters, "MPI_Reduce"),
            ("mpi_collective_end", 899, reduce, 0, 8, 8),
            ("leave", 900, "MPI_Reduce"),
            ("leave", 1000, "main"),
        ]

    trace = read_otf2(write_archive(tmp_path / "made", [member(100), member(300)]))

    found = by_function(trace)
    assert found["MPI_Barrier"].wait_collective == pytest.approx(200e-9)
    assert found["MPI_Reduce"].wait_collective == pytest.approx(200e-9)
    assert found["MPI_Reduce"].bytes == 16


def test_python_collects_what_the_compiled_collector_does(monkeypatch, tmp_path):
    assert build_collector(tmp_path) is not None
    anchor = foreign("otf2", "eztrace-sweep-p4", "eztrace_log.otf2")
    compiled = read_otf2(anchor)
    monkeypatch.setattr(compilers, "build_collector", lambda _folder: None)

    interpreted = read_otf2(anchor)

    for first, second in zip(compiled.processes, interpreted.processes, strict=True):
        assert np.array_equal(first.records, second.records)
    assert build_collector(tmp_path, {"CC": str(tmp_path / "no-compiler")}) is None


@pytest.mark.parametrize("seed", range(4))
def test_python_collects_the_same_of_events_in_any_order(monkeypatch, tmp_path, seed):
    anchor = write_archive(
        tmp_path / "made", [_any_events(seed), _any_events(seed + 9)]
    )
    compiled = read_otf2(anchor)
    monkeypatch.setattr(compilers, "build_collector", lambda _folder: None)

    interpreted = read_otf2(anchor)

    assert compiled.remarks == interpreted.remarks != ()
    for first, second in zip(compiled.processes, interpreted.processes, strict=True):
        assert np.array_equal(first.records, second.records)
        assert (first.useful, first.span) == (second.useful, second.span)


def _any_events(seed):
    """Events in an order that no program makes: leaves and times of other calls."""
    generator = np.random.default_rng(seed)
    otf2 = pytest.importorskip("otf2")
    names = ["main", "step", "MPI_Send", "MPI_Waitall", "MPI_Bcast"]
    events = [("enter", 0, "MPI_Barrier"), ("leave", 1, "MPI_Barrier")]
    time = 1
    for _ in range(400):
        time += int(generator.integers(0, 9))
        kind = generator.integers(0, 12)
        name = names[generator.integers(len(names))]
        message = (int(generator.integers(2)), int(generator.integers(4)), 8 * time)
        bcast = (otf2.enums.CollectiveOp.BCAST, 0, 8, 8)
        events.append(
            [
                *4 * [("enter", time, name)],
                *3 * [("leave", time, name)],
                ("mpi_send", time, *message),
                ("mpi_isend", time, *message, time),
                ("mpi_irecv_request", time, time),
                ("mpi_irecv", time, *message, time - 1),
                ("mpi_collective_end", time, *bcast),
            ][kind]
        )
    return events


def test_calls_within_a_call_that_never_ends_stand_for_themselves(tmp_path):
    cut = [
        ("enter", 0, "main"),
        ("enter", 10, "MPI_Init"),
        ("enter", 20, "MPI_Recv"),
        ("mpi_recv", 29, 0, 7, 64),
        ("leave", 30, "MPI_Recv"),
        ("leave", 100, "main"),
    ]

    trace = read_otf2(write_archive(tmp_path / "made", [cut]))

    found = by_function(trace)
    assert {name: one.bytes for name, one in found.items()} == {"MPI_Recv": 64}
    assert trace.remarks == (SAID["open calls"],)


def test_barrier_of_some_is_not_one_of_all(tmp_path):
    otf2 = pytest.importorskip("otf2")
    barrier = otf2.enums.CollectiveOp.BARRIER

    def member(*enters):
        events = [("enter", 0, "main")]
        for start in enters:
            events += [
                ("enter", start, "MPI_Barrier"),
                ("mpi_collective_end", 499, barrier, 0, 0, 0),
                ("leave", 500, "MPI_Barrier"),
            ]
        return [*events, ("leave", 1000, "main")]

    anchor = write_archive(
        tmp_path / "made", [member(100), member(300), member()], members=[0, 1]
    )

    found = by_function(read_otf2(anchor))
    assert found["MPI_Barrier"].wait_collective == pytest.approx(200e-9)


def test_calls_within_calls_of_mpi_belong_to_the_outer_one(tmp_path):
    nested = [
        ("enter", 0, "main"),
        ("enter", 10, "MPI_Init"),
        ("enter", 20, "MPI_Barrier"),
        ("leave", 30, "MPI_Barrier"),
        ("leave", 90, "MPI_Init"),
        ("enter", 95, "MPI_Finalize"),
        ("leave", 100, "main"),
    ]

    trace = read_otf2(write_archive(tmp_path / "made", [nested]))

    assert set(by_function(trace)) == {"MPI_Init"}
    assert trace.remarks == (SAID["open calls"],)


def test_folder_and_folders_in_it_are_searched_for_anchors(tmp_path):
    first = write_archive(tmp_path / "run-4", [SENDER, RECEIVER])
    second = write_archive(tmp_path / "run-2", [SENDER, RECEIVER])

    assert traces_in(tmp_path) == [second, first]
    assert traces_in(first.parent) == [first]
    assert read_reduced(first).processes == 2


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([], "it holds no events"),
        ([("enter", 0, "main"), ("leave", 9, "main")], "no call of MPI is in it"),
        ([("enter", 5, "MPI_Init"), ("leave", 5, "MPI_Init")], "took no time"),
        ([("enter", 0, "MPI_Init"), ("leave", 2**62, "MPI_Init")], "beyond those"),
    ],
)
def test_archive_without_anything_to_tell_is_refused(tmp_path, events, reason):
    anchor = write_archive(tmp_path / "made", [events])

    with pytest.raises(TraceUnusable, match=reason):
        read_otf2(anchor)


def test_without_libotf2_the_package_is_named(monkeypatch):
    monkeypatch.setattr(reader, "library_path", lambda: None)

    with pytest.raises(TraceUnusable, match="pip install"):
        read_otf2(Path("traces.otf2"))


def test_missing_parts_and_files_that_are_no_archive_are_refused(ping_pong, tmp_path):
    other = tmp_path / "other.otf2"
    other.write_bytes(b"\x03BOTF2" + bytes(100))
    (ping_pong.parent / "traces" / "1.evt").unlink()

    for path in (other, ping_pong, tmp_path / "none.otf2"):
        with pytest.raises(TraceUnusable) as refused:
            read_otf2(path)
        assert "\n" not in str(refused.value)


def test_child_that_crashes_or_never_ends_is_one_line(monkeypatch, tmp_path):
    anchor = write_archive(tmp_path / "made", [SENDER, RECEIVER])
    crashing = tmp_path / "crashing.py"
    crashing.write_text("import os, sys; os.kill(os.getpid(), 11)\n")
    monkeypatch.setattr(sys, "executable", _program(tmp_path, crashing))

    with pytest.raises(TraceUnusable, match="ended by signal 11"):
        read_otf2(anchor)

    crashing.write_text("import time; time.sleep(60)\n")
    monkeypatch.setattr(reader, "LEAST_PATIENCE", 0.5)
    with pytest.raises(TraceUnusable, match="did not come to an end"):
        read_otf2(anchor)


def test_memory_and_files_of_the_child_are_bounded(monkeypatch, tmp_path):
    anchor = write_archive(tmp_path / "made", [SENDER, RECEIVER])
    monkeypatch.setattr(limited, "MEMORY", 2**20)

    with pytest.raises(TraceUnusable):
        read_otf2(anchor)


@pytest.mark.parametrize("seed", range(3))
def test_mutated_archive_is_read_or_refused(ping_pong, seed):
    generator = np.random.default_rng(seed)
    files = [path for path in ping_pong.parent.rglob("*") if path.suffix != ".cfg"]
    files = [path for path in files if path.is_file() and path.suffix != ".md"]
    originals = {path: path.read_bytes() for path in files}
    outcomes, lines = set(), set()
    for _ in range(4):
        path = files[generator.integers(len(files))]
        changed = np.frombuffer(originals[path], np.uint8).copy()
        places = generator.integers(0, len(changed), generator.integers(1, 4))
        changed[places] = generator.integers(0, 256, len(places))
        path.write_bytes(changed.tobytes())
        try:
            found = reduced(read_otf2(ping_pong))
        except TraceUnusable as refused:
            outcomes.add("refused")
            lines.update(str(refused).splitlines()[1:])
        else:
            outcomes.add("read")
            assert found.runtime > 0
        path.write_bytes(originals[path])

    assert outcomes
    assert not lines


def _program(folder, script):
    """Return a program that runs a script, whatever it is called with."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {script}\n")
    program.chmod(0o755)
    return str(program)


def test_library_is_that_of_the_installed_wheel():
    path = library.library_path()

    assert path is not None
    assert path.suffix == ".so"
