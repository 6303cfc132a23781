"""`scalewatch-agent trace --read`: what is posted of traces, and what is refused."""

import json

import pytest
from click.testing import CliRunner

from scalewatch.wire import RunReport
from scalewatch_agent.cli import main
from support.agent_sentences import CLI as SAID
from support.traces import MADE_LABELS, MADE_TRACE, foreign


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A trace of two processes, in a folder that git does not know."""
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "made.pcf").write_text(MADE_LABELS)
    (folder / "made.prv").write_text(MADE_TRACE)
    monkeypatch.chdir(tmp_path)
    return folder / "made.prv"


def trace(*words):
    return CliRunner().invoke(main, ["trace", *map(str, words)])


def runs(*words):
    done = trace(*words, "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(run, region):
    return {
        one["metric"]: one["values"][0]
        for one in run["results"]
        if one["region"] == region
    }


def test_dry_run_prints_runs_as_they_would_be_posted(made):
    (run,) = runs("--read", made, "--at", "n=4096")

    RunReport.model_validate_json(json.dumps(run))
    assert run["coordinate"] == {"n": 4096, "p": 2}
    assert run["configuration"] == {"traced": True, "calibration": "none"}
    assert values(run, "program") == pytest.approx(
        {
            "runtime": 1000e-9,
            "useful_mean": 335e-9,
            "useful_max": 400e-9,
            "ideal_runtime": 460e-9,
            "mpi_time": 360e-9,
            "overhead": 360e-9,
        }
    )
    assert values(run, "exchange › MPI_Recv") == pytest.approx(
        {
            "mpi_time": 100e-9,
            "overhead": 100e-9,
            "wait_late_sender": 60e-9,
            "wait_late_receiver": 0,
            "wait_collective": 0,
            # From the message on, which is sent at 100; the path came from its sender.
            "path_mpi_time": 40e-9,
            "path_computing": 0,
            "calls": 1,
            "messages": 1,
            "bytes": 64,
        }
    )


def test_counts_are_exact_and_locations_know_their_line(made):
    (run,) = runs("--read", made)

    located = [one for one in run["results"] if one["region"] != "program"]
    assert {one["metric"] for one in located if one["exact"]} == {
        "calls",
        "messages",
        "bytes",
    }
    received = [one for one in located if "MPI_Recv" in one["region"]]
    assert all(
        one["location"] == {"file": "halo.c", "line": 80, "function": "exchange"}
        for one in received
    )


def test_same_trace_is_the_same_run_and_other_settings_another(made):
    first, again = runs("--read", made), runs("--read", made.parent)
    other = runs("--read", made, "--at", "n=5")

    assert first == again
    assert other[0]["id"] != first[0]["id"]


def test_place_keeps_its_name_where_few_processes_never_come_to_another():
    found = runs("--read", foreign("epoch"))

    lines = {}
    for run in found:
        for one in run["results"]:
            if "location" in one:
                place = (one["location"].get("file"), one["location"].get("line"))
                lines.setdefault(one["region"], set()).add(place)
    assert {run["coordinate"]["p"] for run in found} == {1, 2, 4, 8, 16}
    assert len(lines) == 50
    assert all(len(places) == 1 for places in lines.values())


def test_table_shows_efficiencies_and_locations(made):
    done = trace("--read", made, "--dry-run")

    assert done.exit_code == 0
    assert "parallel efficiency" in done.stdout
    assert "33.50" in done.stdout  # 335 ns of 1000 ns
    assert "MPI_Barrier" in done.stdout


def test_runs_go_to_a_file_that_models_read(made):
    done = trace(
        *("--read", made, "--machine", "jureca", "--commit", "v1"),
        *("--out", "runs.jsonl"),
    )

    assert done.exit_code == 0, done.output
    text = (made.parents[1] / "runs.jsonl").read_text()
    report = RunReport.model_validate_json(text)
    assert (report.machine.name, report.commit.sha) == ("jureca", "v1")


def test_machine_is_asked_for_before_anything_is_read(made):
    done = trace("--read", made, "--commit", "v1")

    assert done.exit_code == 2
    assert "--machine" in done.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no trace of a known format"),
        (b"\x1f\x8b\x08\x00", "cannot be unpacked"),
        (b"\x89PNG\r\n", "no trace of a known format"),
        (MADE_TRACE.replace("_ns", "").encode(), "line 1: its times are in µs"),
    ],
)
def test_bad_trace_ends_in_one_line_and_nothing_of_others_is_told(
    made, content, reason
):
    bad = made.with_name("zzz.prv")
    bad.write_bytes(content)

    done = trace("--read", made, bad, "--dry-run", "--json")

    assert done.exit_code == 3
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {bad}")
    assert reason in line


def test_folder_without_traces_and_file_that_is_missing_are_refused(tmp_path):
    empty, missing = trace("--read", tmp_path, "--dry-run"), tmp_path / "no.prv"

    assert empty.exit_code == 3
    assert SAID["no trace"] in empty.stderr
    assert trace("--read", missing, "--dry-run").exit_code == 3


def test_number_of_processes_is_that_of_the_trace(made):
    done = trace("--read", made, "--at", "p=4", "--dry-run")

    assert done.exit_code == 3
    assert SAID["other processes"] in done.stderr
