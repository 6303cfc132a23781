"""Jobs by the states of Slurm: only a state that is understood can be a success."""

from pathlib import Path

import pytest

from scalewatch_agent.experiments.launchers.jobs import Configured, Request
from scalewatch_agent.experiments.launchers.queued import JobState, Submitted
from scalewatch_agent.experiments.launchers.scripts import ENDED
from scalewatch_agent.experiments.launchers.slurm import SlurmJobs, SlurmSection


@pytest.fixture
def cancelled(tmp_path, monkeypatch):
    """A file with the ids that `scancel` was given."""
    note = tmp_path / "cancelled"
    program = tmp_path / "scancel"
    program.write_text(f'#!/bin/sh\necho "$1" >> {note}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return note


def failure(folder, state, reason="None"):
    jobs = SlurmJobs(SlurmSection(), "sweep", (), {}, {})
    configured = Configured({"p": 1}, 1, 1, None, None, time_limit=60.0, seconds=None)
    request = Request("key", configured, 0, Path(folder), ("solver",), {})
    return jobs.failure(Submitted(request, "17"), JobState(state, reason))


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("OUT_OF_MEMORY", "out of memory: no more"),
        ("TIMEOUT", "timeout: no more"),
        ("DEADLINE", "deadline: no more"),
        ("CANCELLED", "cancelled: no more"),
    ],
)
def test_state_of_failure_ends_with_the_last_words(state, words, tmp_path):
    (tmp_path / "stderr").write_text("no more\n")

    assert failure(tmp_path, state).endswith(words)


def test_unknown_state_is_a_failure_by_name_and_is_cancelled(tmp_path, cancelled):
    assert "LIMBO" in failure(tmp_path, "LIMBO")
    assert cancelled.read_text() == "17\n"


def test_job_that_waits_for_ever_is_cancelled(tmp_path, cancelled):
    assert failure(tmp_path, "PENDING", "Priority") is None
    assert "BadConstraints" in failure(tmp_path, "PENDING", "BadConstraints")
    assert cancelled.read_text() == "17\n"


def test_exit_code_is_the_programs_and_not_the_states(tmp_path):
    (tmp_path / ENDED).write_text("3 1700000000\n")
    assert "exit code 3" in failure(tmp_path, "COMPLETED")

    (tmp_path / ENDED).write_text("0 1700000000\n")
    assert failure(tmp_path, "COMPLETED") == ""
