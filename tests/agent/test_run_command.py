"""`scalewatch-agent run` with programs of all kinds, good and bad."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from scalewatch_agent.cli import main
from scalewatch_agent.spool import Entry, Spool

EXAMPLES = Path(__file__).parents[2] / "examples"
NOBODY = "http://127.0.0.1:9"
GOOD = "print('took 2.5 s')"
RULE = {"pattern": "took (.+) s", "region": "all", "unit": "s"}


def experiment(folder, code=GOOD, **fields):
    """Write an experiment whose program is Python code, and return its path."""
    (folder / "program.py").write_text(code)
    content = {
        "name": "sweep",
        "project": "code",
        "commit": "v1",
        "machine": "here",
        "parameters": {"p": [1, 2]},
        "repeats": 1,
        "execute": "{python} {experiment}/program.py {p}",
        "results": [RULE],
    } | fields
    path = folder / "sweep.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def run(path, server, *options):
    words = ["run", str(path), "--server", server, *options]
    return CliRunner().invoke(main, words)


def reasons(receiver):
    return [run["results"][0].get("reason") for run in receiver.runs]


@pytest.fixture
def folder(tmp_path, spool_folder):  # noqa: ARG001 - the agent spools below it
    folder = tmp_path / "experiment"
    folder.mkdir()
    return folder


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
    assert "6 jobs on local: about 2.00, at most 18.00 core-hours" in done.stdout
    assert not folder.joinpath("sweep.sweep").exists()


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
    assert reasons(receiver) == ["time limit of 3 s reached", None]
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

    assert all("out.json is no JSON" in reason for reason in reasons(receiver))


def test_missing_mpiexec_is_recorded(folder, receiver):
    missing = str(folder / "mpiexec")
    path = experiment(
        folder,
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
            "time_limit": 30,
        },
        launcher={"mpiexec": str(openmpi.mpiexec)},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    fine, failed = reasons(receiver)
    assert fine is None
    assert failed.startswith(("mpiexec ended with exit code", "time limit"))


@pytest.mark.parametrize("step", ["prepare", "compile"])
def test_step_that_fails_is_recorded_for_each_combination_once(step, folder, receiver):
    broken = {step: "echo 'error: no compiler' >&2; false"}

    done = run(experiment(folder, repeats=3, **broken), receiver.url)

    assert done.exit_code == 4
    why = f"{step}: sh ended with exit code 1: error: no compiler"
    assert reasons(receiver) == [why, why]


def test_analysis_that_fails_is_recorded(folder, receiver):
    run(experiment(folder, analyse="exit 3"), receiver.url)

    assert set(reasons(receiver)) == {"analyse: sh ended with exit code 3"}


def test_reason_is_visible_on_the_server(folder, receiver, client):
    run(experiment(folder, "print('done')"), receiver.url)

    for posted in receiver.runs:
        assert client.post("/api/v1/runs", json=posted).status_code == 202
        shown = client.get(f"/api/v1/runs/{posted['id']}").json()
        (result,) = shown["results"]
        assert "nothing in stdout matches" in result["reason"]
        page = client.get(f"/p/code/runs/{posted['id']}")
        assert "nothing in stdout matches" in page.text


def test_finished_jobs_are_not_measured_again_and_failed_ones_are(folder, receiver):
    flag = folder / "flag"
    code = (
        "import pathlib, sys\n"
        f"if sys.argv[1] == '2' and not pathlib.Path({str(flag)!r}).exists():\n"
        "    raise SystemExit(1)\n"
        f"{GOOD}\n"
    )
    path = experiment(folder, code)

    assert run(path, receiver.url).exit_code == 4
    flag.touch()
    again = run(path, receiver.url)
    nothing = run(path, receiver.url)
    fresh = run(path, receiver.url, "--fresh")

    assert again.exit_code == 0
    assert "1 of 2 jobs of commit v1 are measured already" in again.stderr
    assert "2 of 2 jobs" in nothing.stderr
    assert fresh.exit_code == 0
    ran = [run["coordinate"]["p"] for run in receiver.runs]
    assert ran == [1, 2, 2, 1, 2]


def test_another_version_is_measured_anew(folder, receiver):
    path = experiment(folder)

    run(path, receiver.url)
    run(path, receiver.url, "--commit", "v2")

    assert [run["commit"]["sha"] for run in receiver.runs] == ["v1", "v1", "v2", "v2"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_sweep_that_was_ended_goes_on_and_loses_nothing(number, folder, receiver):
    code = (
        "import pathlib, sys, time\n"
        "folder = pathlib.Path(sys.argv[0]).parent\n"
        "if sys.argv[1] == '2': (folder / 'second').touch()\n"
        "while sys.argv[1] == '2' and not (folder / 'go').exists(): time.sleep(0.01)\n"
        f"{GOOD}\n"
    )
    path = experiment(folder, code)
    agent = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "scalewatch_agent",
            "run",
            path,
            "--server",
            "http://[::1]:9",
        ],
        env=os.environ,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert agent.stderr is not None
    while "1 of 2" not in agent.stderr.readline():
        assert agent.poll() is None
    while not (folder / "second").exists():
        time.sleep(0.01)
    agent.send_signal(number)
    try:
        agent.communicate(timeout=60)
    finally:
        agent.kill()
        agent.communicate()
    (folder / "go").touch()

    done = run(path, receiver.url)
    replay = CliRunner().invoke(main, ["spool", "replay", "--server", receiver.url])

    assert done.exit_code == 0, done.output
    assert "1 of 2 jobs" in done.stderr
    assert replay.exit_code == 0
    assert [run["coordinate"]["p"] for run in receiver.runs] == [2, 1]


def test_journal_that_was_cut_off_is_read_as_far_as_it_goes(folder, receiver):
    path = experiment(folder)
    run(path, receiver.url)
    journal = folder / "sweep.sweep" / "journal.jsonl"
    journal.write_text(journal.read_text()[:-20])

    done = run(path, receiver.url)
    nothing = run(path, receiver.url)

    assert done.exit_code == 0
    assert [run["coordinate"]["p"] for run in receiver.runs] == [1, 2, 2]
    assert "2 of 2 jobs" in nothing.stderr


def test_runs_stay_in_the_spool_while_the_server_is_away(folder, nobody, spool_folder):
    done = run(experiment(folder), nobody)

    assert done.exit_code == 3
    kept = [Entry.read(path).run for path in Spool(spool_folder).pending()]
    assert [run["coordinate"]["p"] for run in kept] == [1, 2]


def test_version_is_what_git_has_checked_out(folder, receiver):
    code = folder / "code"
    code.mkdir()
    (code / "file").write_text("one")
    git = ["git", "-C", code, "-c", "user.name=N", "-c", "user.email=n@localhost"]
    for words in (
        ["init", "-q", "-b", "trunk"],
        ["add", "file"],
        ["commit", "-q", "-m", "Start"],
        ["tag", "v1.0"],
    ):
        subprocess.run([*git, *words], check=True)
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
    assert "which version is in" in done.stderr
    assert "--commit" in done.stderr


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


PROFILED = """
import json
json.dump([{"region": "solve", "seconds": 1.5}], open("profile.json", "w"))
print("took 2.5 s")
"""


def test_profile_that_a_program_writes_is_posted(folder, receiver):
    path = experiment(folder, PROFILED, profile={"json": "profile.json"})

    done = run(path, receiver.url, "--set", "p=2")

    assert done.exit_code == 0, done.output
    (posted,) = receiver.runs
    assert posted["profile"]["functions"][0]["region"] == "solve"
    assert posted["profile"]["functions"][0]["seconds"] == 1.5


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (GOOD, "the program wrote no file profile.json"),
        (
            PROFILED.replace("1.5", "-1.5"),
            "profile.json, 0.seconds: Input should be greater than or equal to 0",
        ),
        (PROFILED.replace("1.5", "0"), "profile.json: no function took any time"),
    ],
)
def test_profile_that_makes_no_sense_costs_no_result(folder, receiver, code, reason):
    path = experiment(folder, code, profile={"json": "profile.json"})

    run(path, receiver.url, "--set", "p=2")

    (posted,) = receiver.runs
    measured, lacking = posted["results"]
    assert measured["values"] == [2.5]
    assert lacking["reason"] == reason


def test_parameter_that_is_set_must_exist(folder, receiver):
    done = run(experiment(folder), receiver.url, "--set", "q=2")

    assert done.exit_code != 0
    assert "there is no parameter 'q' to set" in done.stderr
    assert not receiver.runs
