"""Gate and bisection on the counted work of the example with a history.

Its commits are counted for real, by gcc and Open MPI: three of them change a growth.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
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

SERIAL = 5
"""Jobs of the experiment before those of the broadcast."""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for tool in ("git", "gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}: apt-get install {tool}")
    folder = tmp_path / "library"
    subprocess.run([sys.executable, HISTORY, folder], check=True)
    return folder


@pytest.fixture
def experiment(repository, thorough, tmp_path):
    """The library's experiment, in the short form a copy without the broadcast.

    No commit of that form changes the broadcast.
    """
    shipped = repository / "library.yaml"
    if thorough:
        return shipped
    content = yaml.safe_load(shipped.read_text())
    jobs = content["parameters"]
    assert jobs["part"].index("parallel") == SERIAL
    content["parameters"] = {name: values[:SERIAL] for name, values in jobs.items()}
    copy = tmp_path / "serial.yaml"
    copy.write_text(yaml.safe_dump(content | {"source": str(repository)}))
    return copy


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


def count(experiment, folder, server, sha):
    """Count a commit."""
    git(folder, "checkout", "--quiet", sha)
    words = ("--fresh", "--server", server, "--folder", str(folder.parent / "jobs"))
    done = CliRunner().invoke(agent, ["count", str(experiment), *words])
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
    server, repository, experiment, commits
):
    first, *others = git(repository, "rev-list", "--reverse", "main").split()
    count(experiment, repository, server, first)
    for sha in others[: commits - 1]:
        count(experiment, repository, server, sha)
        message = git(repository, "log", "-1", "--format=%s")

        answer = gate(server, sha)

        assert answer.exit_code == (message in GROWTHS), answer.output
        assert all(said in answer.output for said in GROWTHS.get(message, ()))


def test_bisection_on_counts_finds_the_commit_the_loop_and_both_formulas(
    server, repository, experiment, monkeypatch
):
    monkeypatch.chdir(repository)

    answer = scalewatch(
        "bisect",
        *("--project", "count-library", "--server", server, "--count"),
        *("--good", "main~5", "--bad", "main~3"),
        *("--experiment", str(experiment)),
        *("--wait", "60"),
    )

    assert answer.exit_code == 0, answer.output
    found = answer.stdout.strip()
    message = git(repository, "log", "-1", "--format=%s", found)
    assert message == "Do without the sizes of sets"
    assert all(said in answer.output for said in GROWTHS[message])
