import json
import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from support.samples import sample

AT = {AUTO: SettingRules(at={"p": 1})}


def test_repetitions_counters_and_commit_of_a_real_file() -> None:
    path = sample("google_benchmark/generated-1.9.5/repetitions.json")

    reading = read_files([path], rules=AT)

    measured = list(reading.scans.measurements())
    first = measured[0]
    assert first.subject.region == "BM_halo_exchange"
    assert ("width", 1) in first.subject.configuration
    assert dict(zip(first.subject.parameters, first.coordinate, strict=True)) == {
        "n": 256,
        "p": 1,
    }
    assert len(first.values) == 3
    assert math.isclose(first.values[0], 5.351875468534398e-6)
    assert first.provenance.commit == "0123456789abcdef" * 2 + "01234567"
    assert first.provenance.branch == "main"
    assert {one.subject.unit for one in measured if one.subject.metric == "FOM"} == {
        "GB/s"
    }


def test_old_files_have_neither_run_type_nor_run_name() -> None:
    reading = read_files(
        [sample("google_benchmark/google-benchmark/test2_run.json")], rules=AT
    )

    assert len(reading.series) == 20


def row(name, time, **more):
    return {"name": name, "real_time": time, "time_unit": "ms", **more}


def test_only_aggregates_are_the_median_by_name(write) -> None:
    rows = [
        row(f"f_{one}", at, run_name="f", run_type="aggregate", aggregate_name=one)
        for at, one in enumerate(("mean", "median", "stddev"))
    ]

    [series] = read_files(
        [write(json.dumps({"context": {}, "benchmarks": rows}))], rules=AT
    ).series

    assert series.configuration["statistic"] == "median"
    assert series.values.tolist() == [[0.001]]


def test_failed_rows_and_unknown_units(write) -> None:
    failed = row("f/threads:4", 1, error_occurred=True)
    good = row("f/real_time/threads:4", 2)
    strange = row("f", 2) | {"time_unit": "fortnight"}

    [series] = read_files(
        [write(json.dumps({"context": {}, "benchmarks": [failed, good]}))]
    ).series
    [error] = read_files(
        [write(json.dumps({"context": {}, "benchmarks": [strange]}))], rules=AT
    ).unreadable

    assert (series.region, series.settings.tolist()) == ("f", [[4]])
    assert "line 1.benchmarks[0].time_unit: expected one of s" in str(error)


def test_failed_repetition_is_a_run_without_a_value(write) -> None:
    rows = [row("f/n:8", 0, error_occurred=True), row("f/n:16", 2)]

    [series] = read_files(
        [write(json.dumps({"context": {}, "benchmarks": rows}))]
    ).series

    assert series.settings[:, 0].tolist() == [8, 16]
    assert str(series.values[:, 0].tolist()) == "[nan, 0.002]"


def test_counter_without_a_number_is_left_out(write) -> None:
    path = write(
        '{"context": {}, "benchmarks": [{"name": "f/n:8", "run_type": "iteration", '
        '"real_time": 2, "time_unit": "ns", "x": Infinity, "y": 3}]}'
    )

    told = {one.metric: one.values[0, 0] for one in read_files([path]).series}

    assert told == {"time": pytest.approx(2e-9), "y": 3}


def test_what_is_said_of_the_machine_before_the_json_is_passed_over(write) -> None:
    path = write(
        "2024-01-01T10:00:00+01:00\nRunning ./bench\nCPU Caches:\n  L1 Data 32 KiB\n"
        '{"context": {}, "benchmarks": [{"name": "f/n:8", "run_type": "iteration", '
        '"real_time": 2, "time_unit": "ns"}]}\n'
    )

    [series] = read_files([path]).series

    assert series.values.tolist() == [[pytest.approx(2e-9)]]


CSV = """2026-11-27T10:00:00+00:00
Running ./bench
Run on (8 X 3000 MHz CPU s)
name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message
"BM_sort/1024/threads:4",1000,250.5,1000.25,ns,4.1e+09,,,,
"BM_fail",,,,,,,,true,"no device"
"""


def test_csv_is_read_behind_what_it_says_of_the_machine(write) -> None:
    reading = read_files([write(CSV)], rules={"auto": SettingRules(at={"p": 1.0})})

    held = {
        (each.subject.region, each.subject.metric): each.values
        for each in reading.scans.measurements()
    }
    assert held["BM_sort/1024", "time"] == pytest.approx([250.5e-9])
    assert held["BM_sort/1024", "bytes_per_second"] == [4.1e9]
    assert all(map(math.isnan, held["BM_fail", "time"]))
