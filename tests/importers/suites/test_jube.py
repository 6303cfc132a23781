import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.importers.derivations import derivation_of
from support.samples import sample

RULES = {AUTO: SettingRules(derive=[derivation_of("p = nodes * taskspernode")])}


@pytest.mark.parametrize("name", ["result.csv", "result_pretty.dat"])
def test_units_stand_in_brackets_and_processes_are_derived(name) -> None:
    [time, bandwidth] = read_files(
        [sample(f"jube/generated-2.5.1/{name}")], rules=RULES
    ).series

    assert (time.metric, time.unit) == ("time", "s")
    assert (time.parameters, time.settings[:, 0].tolist()) == (
        ("p",),
        [4, 8, 16, 32, 64],
    )
    assert time.values[:, 0].tolist() == [26, 14, 8, 5, 3.5]
    assert (bandwidth.metric, bandwidth.unit) == ("bandwidth", "GB/s")


def test_row_of_a_pretty_table_that_is_cut_is_named(write) -> None:
    path = write("result:\n| nodes | runtime[sec] |\n|---|---|\n| 1 | 26.0 |\n| 2 | 1")

    [error] = read_files([path]).unreadable

    assert str(error) == (
        f"cannot read {path}: line 5: expected a row that ends with '|', found none"
    )


def test_run_that_failed_measured_nothing() -> None:
    path = sample("exacb/made/weak_with_failure.csv")

    [series] = read_files([path], rules=RULES).series

    assert series.settings[:, 0].tolist() == [4, 8, 16, 32, 64]
    assert str(series.values[:, 0].tolist()) == "[40.0, 41.5, 43.0, 44.5, nan]"
    assert "success" not in series.configuration


def test_columns_of_hpcg_have_their_units_without_options() -> None:
    reading = read_files([sample("jube/jubench-hpcg/eval/hpcg-cpu_baseline.csv")])

    assert not reading.unreadable
    first = {
        each.subject.metric: each
        for each in reversed(list(reading.scans.measurements()))
    }
    units = {metric: each.subject.unit for metric, each in first.items()}
    assert units["GF_Total"] == "GFLOP/s"
    assert (units["GB_read"], units["GB_t_o"]) == ("GB/s", "GB/s")
    assert (units["MaxAllreduce"], units["time"]) == ("s", "s")
    assert first["GB_total"].values == [212.807]
    assert first["GB_total"].coordinate[0] == 16


def test_pretty_table_of_old_versions_has_no_bars_at_its_sides(write) -> None:
    path = write(
        "result:\nnodes | taskspernode | runtime[s]\n"
        "------+--------------+-----------\n"
        "    1 |            4 |      26.5\n    2 |            4 |      14.5\n"
    )

    [series] = read_files([path]).series

    assert (series.metric, series.parameters) == ("time", ("p",))
    assert series.values.tolist() == [[26.5], [14.5]]


def test_each_table_of_a_file_has_its_own_columns_and_lines(write) -> None:
    text = (
        "a:\n| nodes | taskspernode | runtime[sec] |\n|---|---|---|\n"
        "| 1 | 4 | 26 |\n| 2 | 4 | 14 |\n\n"
        "b:\n| nodes | taskspernode | bandwidth[GB/s] |\n|---|---|---|\n"
        "| 1 | 4 | 100 |\n| 2 | 4 | 200 |\n"
    )

    time, bandwidth = read_files([write(text)]).series
    [error] = read_files([write(text.replace("200", "?"))]).unreadable

    assert (time.metric, bandwidth.metric) == ("time", "bandwidth")
    assert bandwidth.configuration["table"] == "b"
    assert bandwidth.values.tolist() == [[100], [200]]
    assert "line 11: expected a number, found '?'" in str(error)


@pytest.mark.parametrize(
    ("column", "unit", "value"),
    [
        ("t_avg[usec]", "s", 12.5e-6),
        ("t_max[ms]", "s", 12.5e-3),
        ("wall[min]", "s", 750),
        ("bw[MiB/s]", "MiB/s", 12.5),
        ("eff[%]", "%", 12.5),
        ("mem[GiB]", "B", 12.5 * 2**30),
    ],
)
def test_times_are_in_seconds_and_rates_keep_their_unit(
    write, column, unit, value
) -> None:
    [series] = read_files([write(f"p,{column}\n4,12.5\n")]).series

    assert (series.unit, series.values[0, 0]) == (unit, pytest.approx(value))
