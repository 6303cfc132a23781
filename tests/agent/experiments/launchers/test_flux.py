"""`scalewatch-agent run --launcher flux`, with a stand-in for the command `flux`."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from scalewatch_agent.experiments.launchers import queued
from support import flux_commands
from support.agent_sentences import EXPERIMENTS as SAID
from support.experiments import GOOD, experiment, run
from support.flux_commands import FIRST, f58

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def flux(tmp_path, monkeypatch):
    """The folder of an instance whose `flux` is on PATH."""
    folder, programs = tmp_path / "flux", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    command = programs / "flux"
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{flux_commands.__file__}" "$@"\n'
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FLUX_STAND_IN", str(folder))
    return folder


def sweep(folder, code=GOOD, *, launcher=None, execute=None, **fields):
    """Write an experiment for Flux, which names its machine itself."""
    program = {"run": "{python} {experiment}/program.py {p}", "processes": "p"}
    return experiment(
        folder,
        code,
        execute=program | {"time_limit": 60} | (execute or {}),
        launcher={"kind": "flux", "poll": 0.05, "check_size": False} | (launcher or {}),
        **{"machine": None} | fields,
    )


def behave(flux, **behaviour):
    (flux / "behaviour.json").write_text(json.dumps(behaviour))


def asked(flux):
    """Return the options of the jobs that were handed in, in their order."""
    paths = sorted((flux / "jobs").glob("*.json"))
    return [json.loads(path.read_text())["stated"] for path in paths]


def reason(receiver):
    (posted,) = receiver.runs
    (result,) = posted["results"]
    assert result["status"] == "failed"
    assert "values" not in result or not result["values"]
    return result["reason"]


def test_each_repeat_is_a_job_that_is_queued_runs_and_is_measured(
    folder, flux, receiver
):
    path = sweep(folder, repeats=2, execute={"threads": 2, "time_limit": 30})

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert len(receiver.runs) == 4
    assert len({posted["job"]["id"] for posted in receiver.runs}) == 4
    for posted in receiver.runs:
        job = posted["job"]
        assert job["scheduler"] == "flux"
        assert job["id"].startswith("ƒ")
        assert job["nodes"] == 1
        assert job["started_at"] <= job["ended_at"]
        assert job["environment"]["nodelist"] == "node1"
        assert job["environment"]["OMP_NUM_THREADS"] == "2"
        # `flux run` starts the program in each process.
        assert posted["results"][0]["values"] == [2.5] * posted["coordinate"]["p"]
        assert posted["machine"]["name"] == "node"
        assert posted["machine"]["fingerprint"]["memory_bytes"] > 0
    assert [each["nslots"] for each in asked(flux)] == [1, 2, 1, 2]
    assert {each["cores_per_slot"] for each in asked(flux)} == {2}
    assert {each["time_limit"] for each in asked(flux)} == {"90s"}
    assert {each["job_name"] for each in asked(flux)} == {"sweep"}


@pytest.mark.parametrize(
    ("execute", "nodes"),
    [({}, None), ({"nodes": 2}, 2), ({"tasks_per_node": "p / 2"}, 2)],
)
def test_nodes_follow_from_the_file(execute, nodes, folder, flux, receiver):
    path = sweep(folder, parameters={"p": [4]}, execute=execute)

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert [each["nodes"] for each in asked(flux)] == [nodes]
    assert receiver.runs[0]["job"]["nodes"] == nodes or 1


def test_queue_and_bank_are_options_of_the_scheduler(folder, flux, receiver):
    options = ["--queue=batch", "--bank=perf"]
    path = sweep(folder, parameters={"p": [1]}, launcher={"options": options})

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert [(each["queue"], each["bank"]) for each in asked(flux)] == [
        ("batch", "perf")
    ]


@pytest.mark.usefixtures("flux")
def test_setup_comes_before_the_program(folder, receiver):
    code = "import os\nprint('took', os.environ['LEVEL'], 's')\n"
    path = sweep(
        folder, code, parameters={"p": [1]}, launcher={"setup": "export LEVEL=7"}
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [7.0]


@pytest.mark.parametrize(
    ("fields", "reported"),
    [
        (
            {"launcher": {"options": ["--queue=nowhere"]}},
            "Flux refuses it: flux-batch: ERROR: [Errno 22] invalid queue 'nowhere'",
        ),
        (
            {"execute": {"nodes": 64}},
            "Flux refuses it: flux-batch: ERROR: [Errno 22] unsatisfiable request",
        ),
        (
            {"execute": {"nodes": 2, "tasks_per_node": 1, "processes": 4}},
            "Flux refuses it: 2 nodes with 1 tasks each hold no 4 processes",
        ),
    ],
)
def test_job_that_flux_does_not_take_is_recorded(
    fields, reported, folder, flux, receiver
):
    path = sweep(folder, parameters={"p": [1]}, **fields)

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert reason(receiver) == reported
    assert asked(flux) == []


@pytest.mark.usefixtures("flux")
def test_failures_are_recorded_and_the_sweep_goes_on(folder, receiver):
    code = (
        "import sys, time\n"
        "if sys.argv[1] == '1':\n    sys.exit('error: no mesh')\n"
        "if sys.argv[1] == '2':\n    time.sleep(600)\n"
        f"{GOOD}\n"
    )
    path = sweep(folder, code, parameters={"p": [1, 2, 3]}, execute={"time_limit": 2})

    done = run(path, receiver.url)

    assert done.exit_code == 4
    reasons = {
        run["coordinate"]["p"]: run["results"][0].get("reason") for run in receiver.runs
    }
    assert SAID["no mesh"] in reasons[1]
    assert reasons[2].startswith(SAID["time limit"].format(2))
    assert reasons[3] is None


@pytest.mark.parametrize(
    ("behaviour", "reported"),
    [
        (
            {"exception": "alloc: unsatisfiable request"},
            "Flux ended it as failed (alloc: unsatisfiable request)",
        ),
        (
            {"late exception": "exec: lost contact with job shell on broker 1"},
            "Flux ended it as failed (exec: lost contact with job shell on broker 1)",
        ),
        (
            {"limit": 0.2},
            "Flux ended it as timeout (timeout: resource allocation expired)",
        ),
        ({"state": "LIMBO"}, "Flux calls its state LIMBO, which is not known here"),
        ({"state": "INACTIVE"}, "Flux calls its state INACTIVE, which is not known"),
    ],
)
def test_job_that_flux_ends_or_does_not_explain_has_measured_nothing(
    behaviour, reported, folder, flux, receiver
):
    behave(flux, **behaviour)
    code = (
        GOOD if "late exception" in behaviour else f"import time\ntime.sleep(9)\n{GOOD}"
    )
    path = sweep(folder, code, parameters={"p": [1]})

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert reason(receiver).startswith(reported)
    (job,) = (flux / "jobs").glob("*.json")
    assert json.loads(job.read_text())["state"] == "INACTIVE"


@pytest.mark.usefixtures("flux")
def test_job_that_is_cancelled_has_failed(folder, receiver):
    code = (
        "import subprocess, time\n"
        "subprocess.run(['flux', 'cancel', "
        f"'{FIRST}'], check=True)\n"
        f"time.sleep(60)\n{GOOD}\n"
    )
    path = sweep(folder, code, parameters={"p": [1]})

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert reason(receiver).startswith(SAID["cancelled"])


def test_job_that_flux_does_not_know_has_failed(folder, flux, receiver):
    behave(flux, forgets=True)
    path = sweep(folder, parameters={"p": [1]})

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert SAID["lost job"] in reason(receiver)


def test_job_that_flux_has_forgotten_is_judged_by_what_it_left(folder, flux, receiver):
    path = sweep(folder, parameters={"p": [1]})
    behave(flux, refuses={"jobs": "flux-jobs: ERROR: permission denied"})
    run(path, receiver.url)
    behave(flux)
    for _ in range(2):  # it starts after the first look
        subprocess.run(["flux", "jobs", "--json", str(FIRST)], check=True)
    until((flux / "jobs" / f"{FIRST}.ended").exists)
    behave(flux, forgets=True)

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [2.5]


def until(holds):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_interrupted_agent_names_the_command_that_ends_its_jobs(folder, flux, receiver):
    go = folder / "go"
    code = (
        "import pathlib, time\n"
        f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.05)\n{GOOD}\n"
    )
    path = sweep(folder, code, parameters={"p": [1]})
    agent = subprocess.Popen(
        [sys.executable, "-m", "scalewatch_agent", "run", path, "--server", NOBODY],
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    job = flux / "jobs" / f"{FIRST}.json"
    until(lambda: job.exists() and json.loads(job.read_text())["state"] == "RUN")
    agent.send_signal(signal.SIGINT)
    _, complaint = agent.communicate(timeout=60)

    words = " ".join(complaint.split())
    assert agent.returncode == 130
    assert f"to end them: flux cancel {f58(FIRST)}" in words

    go.touch()
    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [2.5]
    assert len(asked(flux)) == 1


@pytest.mark.parametrize(
    ("behaviour", "silence"),
    [
        ({"hangs": "jobs"}, "it timed out"),
        ({"refuses": {"jobs": "flux-jobs: ERROR: denied"}}, "flux-jobs: ERROR: denied"),
    ],
)
def test_sweep_goes_on_with_its_jobs_when_flux_answers_again(
    behaviour, silence, folder, flux, receiver
):
    behave(flux, **behaviour)
    path = sweep(folder, parameters={"p": [1]})
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr(queued, "PATIENCE", 1)
        done = run(path, receiver.url)

    assert done.exit_code == 4
    assert f"Flux does not answer: {silence}" in done.stderr
    assert receiver.runs == []

    behave(flux)
    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert len(asked(flux)) == 1


def test_submission_that_hangs_is_recorded(folder, flux, receiver):
    behave(flux, hangs="batch")
    path = sweep(folder, parameters={"p": [1]}, machine="here")
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr(queued, "PATIENCE", 1)
        done = run(path, receiver.url)

    assert done.exit_code == 4
    assert reason(receiver) == SAID["hanging submission"]


def test_missing_flux_is_one_clear_line(folder, nobody, monkeypatch):
    path = sweep(folder, machine="here")
    monkeypatch.setenv("PATH", str(folder))

    done = run(path, nobody)

    assert done.exit_code == 4
    assert SAID["no Flux"] in done.stderr


def test_launcher_of_the_command_line_takes_the_keys_of_the_file(
    folder, flux, receiver
):
    path = sweep(
        folder,
        parameters={"p": [1]},
        launcher={"kind": "local", "transport": "tcp", "options": ["--bank=perf"]},
    )

    done = run(path, receiver.url, "--launcher", "flux")

    assert done.exit_code == 0, done.output
    assert [each["bank"] for each in asked(flux)] == ["perf"]
    assert receiver.runs[0]["job"]["scheduler"] == "flux"
