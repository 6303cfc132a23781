"""Facts of what a node did during a job, by which a disturbed job can be known."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scalewatch_agent import activity
from scalewatch_agent.activity import Activity
from scalewatch_agent.programs import run_program

BUSY = "import time\nwhile time.process_time() < 0.3: pass"
QUIET = Activity(100.0, 50.0, 0.0, 20.0, 0, 5.0, 10, 0.5)


def test_facts_are_means_over_the_job():
    end = Activity(110.0, 75.0, 2.5, 22.0, 3, 10.0, 40, 2.0)

    facts = QUIET.until(end)

    # 25 s of processors in 10 s, of which the job's processes used 5 s.
    assert facts["processors of others"] == 2.0
    assert facts["processors stolen"] == 0.25
    assert facts["CPU pressure"] == 0.2
    assert facts["involuntary switches"] == 30
    assert (facts["load before"], facts["load after"]) == (0.5, 2.0)
    assert facts["throttled"] == 3


def test_job_that_is_shorter_than_a_tick_has_facts():
    assert QUIET.until(QUIET)["processors of others"] == 0


def test_neighbour_is_no_part_of_the_job():
    """The job's processes are counted out where they have ended, a neighbour is not."""
    before = Activity.now()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as neighbour:
        subprocess.run([sys.executable, "-c", BUSY], check=True)
        while activity_of(neighbour.pid) < 0.3:
            time.sleep(0.01)
        end = Activity.now()
        neighbour.kill()

    assert end.children - before.children >= 0.3
    assert end.used - before.used - (end.children - before.children) >= 0.2


def activity_of(process):
    """Return the seconds of processors that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_system_that_tells_nothing_has_facts_without_them(tmp_path, monkeypatch):
    monkeypatch.setattr(activity, "PROC", tmp_path / "proc")
    monkeypatch.setattr(activity, "PROCESSORS", tmp_path / "cpu")

    moment = Activity.now()
    facts = moment.until(moment)

    assert moment.waited is None
    assert "CPU pressure" not in facts
    assert "frequency [MHz]" not in facts
    assert facts["processes of other users"] == 0


@pytest.mark.parametrize("code", ["pass", "raise SystemExit(3)"])
def test_program_has_facts_however_it_ends(code, tmp_path):
    ended = run_program([sys.executable, "-c", code], {}, tmp_path, 60)

    assert {"processors of others", "load before"} <= ended.activity.keys()
