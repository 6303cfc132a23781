"""Accounts of Slurm: jobs, steps, and the states of those that failed."""

import json
import math

import pytest

from scalewatch.importers import read_files

HEADER = (
    "JobID|JobName|State|ElapsedRaw|NNodes|NTasks|AllocCPUS|AllocTRES|MaxRSS"
    "|ConsumedEnergyRaw|Cluster|Start|End"
)
JOB = (
    "{id}|solve|{state}|{seconds}|{nodes}||{cpus}|{tres}|||jureca|2026-11-27T10:00:00|"
)
STEP = "{id}.0|a.out|{state}|{seconds}|{nodes}|{tasks}|{cpus}||2048K|500|jureca||"


def rows(job, nodes, tasks, seconds, state="COMPLETED", *, tres="billing=4"):
    held = {"id": job, "nodes": nodes, "tasks": tasks, "seconds": seconds}
    held |= {"state": state, "cpus": 2 * tasks, "tres": tres}
    batch = f"{job}.batch|batch|{state}|{seconds}|1|1|{2 * tasks}||4096K||jureca||"
    return [JOB.format(**held), batch, STEP.format(**held)]


def measured(write, *jobs):
    text = "\n".join([HEADER, *(row for job in jobs for row in job)]) + "\n"
    reading = read_files([write(text)])
    assert not reading.unreadable, reading.unreadable
    return [*reading.scans.measurements()], reading


def test_jobs_of_a_name_are_a_scan_and_steps_are_regions_of_it(write) -> None:
    jobs = [rows(1, 1, 48, 80), rows(2, 2, 96, 45), rows(3, 4, 192, 25)]

    taken, _ = measured(write, *jobs)

    times = {
        (each.subject.region, each.coordinate): each.values
        for each in taken
        if each.subject.metric == "time"
    }
    assert times["solve", (48, 1)] == [80]
    assert times["solve->a.out", (192, 4)] == [25]
    assert {each.provenance.machine for each in taken} == {"jureca"}
    assert {each.provenance.job for each in taken} == {"1", "2", "3"}


def test_memory_is_the_largest_of_the_steps_and_energy_is_in_joules(write) -> None:
    taken, _ = measured(write, rows(1, 1, 48, 80))

    held = {
        each.subject.metric: (each.values, each.subject.unit)
        for each in taken
        if each.subject.region == "solve"
    }
    assert held["memory"] == ([4096 * 1024], "B")
    assert held["energy"] == ([500], "J")


@pytest.mark.parametrize(
    "state", ["FAILED", "TIMEOUT", "OUT_OF_MEMORY", "CANCELLED by 1"]
)
def test_job_that_failed_has_no_values(write, state) -> None:
    taken, _ = measured(write, rows(1, 1, 48, 80, state))

    assert all(math.isnan(value) for each in taken for value in each.values)


def test_job_that_goes_on_is_left_out_with_a_note(write) -> None:
    taken, reading = measured(write, rows(1, 1, 48, 80), rows(2, 2, 96, 3, "RUNNING"))

    assert {each.provenance.job for each in taken} == {"1"}
    assert "1 jobs have not ended" in reading.left_out[0]


def test_job_that_waits_has_no_time_yet_and_is_left_out(write) -> None:
    taken, reading = measured(write, rows(1, 1, 48, 80), rows(2, 2, 96, "", "PENDING"))

    assert {each.provenance.job for each in taken} == {"1"}
    assert "1 jobs have not ended" in reading.left_out[0]


@pytest.mark.parametrize("state", ["RUNNING", "PENDING", "COMPLETING"])
def test_json_leaves_out_jobs_that_go_on_with_a_note(write, state) -> None:
    jobs = [
        {"job_id": 1, "name": "f", "steps": [], "state": {"current": [word]}}
        | {"time": {"elapsed": 80}, "tasks": {"count": 4}}
        for word in ("COMPLETED", state)
    ]

    reading = read_files([write(json.dumps({"jobs": jobs}))])

    assert len([*reading.scans.measurements()]) == 1
    assert "1 jobs have not ended" in reading.left_out[0]


def test_state_that_nobody_knows_is_refused_by_name_in_json(write) -> None:
    job = {"job_id": 1, "name": "f", "steps": [], "state": {"current": ["MUSING"]}}

    [error] = read_files([write(json.dumps({"jobs": [job]}))]).unreadable

    assert "MUSING" in str(error)


def test_state_that_nobody_knows_is_refused(write) -> None:
    text = "\n".join([HEADER, *rows(1, 1, 48, 80, "MUSING")]) + "\n"

    [error] = read_files([write(text)]).unreadable

    assert "MUSING" in str(error)


def test_gpus_of_a_job_are_a_setting(write) -> None:
    taken, _ = measured(write, rows(1, 1, 4, 80, tres="cpu=8,gres/gpu=4,node=1"))

    assert dict(zip(taken[0].subject.parameters, taken[0].coordinate, strict=True)) == {
        "p": 4,
        "nodes": 1,
        "gpus": 4,
    }


def test_json_says_the_same(write) -> None:
    tres = {"allocated": [{"type": "node", "name": "", "count": 2}]}
    step = {
        "step": {"id": "7.0", "name": "a.out"},
        "tasks": {"count": 96},
        "time": {"elapsed": 40},
        "state": ["COMPLETED"],
        "statistics": {"energy": {"consumed": {"set": True, "number": 900}}},
        "tres": {"requested": {"max": [{"type": "mem", "count": 2048}]}},
    }
    job = {
        "job_id": 7,
        "name": "solve",
        "cluster": "jureca",
        "state": {"current": ["COMPLETED"], "reason": "None"},
        "time": {"elapsed": 45, "start": 1764237600, "end": 1764237645},
        "tres": tres,
        "steps": [step],
    }

    reading = read_files([write(json.dumps({"jobs": [job]}))])

    assert not reading.unreadable
    held = {
        (each.subject.region, each.subject.metric): (each.coordinate, each.values)
        for each in reading.scans.measurements()
    }
    assert held["solve", "time"] == ((96, 2), [45])
    assert held["solve->a.out", "time"] == ((96, 2), [40])
    assert held["solve", "energy"] == ((96, 2), [900])
    assert held["solve", "memory"] == ((96, 2), [2048])
