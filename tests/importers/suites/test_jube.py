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
