"""Formats of few lines: HPL, HPCG, pytest-benchmark, hyperfine, lists, Bencher's."""

import json
import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.services.files.imports import ImportOrigin, runs_of
from scalewatch.texts.patterns import path_pattern_of
from support.samples import sample

AT = {AUTO: SettingRules(at={"p": 4})}


def series_of(path, rules=None):
    reading = read_files([path], rules=rules)
    assert not reading.unreadable
    return {(each.region, each.metric): each for each in reading.series}


def test_grid_of_hpl_is_its_processes() -> None:
    path = "hpl/hpc-tests/alaska/ib-gcc9-impi-verbs/intel-hpl/IntelHpl_all"

    rate = series_of(sample(f"{path}/rfm_IntelHpl_all_job.out"))["program", "rate"]

    assert rate.values.tolist() == [[16090.9]]
    assert 16 in {*rate.settings.ravel().tolist(), rate.configuration.get("p")}


def test_failed_residual_of_hpl_leaves_no_number(write) -> None:
    row = "WR11C2R4  1000  192  2  2  3.5  1.5e+01\n"
    residual = "||Ax-b||_oo/(eps*N)= 3.0e-03 ...... PASSED\n"
    failed = residual.replace("PASSED", "FAILED")

    found = series_of(write("HPLinpack 2.3\n" + row + residual + row + failed))

    times = found["program", "time"].values.ravel()
    assert [time for time in times if not math.isnan(time)] == [3.5]


def test_folder_of_hpcg_is_one_scan_of_its_processes() -> None:
    reading = read_files([sample("hpcg/generated-3.1")])

    assert not reading.unreadable
    rates = [one for one in reading.series if one.metric == "rate"]
    assert any(2.03816 in one.values for one in rates)


def test_result_of_hpcg_that_ends_early_is_refused(write) -> None:
    text = "HPCG-Benchmark\nMachine Summary::Distributed Processes=4\n"

    [error] = read_files([write(text)]).unreadable

    assert "expected a line 'HPCG result is VALID …'" in str(error)


def test_tests_of_pytest_benchmark_scale_with_their_params() -> None:
    rules = {AUTO: SettingRules(for_growth=True)}

    reading = read_files(
        [sample("pytest_benchmark/generated-5.3.1/with_data.json")], rules=rules
    )

    bcast = [one for one in reading.series if one.region.endswith("::test_bcast")]
    assert {int(one) for each in bcast for one in each.settings[:, 0]} == {
        1,
        2,
        4,
        8,
        16,
    }
    assert any(math.isclose(one.values[0, 0], 9.387500085722423e-07) for one in bcast)
    [unplaced] = reading.unreadable
    assert "at which p" in str(unplaced)


def test_parameters_of_hyperfine_are_settings_and_failed_runs_missing(write) -> None:
    results = [
        {"command": f"mpirun -np {p} ./x", "median": 2, "times": [p, 9],
         "exit_codes": [0, 1], "parameters": {"np": str(p)}}
        for p in (1, 2, 4)
    ]  # fmt: skip

    [((region, _), found)] = series_of(write(json.dumps({"results": results}))).items()

    assert region == "mpirun -np {} ./x"
    assert found.settings[:, 0].tolist() == [1, 2, 4]
    assert found.values[:, 0].tolist() == [1, 2, 4]


def test_scan_of_hyperfine_whose_command_follows_from_its_parameter() -> None:
    path = sample("hyperfine/generated-1.15.0/scan_np.json")

    [((region, _), found)] = series_of(path).items()

    assert region == "sleep {}"
    assert len(found.settings) == 5


def test_commands_compared_at_one_setting_stay_apart(write) -> None:
    results = [
        {"command": f"{program} {p}", "median": p, "parameters": {"np": str(p)}}
        for program in ("a", "b")
        for p in (1, 2)
    ]

    found = series_of(write(json.dumps({"results": results})))

    assert {region for region, _ in found} == {"a {np}", "b {np}"}


def test_list_has_seconds_for_units_of_time() -> None:
    path = "list/github-action-benchmark/customSmallerIsBetter_output2.json"

    found = series_of(sample(path), AT)

    assert math.isclose(found["No logging", "time"].values[0, 0], 1847.38e-9)


def test_latency_of_bencher_is_in_nanoseconds_and_bounds_are_no_values() -> None:
    found = series_of(sample("bmf/bencher/report_latency.json"), AT)

    assert len(found) == 3
    time = found["tests::benchmark_a", "time"]
    assert time.values.tolist() == [[3247.0 * 1e-9]]


def test_oldest_hyperfine_has_only_the_mean(write) -> None:
    path = write('{"results": [{"command": "a p=4", "mean": 1.5, "stddev": 0.1}]}')

    [series] = read_files([path]).series

    assert series.configuration == {"statistic": "mean"}
    assert series.settings.tolist() == [[4]]
    assert series.values.tolist() == [[1.5]]


@pytest.mark.parametrize(
    ("unit", "metric", "value"),
    [('"msec"', "time", 0.0105), ('"MB/s"', "value", 10.5), (None, "value", 10.5)],
)
def test_list_is_read_with_and_without_units(write, unit, metric, value) -> None:
    told = "" if unit is None else f', "unit": {unit}'

    [series] = read_files([write(f'[{{"name": "a p=4", "value": 10.5{told}}}]')]).series

    assert (series.metric, series.values[0, 0]) == (metric, pytest.approx(value))


@pytest.mark.parametrize(
    ("banner", "header", "row"),
    [
        (
            "HPL-NVIDIA 24.09.0  -- NVIDIA accelerated HPL benchmark -- NVIDIA",
            "T/V                N    NB     P     Q         Time          Gflops",
            "WC0            264192  1024    4     2        17.04       7.216e5 ( 9e4)",
        ),
        (
            "rocHPL version 6.0.0  --  High-Performance Linpack benchmark",
            "T/V                N    NB     P     Q               Time        Gflops",
            "WC11C2R16      264192   1024     2     4            17.04     7.216e+05",
        ),
    ],
    ids=["nvidia", "rocm"],
)
def test_hpl_of_vendors_is_read(write, banner, header, row) -> None:
    found = series_of(write(f"{banner}\n{header}\n{'-' * 80}\n{row}\n"))

    assert found["program", "time"].settings.tolist() == [[8]]
    assert found["program", "rate"].values.tolist() == [[721600]]


HPCG_YAML = """HPCG-Benchmark version: 2.4

Machine Summary: 
  Distributed Processes: 8
  Threads per processes: 2

Local Domain Dimensions: 
  nx: 104
  ny: 104
  nz: 105

Benchmark Time Summary: 
  DDOT: 2.88
  WAXPBY: 1.27
  SpMV: 13.26
  MG: 70.06
  Total: 87.5

__________ Final Summary __________: 
  HPCG result is VALID with a GFLOP/s rating of: 5.2345
"""  # noqa: W291 - as the program writes it


def test_hpcg_wrote_yaml_before(write) -> None:
    found = series_of(write(HPCG_YAML))

    assert found["MG", "time"].values.tolist() == [[70.06]]
    assert found["program", "rate"].values.tolist() == [[5.2345]]
    assert found["program", "time"].settings.tolist() == [[8]]
    assert found["program", "time"].configuration["nz"] == 105


def test_result_of_hpcg_that_is_not_valid_is_a_run_that_failed(write) -> None:
    end = "  HPCG result is: INVALID.\n"
    path = write(HPCG_YAML[: HPCG_YAML.index("  HPCG result")] + end)

    found = series_of(path)

    assert all(math.isnan(one.values[0, 0]) for one in found.values())
    assert found["program", "rate"].settings.tolist() == [[8]]


def data_js(*values, prefix="window.BENCHMARK_DATA = ", **suites):
    """Return a history of github-action-benchmark: one commit a value."""
    entries = [
        {
            "commit": {
                "id": f"{number:040x}",
                "message": "Change it",
                "timestamp": f"2026-10-{number:02}T10:00:00Z",
            },
            "date": 1759312800000 + number,
            "tool": "cargo",
            "benches": [
                {"name": "load", "value": value, "range": "± 3", "unit": "ns/iter"},
                {"name": "rate", "value": 2 * value, "unit": "op/s"},
            ],
        }
        for number, value in enumerate(values, 1)
    ]
    history = {"lastUpdate": 1, "repoUrl": "", "entries": {"Rust": entries, **suites}}
    return prefix + json.dumps(history, indent=2)


@pytest.mark.parametrize("end", ["", ";", "\n"])
def test_history_of_github_action_benchmark_has_a_run_a_commit(write, end) -> None:
    file = write(data_js(100, 120, 90) + end)

    reading = read_files([file], rules=AT)

    assert not reading.unreadable
    taken = {
        (each.subject.metric, each.provenance.commit): (each.subject.unit, *each.values)
        for each in reading.scans.measurements()
    }
    assert len(taken) == 6
    assert taken["time", f"{2:040x}"] == ("s", pytest.approx(120e-9))
    assert taken["value", f"{3:040x}"] == ("op/s", 180)
    times = {each.provenance.committed_at for each in reading.scans.measurements()}
    assert "2026-10-02T10:00:00Z" in times


def test_broken_script_is_refused_with_its_line(write) -> None:
    text = data_js(100, 120)

    [error] = read_files([write(text[: len(text) // 2])]).unreadable

    assert "expected JSON" in str(error)
    assert error.place.startswith("line ")


def test_entry_without_a_commit_is_refused(write) -> None:
    text = data_js(100).replace('"commit"', '"change"')

    [error] = read_files([write(text)]).unreadable

    assert "the key 'commit'" in str(error)


def criterion_folder(folder, times):
    """Write what Criterion leaves below `target/criterion` of two benchmarks."""
    for name in ("sum/naive/100", "sort"):
        for state, factor in (("new", 1), ("base", 3)):
            there = folder / "criterion" / name / state
            there.mkdir(parents=True)
            point = {"point_estimate": factor * 2.0, "standard_error": 0.1}
            estimates = dict.fromkeys(("mean", "median", "std_dev", "slope"), point)
            files = {
                "benchmark": {"group_id": "sum", "function_id": None, "full_id": name,
                              "directory_name": name, "value_str": None},
                "estimates": estimates | {"slope": None},
                "sample": {"sampling_mode": "Linear", **times},
                "tukey": [1.0, 2.0, 3.0, 4.0],
            }  # fmt: skip
            for file, content in files.items():
                (there / f"{file}.json").write_text(json.dumps(content))
        change = there.parent / "change"
        change.mkdir()
        (change / "estimates.json").write_text(
            json.dumps(dict.fromkeys(("mean", "median"), point))
        )
    return str(folder / "criterion")


@pytest.mark.parametrize(
    ("times", "values"),
    [
        ({"iters": [1.0, 2.0], "times": [3.0, 5.0]}, [3e-9, 2.5e-9]),
        ({"iters": [0.0], "times": [3.0]}, [2e-9]),
    ],
)
def test_folder_of_criterion_is_one_run_of_its_newest_results(
    tmp_path, times, values
) -> None:
    reading = read_files([criterion_folder(tmp_path, times)])

    runs = runs_of(
        reading.scans.measurements(), ImportOrigin("lib", "here", {"sha": "1a2b3c4"})
    )

    assert not reading.unreadable
    assert not runs.errors
    [run] = runs.reports
    assert {each.region: pytest.approx(list(each.values)) for each in run.results} == {
        "sum->naive->100": values,
        "sort": values,
    }
    assert run.coordinate == {"p": 1}


STORED = "pytest_benchmark/pytest-benchmark/test_storage"


def test_storage_of_pytest_benchmark_knows_its_commits_and_times() -> None:
    reading = read_files([sample(STORED)])

    assert not reading.unreadable
    for each in reading.scans.measurements():
        assert each.coordinate == (1,)
        assert each.provenance.commit == "5b78858eb718649a31fb93d8dc96ca2cee41a4cd"
        assert each.provenance.started_at.endswith("+00:00")


def test_benchmarks_without_a_parameter_are_at_one_setting(write) -> None:
    path = write(json.dumps([{"name": "f", "unit": "ns", "value": 3}]))

    [measured] = read_files([path]).scans.measurements()
    asked = read_files([path], rules={AUTO: SettingRules(for_growth=True)})

    assert (measured.subject.parameters, measured.coordinate) == (("p",), (1.0,))
    assert dict(measured.sources)["p"] == "assumed"
    [unplaced] = asked.unreadable
    assert "at which p" in str(unplaced)


def pytest_report(**test) -> str:
    stats = {"data": [1.0, 2.0], "median": 1.5, "mean": 1.5}
    held = {"fullname": "t.py::test_a", "stats": stats, "params": None, **test}
    return json.dumps({"machine_info": {"node": "m"}, "benchmarks": [held]})


def test_ranks_of_extra_info_are_p_and_words_are_held(write) -> None:
    path = write(pytest_report(extra_info={"num_ranks": 16, "backend": "cuda"}))

    [series] = read_files([path]).series

    assert series.settings.tolist() == [[16]]
    assert series.parameters == ("p",)
    assert series.configuration["backend"] == "cuda"


def test_remark_among_rounds_leaves_the_median(write) -> None:
    stats = {"data": [1.0, "outlier"], "median": 1.25, "mean": 1.5}

    [series] = read_files([write(pytest_report(stats=stats))]).series

    assert series.values.tolist() == [[1.25]]


def test_cases_of_pytest_benchmark_are_one_run_with_their_names(write) -> None:
    tests = [
        {
            "fullname": f"t.py::test_a[{size}-{kind}]",
            "params": {"width": size, "kind": kind},
            "stats": {"median": 1.5},
        }
        for size in (1, 2, 3)
        for kind in ("x", "y")
    ]
    path = write(json.dumps({"benchmarks": tests, "machine_info": {"node": "m"}}))

    kept = [*read_files([path]).scans.measurements()]
    scanned = read_files([path], rules={AUTO: SettingRules(scan=("width",))})

    assert {each.subject.region for each in kept} == {
        each["fullname"] for each in tests
    }
    assert {each.subject.configuration for each in kept} == {(("statistic", "median"),)}
    measured = [*scanned.scans.measurements()]
    assert {each.subject.region for each in measured} == {"t.py::test_a"}
    assert {each.coordinate for each in measured} == {(1.0,), (2.0,), (3.0,)}


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        ("2026-01-28", "2026-01-28T00:00:00+00:00"),
        ("20260128T101500Z", "2026-01-28T10:15:00+00:00"),
    ],
)
def test_a_path_says_when_a_commit_was_made(tmp_path, stated, moment) -> None:
    held = {"f": {"latency": {"value": 3.0}}}
    (tmp_path / f"{stated}_{'a' * 40}.json").write_text(json.dumps(held))
    pattern = path_pattern_of("{committed_at}_{commit}.json")

    reading = read_files([str(tmp_path)], rules={AUTO: SettingRules(path=pattern)})

    [measured] = reading.scans.measurements()
    assert measured.provenance.commit == "a" * 40
    assert measured.provenance.committed_at == moment


def test_a_path_whose_time_is_none_is_refused(tmp_path) -> None:
    held = {"f": {"latency": {"value": 3.0}}}
    (tmp_path / f"yesterday_{'a' * 40}.json").write_text(json.dumps(held))
    pattern = path_pattern_of("{committed_at}_{commit}.json")

    reading = read_files([str(tmp_path)], rules={AUTO: SettingRules(path=pattern)})

    [error] = reading.unreadable
    assert "'yesterday' is no time in ISO 8601" in str(error)
