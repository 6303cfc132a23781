import json
import math
import shutil
import tarfile

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from support.samples import sample

LEFT_OUT = {AUTO: SettingRules(skips_unmatched=True)}
AT = {AUTO: SettingRules(at={"p": 1})}


def of_commit(reading, start):
    return {
        (each.subject.region, each.subject.metric, each.coordinate): each
        for each in reading.scans.measurements()
        if each.provenance.commit.startswith(start)
    }


def test_folder_of_version_2_is_a_history_of_its_commits() -> None:
    reading = read_files([sample("asv/generated-0.6.6")], rules=LEFT_OUT)

    assert not reading.unreadable
    measured = of_commit(reading, "3ac54c55")
    time = measured["bench.Halo.time_exchange", "time", (1, 100)]
    assert time.subject.parameters == ("p", "n")
    assert time.values[0] == 1.459299983253004e-06
    assert len(time.values) == 8
    rate = measured["bench.Halo.track_bandwidth", "value", (8, 1000)]
    assert (rate.subject.unit, rate.values) == ("GB/s", [11.040000000000001])
    memory = measured["bench.Halo.peakmem_exchange", "memory", (2, 1000)]
    assert (memory.subject.unit, memory.values) == ("B", [35885056])
    assert time.provenance.machine == "node01"
    assert time.provenance.committed_at == "2026-10-15T10:00:00+00:00"
    commits = {each.provenance.commit[:8] for each in reading.scans.measurements()}
    assert commits == {"3ac54c55", "c6dbbd32", "db6b0925"}


def test_skipped_cells_are_left_out_and_failed_ones_have_no_value() -> None:
    reading = read_files([sample("asv/generated-0.6.6")], rules=LEFT_OUT)

    measured = of_commit(reading, "c6dbbd32")
    assert ("bench.Halo.time_exchange", "time", (16, 100)) not in measured
    assert ("bench.Halo.time_exchange", "time", (16, 1000)) in measured
    elapsed = "bench.Hybrid.track_elapsed_wall"
    assert math.isnan(measured[elapsed, "time", (4, 2)].values[0])
    assert measured[elapsed, "time", (2, 2)].values == [20.0]
    assert measured[elapsed, "time", (2, 2)].subject.parameters == ("threads", "p")
    assert measured[elapsed, "time", (2,)].subject.parameters == ("threads",)


def test_folder_of_version_1_has_numbers_results_and_units_by_name() -> None:
    reading = read_files([sample("asv/asv-example_results")], rules=AT)

    measured = of_commit(reading, "fcf8c079")
    assert measured["time_units.time_unit_parse", "time", (1,)].values == [
        0.011466357707977295
    ]
    # Its method is called like one of memory, but its definition says seconds.
    assert measured["time_units.mem_unit", "time", (1,)].values == [344]
    parameterized = [
        (dict(each.subject.configuration)["param1"], each.values)
        for each in reading.scans.measurements()
        if each.subject.region == "time_other.time_parameterized"
        and dict(each.subject.configuration)["environment"].endswith("numpy1.8")
    ]
    assert (2, [4]) in parameterized
    assert ("time_AAA_skip", "time", (1,)) not in measured
    assert measured["time_ci_big", "time", (1,)].values == [3]
    reasons = sorted(error.reason for error in reading.unreadable)
    assert len(reasons) == 3
    assert reasons[0].startswith("it says machine=not-cheetah, and machine.json")
    assert reasons[1].startswith("line 1: expected an object with one of the keys")
    assert reasons[2].startswith("line 2: expected JSON")


def test_archive_knows_the_units_beside_the_results(tmp_path) -> None:
    path = tmp_path / "results.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(sample("asv/generated-0.6.6"), "results")

    reading = read_files([str(path)], rules=LEFT_OUT)

    rate = of_commit(reading, "3ac54c55")[
        "bench.Halo.track_bandwidth", "value", (8, 100)
    ]
    assert rate.subject.unit == "GB/s"


def test_file_without_its_benchmarks_names_parameters_by_number(tmp_path) -> None:
    name = "3ac54c55-existing-py_python3.11.json"
    shutil.copy(sample(f"asv/generated-0.6.6/node01/{name}"), tmp_path)

    reading = read_files([str(tmp_path / name)], rules=AT)

    time = next(reading.scans.measurements())
    assert dict(time.subject.configuration)["param1"] == 1


def result(**parts):
    return json.dumps(
        {"commit_hash": "1a2b3c4d", "date": 1e12, "params": {}, "results": parts}
    )


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        (
            {"time_f": {"params": [["1", "2"]], "result": [1]}},
            "results.time_f.result: expected 2 results, one per combination",
        ),
        ({"time_f": "fast"}, "results.time_f: expected a finite number, found 'fast'"),
        (
            {"time_f": {"params": [["1"] * 2000] * 2, "result": []}},
            "results.time_f: expected at most 1000000 combinations",
        ),
        ({"time_f": {"stats": 1}}, "results.time_f: expected a result"),
    ],
)
def test_result_of_another_shape_is_named(write, parts, complaint) -> None:
    [error] = read_files([write(result(**parts))], rules=AT).unreadable

    assert complaint in str(error)


def test_named_file_of_benchmarks_holds_no_measurements() -> None:
    [error] = read_files([sample("asv/generated-0.6.6/benchmarks.json")]).unreadable

    assert error.reason == "it holds no measurements"
