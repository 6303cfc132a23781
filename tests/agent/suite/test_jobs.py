import os
import sys
import time
from pathlib import Path

import pytest

from scalewatch_agent.programs import marked_processes
from scalewatch_agent.suite.jobs import run_job
from support.agent_sentences import SUITE as SAID

STARTED = '{"event": "started", "processes": 2}'
MEASURING = '{"event": "measuring", "region": "MPI_Bcast"}'
MEASURED = (
    '{"event": "measured", "region": "MPI_Bcast", "metric": "time", "values": [1]}'
)
FAILED = '{"event": "failed", "region": "MPI_Bcast", "reason": "no memory"}'
BCAST = ("MPI_Bcast", "time", None)


def run(code, *, processes=2, time_limit=60.0, follow=lambda _event: None):
    """Run Python code where mpiexec would run."""
    return run_job(
        [sys.executable, "-c", code],
        dict(os.environ),
        processes=processes,
        time_limit=time_limit,
        follow=follow,
    )


def says(*lines):
    return "".join(f"print({line!r}, flush=True)\n" for line in lines)


def test_job_brings_what_it_measured():
    events = []

    outcome = run(says(STARTED, MEASURING, MEASURED), follow=events.append)

    assert outcome.failure is None
    assert outcome.measured[BCAST]["values"] == [1]
    assert [event["event"] for event in events] == ["started", "measuring", "measured"]
    assert outcome.started_at <= outcome.ended_at


def test_other_output_of_libraries_is_ignored():
    outcome = run(says("hello", '{"event": broken', "{}", MEASURED))

    assert list(outcome.measured) == [BCAST]
    assert outcome.failure is None


def test_region_that_fails_does_not_end_the_job():
    outcome = run(says(STARTED, MEASURING, FAILED))

    assert outcome.failed == {"MPI_Bcast": "no memory"}
    assert outcome.failure is None


def test_crash_is_reported_with_its_place_and_last_words():
    crash = "raise ValueError('no network')"

    outcome = run(says(STARTED, MEASURING) + crash)

    assert outcome.failure == (
        SAID["exit code"].format(1, " in MPI_Bcast: ValueError: no network")
    )


def test_what_was_measured_before_a_crash_is_kept():
    outcome = run(says(STARTED, MEASURED) + "raise SystemExit(3)")

    assert list(outcome.measured) == [BCAST]
    assert outcome.failure == SAID["exit code"].format(3, "")


def test_parts_of_what_was_measured_survive_a_crash_except_where_it_happened():
    def part(region):
        return f'{{"event": "partly", "region": "{region}", "metric": "time"}}'

    measuring = '{"event": "measuring", "region": "MPI_Barrier"}'
    told = says(STARTED, part("MPI_Bcast"), part("MPI_Barrier"), measuring)

    outcome = run(told + "raise SystemExit(3)")

    assert list(outcome.measured) == [BCAST]
    assert outcome.failure == SAID["exit code"].format(3, " in MPI_Barrier")


def test_parts_are_forgotten_where_all_went_well():
    part = '{"event": "partly", "region": "MPI_Barrier", "metric": "time"}'

    assert list(run(says(STARTED, part, MEASURED)).measured) == [BCAST]


def test_missing_program_is_a_reason():
    outcome = run_job(
        ["/no/such/mpiexec"], {}, processes=2, time_limit=60, follow=lambda _event: None
    )

    assert outcome.failure == SAID["no program"]


def test_job_whose_processes_do_not_know_each_other_is_ended():
    outcome = run(says(STARTED) + "import time; time.sleep(60)", processes=4)

    assert outcome.failure is not None
    assert "2 processes instead of 4" in outcome.failure


def test_job_over_its_time_limit_is_killed_with_all_its_processes(tmp_path):
    # As a starter does, the child is put into a session of its own and ignores the
    # polite signal.
    child = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    note = tmp_path / "pids"
    code = (
        "import subprocess, sys, os, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], "
        "start_new_session=True)\n"
        f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"{says(STARTED, MEASURING)}"
        "time.sleep(600)\n"
    )

    outcome = run(code, time_limit=2.5)

    assert outcome.failure == SAID["time limit"].format(2.5, " in MPI_Bcast")
    for process in map(int, note.read_text().split()):
        assert is_gone(process)


def test_unmarked_processes_are_left_alone():
    assert list(marked_processes("a mark that nothing carries")) == []


def is_gone(process: int) -> bool:
    """Tell whether a process has ended, waiting for the system to clear it away."""
    status = Path(f"/proc/{process}/status")
    for _ in range(500):
        try:
            if "State:\tZ" in status.read_text():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("signal", [9, 11])
def test_killed_starter_is_a_failure(signal):
    outcome = run(says(STARTED) + f"import os; os.kill(os.getpid(), {signal})")

    assert outcome.failure == f"mpiexec ended with exit code {-signal}"
