import json
import math
import shutil
import tarfile
from pathlib import Path

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.services.files.imports import ImportOrigin, runs_of
from support.samples import sample

LEFT_OUT = {AUTO: SettingRules(skips_unmatched=True, for_growth=True)}
AT = {AUTO: SettingRules(at={"p": 1}, for_growth=True)}


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
    assert measured["time_ci_big", "time", (1,)].values == [1.5, 1.5, 3, 3.5, 3.5]
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


def results(folder, commits, **benchmarks):
    """Write a folder of version 2: of each commit the columns of each benchmark."""
    columns = ["result", "params", "version", "stats_q_25", "stats_q_75", "samples"]
    columns += ["stats_ci_99_a", "stats_ci_99_b"]
    machine = folder / "results" / "i7"
    machine.mkdir(parents=True)
    for number in range(commits):
        held = {
            name: [row(number).get(column) for column in columns]
            for name, row in benchmarks.items()
        }
        about = {
            "commit_hash": f"{number:08x}",
            "date": 1e12 + number * 1e7,
            "env_name": "py3.11",
            "params": {"machine": "i7"},
            "result_columns": columns,
            "results": held,
        }
        # Files are read by their names, which say nothing of the order of commits.
        name = f"{commits - number:08x}-py3.11.json"
        (machine / name).write_text(json.dumps(about))
    return str(machine.parent)


def measured_in(reading):
    return {
        (each.provenance.commit, each.subject.region): each
        for each in reading.scans.measurements()
    }


def test_parameters_stay_in_names_and_a_commit_is_one_run(tmp_path) -> None:
    axes = [["10", "100"], ["'float'", "'x=1'"]]
    folder = results(
        tmp_path,
        3,
        **{
            "bench.time_f": lambda _: {"result": [1, 2.0, 3.0, 4.0], "params": axes},
            "bench.time_g": lambda _: {"result": [5.0], "params": []},
        },
    )

    reading = read_files([folder])
    runs = runs_of(reading.scans.measurements(), ImportOrigin("numpy", None, None))

    assert len(runs.reports) == 3
    assert not runs.errors
    assert {each.region for each in runs.reports[0].results} == {
        *(f"bench.time_f({n}, {text})" for n in (10, 100) for text in axes[1]),
        "bench.time_g",
    }
    assert runs.reports[0].coordinate == {"p": 1}
    assert runs.reports[0].configuration == {"environment": "py3.11"}


def test_a_point_in_a_parameter_does_not_hide_that_a_benchmark_is_a_time(tmp_path):
    folder = results(
        tmp_path,
        1,
        **{"bench.time_f(<class 'numpy.int8'>, 0.5)": lambda _: {"result": [1.0]}},
    )

    [series] = read_files([folder]).series

    assert (series.metric, series.unit) == ("time", "s")


def test_of_a_folder_the_files_of_the_newest_commits_can_be_read_alone(tmp_path):
    folder = results(
        tmp_path,
        6,
        **{"bench.time_f": lambda at: {"result": [1.0 + at], "version": str(at > 1)}},
    )

    reading = read_files([folder], newest=3)

    assert {each for each, _ in measured_in(reading)} == {
        f"{at:08x}" for at in (3, 4, 5)
    }
    # As where all are read: the oldest version of a benchmark has its name.
    assert {each.region for each in reading.series} == {"bench.time_f@True"}


def test_of_a_folder_with_a_commit_without_a_date_all_files_are_read(tmp_path):
    folder = results(tmp_path, 4, **{"bench.time_f": lambda _: {"result": [1.0]}})
    [file, *_] = Path(folder, "i7").iterdir()
    file.write_text(json.dumps(json.loads(file.read_text()) | {"date": None}))

    assert len(measured_in(read_files([folder], newest=2))) == 4


def test_a_parameter_that_is_named_is_scanned_and_others_stay_in_names(
    tmp_path,
) -> None:
    axes = [["1", "2"], ["10", "100"]]
    folder = results(tmp_path, 1, f=lambda _: {"result": [1.0] * 4, "params": axes})

    reading = read_files([folder], rules={AUTO: SettingRules(scan=["param2"])})

    assert {
        (each.subject.region, each.subject.parameters, each.coordinate)
        for each in reading.scans.measurements()
    } == {(f"f({one})", ("param2",), (n,)) for one in (1, 2) for n in (10, 100)}


def test_later_version_of_a_benchmark_is_another_region(tmp_path) -> None:
    folder = results(
        tmp_path,
        4,
        f=lambda at: {"result": [1.0], "version": "old" if at < 2 else "newer version"},
        g=lambda _: {"result": [1.0], "version": "1"},
    )

    regions = measured_in(read_files([folder])).keys()

    assert {region for commit, region in regions if commit.endswith(("0", "1"))} == {
        *("f", "g")
    }
    assert {region for commit, region in regions if commit.endswith(("2", "3"))} == {
        *("f@newer ve", "g")
    }


@pytest.mark.parametrize(
    ("beside", "values"),
    [
        ({"samples": [[3.0, 1.0, 2.0]]}, [3, 1, 2]),
        ({"stats_q_25": [1.5], "stats_q_75": [2.5]}, [1.5, 1.5, 2, 2.5, 2.5]),
        ({"stats_ci_99_a": [1.0], "stats_ci_99_b": [3.0]}, [1, 2, 3]),
        ({"stats_ci_99_a": [-math.inf], "stats_ci_99_b": [math.inf]}, [2]),
        ({"stats_q_25": [2.5], "stats_q_75": [1.5]}, [2]),
        ({"stats_q_25": ["x"], "stats_q_75": [None]}, [2]),
        ({}, [2]),
    ],
)
def test_samples_or_quartiles_or_an_interval_are_the_spread(
    tmp_path, beside, values
) -> None:
    folder = results(tmp_path, 1, f=lambda _: {"result": [2.0], **beside})

    [measured] = measured_in(read_files([folder])).values()

    assert [*measured.values] == values


def test_quartiles_of_version_1_are_the_spread(write) -> None:
    stats = [{"ci_99": [1, 3], "q_25": 1.5, "q_75": 2.5, "n": 9}]

    reading = read_files([write(result(time_f={"result": [2.0], "stats": stats}))])

    assert [*next(reading.scans.measurements()).values] == [1.5, 1.5, 2, 2.5, 2.5]


def test_results_that_are_left_out_are_counted(tmp_path) -> None:
    folder = results(
        tmp_path,
        3,
        f=lambda at: {
            "result": [math.nan, None if at else 1.0, math.nan if at else math.inf],
            "params": [["1", "2", "3"]],
        },
        g=lambda at: {"result": [math.nan if at else 1.0]},
    )

    reading = read_files([folder])

    assert reading.skipped == {
        "results that asv skipped": 7,
        "results that are infinite": 1,
    }
    assert not reading.unreadable


def test_commits_without_any_result_are_counted_and_no_error(tmp_path) -> None:
    folder = results(
        tmp_path, 3, f=lambda at: {"result": [math.nan if at == 2 else 1.0]}
    )

    reading = read_files([folder])

    assert reading.skipped["files of asv without any result"] == 1
    assert not reading.unreadable
    assert len(measured_in(reading)) == 2
