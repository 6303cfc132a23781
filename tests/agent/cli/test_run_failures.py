"""`scalewatch-agent run` with programs that fail: each ends as a run that says why."""

import time
from pathlib import Path

import pytest

from support.agent_sentences import CLI as SAID
from support.experiments import GOOD, experiment, reasons, run


def test_hanging_program_is_killed_with_its_children_and_recorded(folder, receiver):
    note = folder / "child"
    code = (
        "import subprocess, sys, time\n"
        "if sys.argv[1] == '1':\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; "
        "time.sleep(600)'], start_new_session=True)\n"
        f"    open({str(note)!r}, 'w').write(str(child.pid))\n"
        "    time.sleep(600)\n"
        f"{GOOD}\n"
    )
    execute = {"run": "{python} {experiment}/program.py {p}", "time_limit": 3}

    done = run(experiment(folder, code, execute=execute), receiver.url)

    assert done.exit_code == 4
    assert reasons(receiver) == [SAID["time limit"].format(3), None]
    until_gone(int(note.read_text()))


def until_gone(process):
    """Wait until a process has ended, at most ten seconds."""
    status = Path(f"/proc/{process}/status")
    for _ in range(1000):
        try:
            if "State:\tZ" in status.read_text():
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
    pytest.fail(f"process {process} is still there")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "raise SystemExit('error: no mesh')",
            "ended with exit code 1: error: no mesh",
        ),
        ("import os; os.kill(os.getpid(), 11)", "was killed by signal 11"),
        ("print('done')", "nothing in stdout matches 'took (.+) s'"),
        ("print('took forever s')", "'forever' of all is no number"),
        (
            "print('took 1 s'); sys.stderr.write('srun: error: node7: Killed\\n')",
            "srun: error: node7: Killed",
        ),
        ("print('took 1 s\\nMPI_ABORT was invoked')", "MPI_ABORT was invoked"),
    ],
)
def test_program_that_measures_nothing_is_recorded_and_the_sweep_goes_on(
    code, reason, folder, receiver
):
    program = f"import sys\nif sys.argv[1] == '1':\n    {code}\nelse:\n    {GOOD}\n"

    done = run(experiment(folder, program), receiver.url)

    assert done.exit_code == 4
    failed, fine = reasons(receiver)
    assert reason in failed
    assert fine is None


def test_malformed_json_is_recorded(folder, receiver):
    code = "open('out.json', 'w').write('{\"value\": ')"

    run(experiment(folder, code, results=[{"json": "out.json"}]), receiver.url)

    assert all(SAID["no JSON"] in reason for reason in reasons(receiver))


def test_without_an_mpi_nothing_is_started_or_posted(folder, receiver):
    missing = str(folder / "mpiexec")
    path = experiment(folder, execute={"run": "true", "processes": "p"})

    done = run(path, receiver.url, "--mpiexec", missing)

    assert done.exit_code == 4
    assert done.stderr.startswith(f"Error: no program at {missing}: load an MPI module")
    assert done.stderr.count("\n") == 1
    assert receiver.runs == []


def test_mpi_that_an_experiment_prepares_may_be_missing_before(folder, receiver):
    missing = str(folder / "mpiexec")
    path = experiment(
        folder,
        prepare="true",
        execute={"run": "true", "processes": "p"},
        launcher={"mpiexec": missing},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    why = f"cannot start {missing}: No such file or directory"
    assert reasons(receiver) == [why, why]


def test_crash_on_one_rank_is_recorded(folder, receiver, openmpi):
    code = (
        "import sys\nfrom mpi4py import MPI\n"
        "if MPI.COMM_WORLD.rank == 1:\n    sys.exit('error: rank 1 lost its data')\n"
        "MPI.COMM_WORLD.Barrier()\nprint('took 1 s')\n"
    )
    path = experiment(
        folder,
        code,
        execute={
            "run": "{python} {experiment}/program.py",
            "processes": "p",
            "time_limit": 12,
        },
        launcher={"mpiexec": str(openmpi.mpiexec)},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    fine, failed = reasons(receiver)
    assert fine is None
    assert failed.startswith((SAID["mpiexec failed"], "time limit"))


@pytest.mark.parametrize("step", ["prepare", "compile"])
def test_step_that_fails_is_recorded_for_each_combination_once(step, folder, receiver):
    broken = {step: "echo 'error: no compiler' >&2; false"}

    done = run(experiment(folder, repeats=3, **broken), receiver.url)

    assert done.exit_code == 4
    why = f"{step}: sh ended with exit code 1: error: no compiler"
    assert reasons(receiver) == [why, why]


def test_analysis_that_fails_is_recorded(folder, receiver):
    run(experiment(folder, analyse="exit 3"), receiver.url)

    assert set(reasons(receiver)) == {SAID["analysis failed"]}


def test_reason_is_visible_on_the_server(folder, receiver, client):
    run(experiment(folder, "print('done')"), receiver.url)

    for posted in receiver.runs:
        assert client.post("/api/v1/runs", json=posted).status_code == 202
        shown = client.get(f"/api/v1/runs/{posted['id']}").json()
        (result,) = shown["results"]
        assert SAID["nothing matches"] in result["reason"]
        page = client.get(f"/p/code/runs/{posted['id']}")
        assert SAID["nothing matches"] in page.text
