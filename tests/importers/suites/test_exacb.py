import json
import math

import pytest

from scalewatch.importers import read_files
from support.samples import sample

ROW = {
    "success": "true",
    "runtime": "16.5",
    "parameter": {"nodes": "2", "taskspernode": "4", "threadspertask": "12"},
    "slurm_jobid": "91",
    "queue": "booster",
    "metrics": {"bandwidth[GB/s]": "120.5"},
}


def report(*rows, **experiment):
    info = {"commit": "0123456789abcdef", "timestamp": "2026-10-01T10:00:00Z"}
    return json.dumps(
        {
            "reporter": {"info": info},
            "experiment": {"system": "jedi", "variant": "weak", **experiment},
            "data": rows,
        }
    )


def test_processes_of_a_real_report_are_nodes_times_tasks() -> None:
    [series] = read_files([sample("exacb/made/strong.json")]).series

    assert (series.region, series.metric, series.unit) == ("program", "time", "s")
    assert series.settings[:, 0].tolist() == [4, 8, 16, 32, 64, 128]
    assert series.values[:, 0].tolist() == [161.2, 81.2, 41.2, 21.2, 11.2, 6.2]
    assert series.values[-1].tolist() == [6.2, 6.231]
    assert series.configuration["threads"] == 12


def test_table_of_the_same_experiment_says_the_same() -> None:
    reading = read_files([sample("exacb/made/strong.csv")])

    [series] = reading.series
    assert series.settings[:, 0].tolist() == [4, 8, 16, 32, 64, 128]
    assert series.values[-1].tolist() == [6.2, 6.231]
    provenance = {one.provenance for one in reading.scans.measurements()}
    assert {one.machine for one in provenance} == {"juwelsbooster"}
    assert "910009" in {one.job for one in provenance}


def test_further_columns_of_a_table_are_metrics(write) -> None:
    header = (
        "system,version,queue,variant,jobid,nodes,taskspernode,threadspertask,runtime,"
        "success,iterations,bandwidth[GB/s],note"
    )
    rows = "".join(
        f"jedi,2024,all,weak,{job},{nodes},4,72,40.5,true,100,{nodes * 7},fine\n"
        for job, nodes in enumerate((1, 2, 4))
    )

    series = {
        one.metric: one for one in read_files([write(f"{header}\n{rows}")]).series
    }

    assert series.keys() == {"time", "iterations", "bandwidth"}
    assert series["bandwidth"].values[:, 0].tolist() == [7, 14, 28]
    assert series["bandwidth"].settings[:, 0].tolist() == [4, 8, 16]
    assert series["time"].configuration["note"] == "fine"


def test_report_knows_commit_machine_time_and_job(write) -> None:
    reading = read_files([write(report(ROW))])

    time, bandwidth = reading.scans.measurements()
    assert time.provenance.commit == "0123456789abcdef"
    assert time.provenance.machine == "jedi"
    assert time.provenance.ended_at == "2026-10-01T10:00:00Z"
    assert time.provenance.job == "91"
    assert (bandwidth.subject.metric, bandwidth.subject.unit) == ("bandwidth", "GB/s")
    assert bandwidth.values == [120.5]


def test_job_without_success_measured_nothing(write) -> None:
    failed = ROW | {"success": "False", "runtime": "0.1", "metrics": {}}

    [series] = read_files([write(report(failed))]).series

    assert math.isnan(series.values[0, 0])


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (ROW | {"runtime": "fast"}, "data[0].runtime: expected a number, found 'fast'"),
        (ROW | {"parameter": None}, "data[0].parameter: expected an object"),
        ({"parameter": {}}, "data[0]: expected the key 'runtime'"),
    ],
)
def test_row_that_is_wrong_is_named(write, row, complaint) -> None:
    [error] = read_files([write(report(row))]).unreadable

    assert complaint in str(error)
