"""`scalewatch-agent run` again, after a sweep that ended early or lost the server."""

import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from support.agent_sentences import CLI as SAID
from support.experiments import GOOD, experiment, run
from support.repositories import git


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
    assert SAID["measured already"] in again.stderr
    assert "2 of 2 jobs" in nothing.stderr
    assert fresh.exit_code == 0
    ran = [run["coordinate"]["p"] for run in receiver.runs]
    assert ran == [1, 2, 2, 1, 2]


def test_another_version_is_measured_anew(folder, receiver):
    path = experiment(folder)

    run(path, receiver.url)
    run(path, receiver.url, "--commit", "v2")

    assert [run["commit"]["sha"] for run in receiver.runs] == ["v1", "v1", "v2", "v2"]


def test_changed_sources_are_built_and_measured_anew_with_a_warning(folder, receiver):
    path = experiment(
        folder,
        compile="cp {source}/solver.sh {compile}/solver.sh",
        execute="sh {compile}/solver.sh",
    )
    source = folder / "solver.sh"
    source.write_text("echo took 1 s\n")
    first = run(path, receiver.url)
    (folder / "notes.txt").write_text("An output beside the sources.\n")
    unchanged = run(path, receiver.url)
    source.write_text("echo took 2 s\n")

    changed = run(path, receiver.url)
    after = run(path, receiver.url)

    took = [run["results"][0]["values"][0] for run in receiver.runs]
    assert took == [1, 1, 2, 2]
    assert "2 of 2 jobs" in unchanged.stderr
    assert SAID["changed sources"] in changed.stderr
    assert "2 of 2 jobs" in after.stderr
    assert not any("changed" in done.stderr for done in (first, unchanged, after))


def test_new_file_that_git_does_not_follow_is_built(folder, receiver):
    path = experiment(
        folder,
        commit=None,
        compile="cat {source}/*.sh > {compile}/solver.sh",
        execute="sh {compile}/solver.sh",
    )
    (folder / "a.sh").write_text("echo took 1 s\n")
    git(folder, "init", "-q")
    git(folder, "add", "a.sh")
    git(folder, "commit", "-q", "-m", "Start")
    run(path, receiver.url)
    (folder / "b.sh").write_text("exit 1\n")

    done = run(path, receiver.url, "--repeats", "2")

    assert done.exit_code == 4  # the jobs that are new have the new file


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
    kept = [SpooledRun.read(path).run for path in Spool(spool_folder).pending()]
    assert [run["coordinate"]["p"] for run in kept] == [1, 2]


def test_run_that_is_nowhere_is_measured_again(folder, receiver, nobody, spool_folder):
    path = experiment(folder)
    words = [sys.executable, "-m", "scalewatch_agent", "run", path, "--server", nobody]
    # The disk takes the journal's few bytes, and no file of half a kilobyte.
    full = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]
    lost = subprocess.run(
        [*full, *words], capture_output=True, check=False, text=True, timeout=100
    )

    again = run(path, receiver.url)

    assert lost.returncode == 3
    assert "File too large" in lost.stderr
    assert list(Spool(spool_folder).pending()) == []
    assert again.exit_code == 0
    assert [run["coordinate"]["p"] for run in receiver.runs] == [1, 2]
