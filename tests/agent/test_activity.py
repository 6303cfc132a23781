"""Facts of what a node did during a job, by which a disturbed job can be known."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scalewatch_agent import activity
from scalewatch_agent.activity import MOST_WAITING, Activity, is_disturbed
from scalewatch_agent.programs import run_program

BUSY = "import time\nwhile time.process_time() < 0.3: pass"
WATCHER = """
import sys
from scalewatch_agent import activity
begin = activity.Waiting.start
def start(self):
    begin(self)
    print("begun", flush=True)
activity.Waiting.start = start
sys.argv[1:] = ["mark"]
activity.main()
"""
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


TIGHT = [1e-3] * 20


@pytest.mark.parametrize(
    ("waited", "rate", "values", "unit", "is_expected"),
    [
        (None, 900, [1.0], "s", False),  # a system that does not tell
        (MOST_WAITING, 900, [1.0], "s", False),
        (0.2, 900, [1.0], "s", True),
        (0.2, None, [1.0], "s", True),
        (0.2, 100, TIGHT, "s", False),  # 0.1 turns per repetition
        (0.2, 600, TIGHT, "s", True),
        (0.2, 600, [1.0] * 20, "ms", True),
        (0.2, 100, [1.0] * 20, "ms", False),
        (0.2, 100, [*TIGHT[:4], *[1.2e-3] * 16], "s", True),  # as if alone in a fifth
        (0.2, 1, [3.0], "GB/s", True),
        (0.2, 100, [], "s", True),
    ],
)
def test_disturbed_is_what_waited_and_took_turns_as_often_as_it_repeats(
    waited, rate, values, unit, is_expected
):
    facts = {activity.WAITED: waited, activity.TURNS: rate}

    assert is_disturbed(facts, values, unit) is is_expected


def processes(root, **tasks):
    """Write what /proc tells of processes: mark, seconds run and waited of a task."""
    for name, (mark, ran, waited) in tasks.items():
        task = root / "proc" / name.removeprefix("_") / "task" / "1"
        task.mkdir(parents=True, exist_ok=True)
        (task / "schedstat").write_text(f"{ran * 1e9:.0f} {waited * 1e9:.0f} 7\n")
        environ = f"A=1\0{activity.MARK}={mark}\0"
        (task.parent.parent / "environ").write_bytes(environ.encode())


def test_share_that_a_job_waited_is_that_of_its_own_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(activity, "PROC", tmp_path / "proc")
    processes(tmp_path, _7=("job", 3, 1), _8=("job", 5, 0), _9=("other", 1, 90))
    waiting = activity.Waiting("job")

    waiting.look()
    processes(tmp_path, _7=("job", 7, 4))  # sums since its start
    waiting.look()

    assert waiting.ran == 12
    assert waiting.share == 0.25


def test_process_is_of_a_job_from_when_its_program_has_the_mark(tmp_path, monkeypatch):
    monkeypatch.setattr(activity, "PROC", tmp_path / "proc")
    waiting = activity.Waiting("job")
    for mark in ("", "", "job"):
        processes(tmp_path, _7=(mark, 2, 1))
        waiting.look()

    assert waiting.share == pytest.approx(1 / 3)


def test_job_without_a_process_that_ran_has_no_share(tmp_path, monkeypatch):
    monkeypatch.setattr(activity, "PROC", tmp_path / "proc")
    waiting = activity.Waiting("job")
    waiting.look()

    assert waiting.share is None


def test_program_that_runs_is_observed_by_its_mark(tmp_path):
    code = "import time\nend = time.time() + 0.4\nwhile time.time() < end: pass"
    ended = run_program([sys.executable, "-c", code], {}, tmp_path, 60)

    assert 0 <= ended.activity[activity.WAITED] <= 1


def test_facts_of_a_job_on_another_node_are_printed_when_it_ends():
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHER], stdout=subprocess.PIPE, text=True
    )
    with watcher:
        assert watcher.stdout.readline() == "begun\n"
        watcher.terminate()
        facts = json.loads(watcher.stdout.read())

    assert {"load before", "processors of others"} <= facts.keys()
