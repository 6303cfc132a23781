"""Tables whose shape or names hide what a setting is: none is read at another one."""

import pytest

from scalewatch.importers import read_files

TABLES = {
    "ranks and threads in one cell": (
        "Ranks x Threads,Runtime [s]\n1x48,512.5\n2x24,489.25\n4x12,470.5\n",
        ("p",),
        {(1,): 512.5, (2,): 489.25, (4,): 470.5},
    ),
    "GPUs of nodes in one cell": (
        "Nodes x GPUs,time [s]\n1x4,10.5\n2x4,5.5\n4x4,3.25\n",
        ("gpus",),
        {(4,): 10.5, (8,): 5.5, (16,): 3.25},
    ),
    "GPUs before nodes below a comment": (
        "# nodes  GPUs  time[s]  err[s]\n 1  4  100.5  0.5\n 2  8  51.25  0.4\n",
        ("gpus",),
        {(4,): 100.5, (8,): 51.25},
    ),
    "amounts with units": (
        "Size,ranks,time [s]\n8 KB,2,0.5\n8 KB,4,0.25\n1 MB,2,5.5\n1 MB,4,2.75\n",
        ("p", "n"),
        {(2, 8192): 0.5, (4, 8192): 0.25, (2, 2**20): 5.5, (4, 2**20): 2.75},
    ),
    "amounts with prefixes alone": (
        "Size (bytes) | Latency (s)\n--- | ---\n1K | 0.5\n64K | 1.5\n1M | 9.5\n",
        ("n",),
        {(1024,): 0.5, (65536,): 1.5, (2**20,): 9.5},
    ),
    "rows that count by themselves": (
        (
            "            time (s)   speedup\n"
            "1 core        100.20      1.00\n"
            "2 cores        51.10      1.96\n"
            "4 cores        26.90      3.72\n"
        ),
        ("p",),
        {(1,): 100.2, (2,): 51.1, (4,): 26.9},
    ),
    "settings along an aligned line": (
        (
            "Nodes            1      2      4\n"
            "Time (s)     812.5  420.1  222.8\n"
            "Speedup       1.00   1.93   3.65\n"
        ),
        ("nodes",),
        {(1,): 812.5, (2,): 420.1, (4,): 222.8},
    ),
    "sizes down and threads across": (
        "Matrix size,1 thread,2 threads\n1000,0.81,0.42\n2000,6.5,3.3\n",
        ("n", "threads"),
        {(1000, 1): 0.81, (1000, 2): 0.42, (2000, 1): 6.5, (2000, 2): 3.3},
    ),
    "symbols of papers": (
        "p,T(p),S(p),E(p)\n1,80,1.00,1.00\n2,41,1.95,0.98\n4,22,3.64,0.91\n",
        ("p",),
        {(1,): 80, (2,): 41, (4,): 22},
    ),
    "lines of one and of many": (
        "1 thread: 12.5 s\n2 threads: 6.5 s\n4 threads: 3.5 s\n",
        ("threads",),
        {(1,): 12.5, (2,): 6.5, (4,): 3.5},
    ),
    "tasks of each node": (
        "nodes,ppn,time [s]\n1,16,90.5\n1,32,82.25\n1,64,47.5\n2,64,42.75\n",
        ("p",),
        {(16,): 90.5, (32,): 82.25, (64,): 47.5, (128,): 42.75},
    ),
    "header of two lines in a grid": (
        (
            "+-----------+--------------+-------------+\n"
            "| MPI ranks | Runtime (s)  | Speedup     |\n"
            "|           |              | (vs serial) |\n"
            "+===========+==============+=============+\n"
            "| 1         | 300.5        | 1.0         |\n"
            "+-----------+--------------+-------------+\n"
            "| 16        | 21.25        | 14.1        |\n"
            "+-----------+--------------+-------------+\n"
        ),
        ("p",),
        {(1,): 300.5, (16,): 21.25},
    ),
    "rows below a key": (
        (
            '{"date": "2026-03-01", "results": [{"ranks": 1, "seconds": 10.5}, '
            '{"ranks": 2, "seconds": 5.5}, {"ranks": 4, "seconds": 3.25}]}'
        ),
        ("p",),
        {(1,): 10.5, (2,): 5.5, (4,): 3.25},
    ),
}
CASES = {
    "merged cells": (
        (
            "| Solver | Cores | Time [s] |\n|---|---|---|\n"
            "| CG | 8 | 10.5 |\n| | 16 | 5.5 |\n| GMRES | 8 | 12.5 |\n| | 16 | 6.5 |\n"
        ),
        {"CG": [10.5, 5.5], "GMRES": [12.5, 6.5]},
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_each_value_is_read_at_its_setting(write, kind) -> None:
    text, parameters, values = TABLES[kind]

    [series] = [
        each for each in read_files([write(text)]).series if each.unit in {"s", None}
    ]

    assert {*series.parameters} == {*parameters}
    order = [series.parameters.index(name) for name in parameters]
    assert {
        tuple(setting[order]): value[0]
        for setting, value in zip(series.settings, series.values, strict=True)
    } == pytest.approx(values)


@pytest.mark.parametrize("kind", CASES)
def test_each_value_is_read_for_its_case(write, kind) -> None:
    text, cases = CASES[kind]

    series = read_files([write(text)]).series

    assert {
        next(iter(each.configuration.values())): each.values[:, 0].tolist()
        for each in series
    } == cases


def test_tables_side_by_side_keep_their_own_settings(write) -> None:
    text = "ranks,time (s),ranks,time (s)\n1,10.5,2,12.5\n2,5.5,4,6.5\n4,3.5,8,3.75\n"

    first, second = read_files([write(text)]).series

    assert (first.metric, second.metric) == ("time", "time (2)")
    assert second.settings[:, 0].tolist() == [2, 4, 8]


def test_group_above_names_gives_them_its_unit(write) -> None:
    text = (
        "\\begin{tabular}{rrr}\n"
        "\\textbf{Processes} & \\multicolumn{2}{c}{\\textbf{Runtime (s)}} \\\\\n"
        " & \\textit{old} & \\textit{new} \\\\\n"
        "16 & 88.25 & 61.5 \\\\\n32 & 45.5 & 31.75 \\\\\n\\end{tabular}\n"
    )

    series = read_files([write(text)]).series

    assert {(each.metric, each.unit) for each in series} == {
        ("Runtime old", "s"),
        ("Runtime new", "s"),
    }


def test_title_states_the_unit_of_columns_that_have_none(write) -> None:
    text = (
        "Results (time in ms)\n--------------------\n"
        "  procs   setup   solve\n      1    1.25   99.5\n      2    0.75   50.5\n"
    )

    series = read_files([write(text)]).series

    assert {(each.metric, each.unit) for each in series} == {
        ("setup", "s"),
        ("solve", "s"),
    }
    assert min(each.values.min() for each in series) == pytest.approx(0.75e-3)


def test_versions_beside_times_are_settings(write) -> None:
    [series] = read_files([write("nodes,ROCm,time\n1,5.3,8.5\n2,5.3,4.5\n")]).series

    assert (series.metric, series.configuration["ROCm"]) == ("time", 5.3)


def test_prefix_of_memory_alone_is_one_of_slurm(write) -> None:
    reading = read_files([write("CPUs,Elapsed,MaxRSS\n1,00:10:00,12000K\n")])

    [memory] = [each for each in reading.series if each.metric == "MaxRSS"]
    assert memory.values[0, 0] * {"B": 1, "KiB": 1024}[memory.unit] == 12000 * 1024


def test_log_that_begins_with_a_time_in_brackets_is_no_json(write) -> None:
    text = (
        "[2026-03-01 10:00:00] job 7 starts\nRunning on 96 ranks\n"
        "Total elapsed time: 0:12:31.5\n"
    )

    [error] = read_files([write(text)]).unreadable

    assert "--line 'Total elapsed time: {time}'" in str(error)
    assert "--line 'Running on {p} ranks'" in str(error)


def test_times_too_long_for_seconds_are_asked_for_their_unit(write) -> None:
    text = "ranks,elapsedTime\n1,10500000000\n2,5250000000\n4,2750000000\n"

    [error] = read_files([write(text)]).unreadable

    assert "the unit of 'elapsedTime'" in str(error)
    named = text.replace("elapsedTime", "elapsedTime (ns)")
    [series] = read_files([write(named, "named.csv")]).series
    assert series.values[0, 0] == pytest.approx(10.5)


@pytest.mark.parametrize("moment", ["[2026-03-01 10:{}:00]", "10:{}:00 n1"])
def test_times_of_day_are_no_durations(write, moment) -> None:
    lines = [f"{moment.format(10 + p)} running on {p} nodes" for p in (4, 8, 16)]

    reading = read_files([write("\n".join(lines) + "\n")])

    assert reading.unreadable
    assert not reading.series
