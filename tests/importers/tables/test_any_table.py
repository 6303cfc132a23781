"""Tables as people have them: which columns are settings, values, and neither."""

import math

import pytest

from scalewatch.importers import read_files


def series_of(path):
    reading = read_files([path])
    assert not reading.unreadable, reading.unreadable
    return {each.metric: each for each in reading.series}


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("No. Cores", "p"),
        ("#procs", "p"),
        ("Number of MPI ranks", "p"),
        ("mpi_tasks", "p"),
        ("OMP-threads", "threads"),
        ("Nodes", "nodes"),
        ("GPUs", "gpus"),
        ("Anzahl Knoten", "nodes"),
        ("Problem Size", "n"),
    ],
)
def test_scale_is_known_by_its_name(write, name, parameter) -> None:
    [series] = series_of(write(f"{name},time\n2,3.5\n4,2.5\n")).values()

    assert series.parameters == (parameter,)


@pytest.mark.parametrize("name", ["PEs per node", "cores/node", "% of cores"])
def test_what_is_per_something_is_no_scale(write, name) -> None:
    [series] = series_of(write(f"{name},nodes,time\n8,2,3.5\n8,4,2.5\n")).values()

    assert series.parameters == ("nodes",)


def test_actual_beside_a_proportional_ideal_is_a_rate(write) -> None:
    path = write("No. Cores, Actual, Ideal\n1,2.5E+06,2.5E+06\n8,1.6E+07,2.0E+07\n")

    [(metric, series)] = series_of(path).items()

    assert metric == "rate"
    assert series.values[:, 0].tolist() == [2.5e6, 1.6e7]


def test_actual_beside_a_falling_ideal_is_a_time(write) -> None:
    path = write("Cores,Actual,Ideal\n1,100.5,100.5\n8,20.5,12.5\n")

    [(metric, series)] = series_of(path).items()

    assert (metric, series.unit) == ("time", "s")


def test_deviations_and_extremes_beside_a_mean_are_no_series(write) -> None:
    header = "Processes,Average time (s),St. Deviation (s),Min (s),Max (s)"
    path = write(f"{header}\n2,3.5,0.1,3.4,3.6\n4,2.5,0.1,2.4,2.6\n")

    assert list(series_of(path)) == ["Average time"]


@pytest.mark.parametrize(
    ("column", "cells"),
    [("time_std", ("3", "2", "1")), ("iterations", ("15", "22", "33"))],
)
def test_what_varies_with_the_scale_splits_no_series(write, column, cells) -> None:
    rows = "".join(
        f"{p},{10 / p},{cell}\n" for p, cell in zip((1, 2, 4), cells, strict=True)
    )

    [series] = read_files([write(f"p,time,{column}\n{rows}")]).series

    assert series.settings[:, 0].tolist() == [1, 2, 4]


def test_nodes_that_follow_from_gpus_are_a_dependent_setting(write) -> None:
    path = write("nodes,gpus,time\n1,1,8.5\n1,2,4.5\n1,4,2.5\n2,8,1.5\n")

    reading = read_files([path])

    [series] = reading.series
    assert series.parameters == ("gpus",)
    assert [(each.name, each.levels) for each in series.together] == [
        ("nodes", (1, 1, 1, 2))
    ]
    assert any("nodes" in note for note in reading.left_out)


def test_columns_of_one_name_are_two_series(write) -> None:
    reading = read_files([write("p,time,time\n1,100,5\n2,52,6\n")])

    assert [each.values[:, 0].tolist() for each in reading.series] == [
        [100, 52],
        [5, 6],
    ]
    assert any("time (2)" in note for note in reading.left_out)


def test_table_whose_header_holds_the_settings_is_turned(write) -> None:
    path = write("Processors\t1\t2\t4\nTime (s)\t139.1\t70.3\t36.2\n")

    [series] = series_of(path).values()

    assert series.parameters == ("p",)
    assert series.values[:, 0].tolist() == [139.1, 70.3, 36.2]


MARKDOWN = """# A code

Some words about it.

## Strong scaling

| **Cores** | Time (s) | Speedup |
|-----------|---------:|--------:|
| 1,000     | **10.5** | 1.00x   |
| 2,000     | OOM      | --      |

| Option | Meaning |
|--------|---------|
| `-n`   | size    |

## Weak scaling

| Cores | Time (s) |
|-------|----------|
| 1000  | 10.6 s   |
"""


def test_tables_of_a_text_are_found_with_their_headings(write) -> None:
    reading = read_files([write(MARKDOWN)])

    assert not reading.unreadable
    strong, weak = reading.series
    assert strong.settings[:, 0].tolist() == [1000, 2000]
    assert strong.values[0, 0] == 10.5
    assert math.isnan(strong.values[1, 0])
    assert weak.configuration["table"] == "Weak scaling"
    assert any("line 12" in note for note in reading.left_out)


GRID = """+-------+-----------+--------+
| Nodes | GFLOP/s   | Linear |
+=======+===========+========+
| 1     | 2176.5    | 2176.5 |
+-------+-----------+--------+
| 2     | 4210.2    | 4353.0 |
+-------+-----------+--------+
"""

ORG = """* commit 37a0164e
  | node |   time | TM time |
  |------+--------+---------+
  |    1 | 0.3183 |  0.3152 |
  |------+--------+---------+
  |    2 | 0.2297 |  0.2329 |
"""


def test_grid_divides_rows_by_rules(write) -> None:
    [series] = series_of(write(GRID)).values()

    assert (series.parameters, series.unit) == (("nodes",), "GFLOP/s")
    assert series.values[:, 0].tolist() == [2176.5, 4210.2]


def test_rule_between_rows_of_numbers_begins_no_table(write) -> None:
    times = series_of(write(ORG))

    assert times["time"].values[:, 0].tolist() == [0.3183, 0.2297]
    assert times["TM time"].unit == "s"
