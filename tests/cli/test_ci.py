"""What CI jobs call, against a real server."""

import json
import re
import subprocess
import sys
import time
import tomllib
from threading import Thread
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import httpx2
import pytest
import yaml
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.modelling import parse_growth
from support.builders import sweep_reports
from support.histories import LINEAR, PROCESSES, TREE, commit, record_commit
from support.live import PATIENCE, ask, serving
from support.recorded import record
from support.servers.forked import Forked


@pytest.fixture
def server(app, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})
    record_commit(sessions, 3, {"MPI_Bcast": LINEAR})
    with serving(app) as address:
        yield address


def scalewatch(*arguments):
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def gate(server, number, *more):
    sha = commit(number)["sha"]
    return scalewatch(
        "gate", "--project", "mpich", "--commit", sha, "--server", server, *more
    )


def test_exit_codes_and_formats_are_for_programs(server):
    fine = gate(server, 2, "--format", "json")
    suspected = gate(server, 3, "--format", "junit")
    unknown = gate(server, 9, "--wait", "0")

    assert (fine.exit_code, json.loads(fine.stdout)["outcome"]) == (0, "fine")
    assert suspected.exit_code == 2
    assert ET.fromstring(suspected.stdout).get("skipped") == "1"  # noqa: S314, ours
    assert unknown.exit_code == 3
    assert "no commit" in unknown.stderr


def test_a_misspelt_option_is_no_verdict(server):
    misspelt = gate(server, 2, "--format", "jnuit")

    assert misspelt.exit_code == 3
    assert "'jnuit'" in misspelt.stderr


def test_the_gate_says_what_it_waits_for(server):
    command = ["gate", "--project", "mpich", "--commit", "topic", "--server", server]
    with Forked(command, stderr=subprocess.PIPE, text=True) as waiting:
        said = waiting.stderr.readline()
        waiting.terminate()

    assert re.fullmatch("Waiting .* 600 s: no commit 'topic'\n", said)


def test_the_gate_waits_for_no_project_that_is_not_there(server):
    begun = time.monotonic()
    said = scalewatch("gate", "--project", "mpihc", "--commit", "1", "--server", server)

    assert time.monotonic() - begun < 60  # of the 600 s that it would wait
    assert said.exit_code == 3
    assert "'mpihc'" in said.stderr
    assert "'mpich' meant" in said.stderr


def test_a_regression_is_told_once_and_stops_nobody_once_it_is_accepted(
    server, sessions, work_off
):
    for number in range(4, 16):
        growth = LINEAR if number >= 12 else TREE
        record_commit(sessions, number, {"MPI_Scan": growth})

    worse = gate(server, 12, "--format", "json")

    (finding,) = json.loads(worse.stdout)["findings"]
    assert worse.exit_code == 1
    assert finding["is_sure"]
    assert finding["sentence"].startswith("grows like p ")

    (number,) = json.loads(worse.stdout)["regressions"]
    accepted = httpx2.patch(
        f"{server}/api/v1/projects/mpich/regressions/{number}",
        json={"author": "ada", "state": "expected", "note": "by design"},
        timeout=PATIENCE,
    )

    assert accepted.is_success
    work_off()  # the gate waits until all is judged by what is expected now
    assert gate(server, 12).exit_code == 0


def test_the_gate_waits_for_an_agent_to_confirm_what_it_suspects(server, sessions):
    offer = {"machine": "jureca", "agent": "node-1"}
    client = httpx2.Client(base_url=f"{server}/api/v1/", timeout=PATIENCE)

    def claim():
        return client.post("confirmations/claim", json=offer)

    def serve():
        while (order := claim()).status_code == httpx2.codes.NO_CONTENT:
            time.sleep(0.1)
        record(sessions, again)
        number = order.json()["confirmation"]["id"]
        done = {"agent": "node-1", "state": "done", "outcome": "5 runs posted"}
        client.patch(f"confirmations/{number}", json=done)

    again = sweep_reports(
        PROCESSES,
        {"MPI_Bcast": LINEAR},
        seed=99,
        project="mpich",
        commit=commit(3),
        machine={"name": "jureca", "fingerprint": {"cores": 128}},
    )
    claim()  # from now on somebody attends to the machine
    agent = Thread(target=serve)
    agent.start()

    answer = gate(server, 3, "--wait", "120")

    agent.join()
    client.close()
    assert answer.exit_code == 1, answer.output
    assert "MPI_Bcast" in answer.stdout


def test_a_suspicion_asks_for_a_run_unless_told_not_to(server):
    quiet = gate(server, 3, "--no-confirm")
    asked = gate(server, 3, "--wait", "1")

    waits = "confirming run asked for on jureca; waits for"
    assert (quiet.exit_code, asked.exit_code) == (2, 2)
    assert waits not in quiet.stdout
    assert waits in asked.stdout
    assert "core-hours" in asked.stdout


def test_a_server_that_is_away_is_told_apart_from_a_regression():
    answer = gate("http://127.0.0.1:9", 1, "--wait", "0")

    assert answer.exit_code == 3
    assert "Connection refused" in answer.stderr


def test_what_is_no_address_of_a_server_is_not_waited_for():
    answer = gate("ftp://127.0.0.1", 1, "--wait", "600")

    assert answer.exit_code == 3
    assert "'ftp://127.0.0.1'" in answer.stderr


def test_composed_models_come_from_a_file(server, tmp_path):
    file = tmp_path / "scalewatch.toml"
    file.write_text(
        'project = "mpich"\n[expectations]\n'
        'MPI_Bcast = { formula = "2*MPI_Reduce + 1e-6" }\n'
    )

    done = scalewatch(
        *("expectations", "push", str(file), "--author", "ada", "--server", server)
    )
    file.write_text(file.read_text().replace("2*MPI", "2**MPI"))
    refused = scalewatch("expectations", "push", str(file), "--server", server)

    assert done.exit_code == 0, done.output
    listed = ask(f"{server}/api/v1/projects/mpich/expectations").json()
    assert listed["compositions"][0]["formula"] == "2*MPI_Reduce + 1e-6"
    assert "expectations.MPI_Bcast.formula: " in refused.stderr


def test_expectations_come_from_a_file_and_get_versions(server, tmp_path):
    file = tmp_path / "scalewatch.toml"
    file.write_text(
        'project = "mpich"\n[expectations]\n'
        'MPI_Bcast = { growth = "O(p)", deviation_limit = "O(p^0.25)" }\n'
        "[gate]\nconstant = 0.1\noversubscribed = 'accept'\ndisturbed = 'accept'\n"
        "[gate.regions.MPI_Bcast]\nconstant = false\n"
        '[aliases]\nbcast = "MPI_Bcast"\n'
    )
    push = ["expectations", "push", str(file), "--author", "ada", "--server", server]

    first, second = scalewatch(*push), scalewatch(*push)

    assert first.output == "mpich: 1 expectation stated\n"
    assert second.exit_code == 0
    with urlopen(f"{server}/api/v1/projects/mpich/gate/rules") as answer:  # noqa: S310
        rules = json.load(answer)
    assert (rules["version"], rules["rule"]["constant"]) == (1, 0.1)
    assert (rules["oversubscribed"], rules["disturbed"]) == ("accept", "accept")
    assert rules["regions"]["MPI_Bcast"]["constant"] is None
    reply = scalewatch("gate", "--help")
    assert "Exit codes" in reply.output


def test_a_growth_that_cannot_be_read_is_named_by_its_region(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("LOGNAME", "ada")
    file = tmp_path / "scalewatch.toml"
    file.write_text('project = "mpich"\n[expectations]\nMPI_Bcast = "O(lgo p)"\n')

    answer = scalewatch("expectations", "push", str(file), "--server", server)

    assert answer.exit_code == 1
    assert "expectations.MPI_Bcast.growth: " in answer.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("expectations = 3 3", "Expected"),
        ('colour = "red"', "'colour' is unknown"),
        ('project = "x"\n[expectations]\na = 3', "a needs a growth"),
        ('[expectations]\na = "O(p)"', "names no project"),
        ('project = "x"\n[gate]\ncolour = 1', "gate takes constant, disturbed, growth"),
        (
            'project = "x"\n[gate.regions.f]\noversubscribed = "accept"',
            "gate.regions.f takes constant, growth",
        ),
        (
            'project = "x"\n[gate]\nmissing = "no"',
            "gate.missing is undecided or ignore",
        ),
        ('project = "x"\n[gate]\nconstant = true', "gate.constant is a share"),
        ('project = "x"\ntarget = { p = 0 }', "target needs positive numbers"),
        ('project = "x"\n[aliases]\na = 3', "aliases needs present names"),
    ],
    ids=[
        "no TOML",
        "unknown key",
        "no growth",
        "no project",
        "unknown rule",
        "rule of all regions",
        "no choice",
        "no share",
        "no scale",
        "no name",
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_line(tmp_path, text, said):
    file = tmp_path / "scalewatch.toml"
    file.write_text(text)

    answer = scalewatch("expectations", "push", str(file), "--author", "ada")

    assert answer.exit_code == 2
    assert said in answer.stderr


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("github.yml", ["vendor.github-workflows"]),
        ("gitlab.yml", ["vendor.gitlab-ci", "--data-transform", "gitlab-ci"]),
    ],
)
def test_the_examples_for_ci_are_what_their_forges_read(request, name, schema):
    file = request.config.rootpath / "examples" / "ci" / name

    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", *schema, file],
        capture_output=True,
        check=False,
        text=True,
    )

    assert checked.returncode == 0, checked.stdout


def test_the_examples_for_ci_are_yaml_whose_commands_exist(request):
    folder = request.config.rootpath / "examples" / "ci"
    for name in ("github.yml", "gitlab.yml"):
        text = (folder / name).read_text()
        job = yaml.safe_load(text)
        assert job
        for line in text.splitlines():
            if "scalewatch gate" in line:
                options = line.split("scalewatch gate", 1)[1].split("|")[0]
                options = options.split(">")[0].split()
                names = [each for each in options if each.startswith("--")]
                helped = scalewatch("gate", "--help").output
                assert all(each in helped for each in names)


def test_the_example_of_ourselves_states_what_can_be_pushed(request):
    folder = request.config.rootpath / "examples" / "ci" / "scalewatch"
    stated = tomllib.loads((folder / "scalewatch.toml").read_text("utf-8"))
    script = (folder / "gate.sh").read_text("utf-8")

    for promised in stated["expectations"].values():
        assert {str(parse_growth(each)) for each in promised.values()} <= {"1", "log n"}
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    for command in ("import", "gate"):
        line = script.split(f"scalewatch {command}")[1].split("\nscalewatch")[0]
        helped = scalewatch(command, "--help").output
        assert all(each in helped for each in re.findall(r"--[a-z-]+", line))
