"""Gate and bisection on the counted work of the example with a history.

Its commits are counted for real, by gcc and Open MPI: three of them change a growth.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.jobs.worker import Worker
from scalewatch_agent.cli import main as agent
from support.live import serving
from support.repositories import git

HISTORY = Path(__file__).parents[3] / "examples" / "count" / "history.py"

GROWTHS = {
    "Save the room that a growing table takes": (
        "table_get › loop 1",
        "grows like n^2 instead of n, n*(n+4)/8 instead of n",
    ),
    "Do without the sizes of sets": (
        "sets_find › loop 1",
        "grows like n^2 instead of n, n*(n+4)/4 instead of 3*n - 2",
    ),
    "Let each process tell all after it": (
        "broadcast › MPI_Send",
        "grows like p^2 instead of p, p*(p-1)/2 instead of p - 1",
    ),
}
"""What the commits that change a growth are found to do, by their message."""


@pytest.fixture
def repository(tmp_path):
    for tool in ("git", "gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}: apt-get install {tool}")
    folder = tmp_path / "library"
    subprocess.run([sys.executable, HISTORY, folder], check=True)
    return folder


@pytest.fixture
def server(app, sessions):
    worker = Worker(sessions)
    worker.start()
    try:
        with serving(app) as address:
            yield address
    finally:
        worker.stop()


def scalewatch(*words):
    return CliRunner().invoke(main, list(words), catch_exceptions=False)


def count(folder, server, sha):
    """Count a commit."""
    git(folder, "checkout", "--quiet", sha)
    words = ("--fresh", "--server", server, "--folder", str(folder.parent / "jobs"))
    done = CliRunner().invoke(agent, ["count", str(folder / "library.yaml"), *words])
    assert done.exit_code == 0, done.output


def gate(server, sha):
    return scalewatch(
        *("gate", "--project", "count-library", "--commit", sha, "--server", server),
        *("--wait", "60"),
    )


@pytest.mark.parametrize(
    "commits", [3, pytest.param(10, marks=pytest.mark.thorough)], ids=str
)
def test_the_gate_names_each_change_of_growth_at_its_first_job_and_no_other_commit(
    server, repository, monkeypatch, tmp_path, commits
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first, *others = git(repository, "rev-list", "--reverse", "main").split()
    count(repository, server, first)
    for sha in others[: commits - 1]:
        count(repository, server, sha)
        message = git(repository, "log", "-1", "--format=%s")

        answer = gate(server, sha)

        assert answer.exit_code == (message in GROWTHS), answer.output
        assert all(said in answer.output for said in GROWTHS.get(message, ()))


def test_bisection_on_counts_finds_the_commit_the_loop_and_both_formulas(
    server, repository, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(repository)

    answer = scalewatch(
        "bisect",
        *("--project", "count-library", "--server", server, "--count"),
        *("--good", "main~5", "--bad", "main~3", "--experiment", "library.yaml"),
        *("--wait", "60"),
    )

    assert answer.exit_code == 0, answer.output
    found = answer.stdout.strip()
    message = git(repository, "log", "-1", "--format=%s", found)
    assert message == "Do without the sizes of sets"
    assert all(said in answer.output for said in GROWTHS[message])
