"""Tables as shells, notebooks, wikis, spreadsheets and scripts write them."""

# ruff: noqa: ISC004, E501 - tables as they stand
import json

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files

TABLES = {
    "drawn with boxes": (
        "┌───────┬──────────┐\n│ Ranks │ Time (s) │\n├───────┼──────────┤\n"
        "│     2 │    41.50 │\n│     4 │    22.25 │\n└───────┴──────────┘\n",
        "p",
    ),
    "AsciiDoc": (
        '.Strong\n[cols="1,1"]\n|===\n|Ranks |Time (s)\n\n|2 |41.5\n|4 |22.25\n|===\n',
        "p",
    ),
    "AsciiDoc, a cell a line": (
        "|===\n|Ranks |Time (s)\n\n|2\n|41.5\n\n|4\n|22.25\n|===\n",
        "p",
    ),
    "MediaWiki": (
        '{| class="wikitable"\n|+ Strong\n! Nodes !! Time (s)\n|-\n| 2 || 41.5\n|-\n'
        "| 4\n| 22.25\n|}\n",
        "nodes",
    ),
    "Confluence": ("||Ranks||Time (s)||\n|2|41.5|\n|4|22.25|\n", "p"),
    "printed by pandas": ("   ranks  time_s\n0      2   41.50\n1      4   22.25\n", "p"),
    "printed by R": ("  cores elapsed\n1     2   41.50\n2     4   22.25\n", "p"),
    "units below names": ("cores,wall time\n-,s\n2,41.5\n4,22.25\n", "p"),
    "units in brackets below names": ("Nodes;t\n[-];[s]\n2;41.5\n4;22.25\n", "nodes"),
    "a title above": ("Scaling of flow on the new machine,\nNodes,t (s)\n2,41.5\n4,22.25\n", "nodes"),
    "a title without commas": ("Scaling of flow\n\nNodes,t (s)\n2,41.5\n4,22.25\n", "nodes"),
    "rows of JSON": (
        json.dumps([{"np": 2, "time": 41.5}, {"np": 4, "time": 22.25}]),
        "p",
    ),
    "a row of JSON a line": (
        '{"tasks": 2, "walltime_s": 41.5}\n{"tasks": 4, "walltime_s": 22.25}\n',
        "p",
    ),
    "columns of JSON": ('{"cores": [2, 4], "time": [41.5, 22.25]}', "p"),
    "objects in an object": (
        '{"schema": "x", "results": [{"np": 2, "t_total": 41.5}, '
        '{"np": 4, "t_total": 22.25}]}',
        "p",
    ),
    "between rules": (
        "------------------\n #procs | t (s) \n------------------\n"
        "      2 |  41.5 \n      4 | 22.25 \n------------------\n",
        "p",
    ),
    "nodes in brackets": (
        "| Cores (nodes) | Time (s) |\n|--|--|\n| 2 (1) | 41.5 |\n| 4 (2) | 22.25 |\n",
        "p",
    ),
    "devices by name": (
        "| Hardware | Time |\n|--|--|\n| 2 x A100 | 41.5 s |\n| 4 x A100 | 22.25 s |\n",
        "gpus",
    ),
    "sentences": (
        "NP=2 : real 0m41.5s\nNP=4 : real 0m22.25s\nNP=4 : real 0m22.25s\n",
        "p",
    ),
    "objects in rows": (
        '[{"at": {"ranks": 2}, "t": {"total_s": 41.5}}, '
        '{"at": {"ranks": 4}, "t": {"total_s": 22.25}}]',
        "p",
    ),
    "sentences with units at their numbers": (
        "Scaling test\n\nnp=2 walltime=41.5s\nnp=4 walltime=22.25s\nnp=4 walltime=22.25s\n",
        "p",
    ),
    "settings in the header": (
        "Timings\n\n          np=2   np=4\nmatvec   41.50  22.25\nmatvec   41.50  22.25\n",
        "p",
    ),
    "labels of several scales": (
        "| Run | Time |\n|--|--|\n| 2 MPI x 8 OMP | 41.5 s |\n| 4 MPI x 8 OMP | 22.25 s |\n",
        "p",
    ),
    "a speed-up behind settings in the header": (
        "| Test | 2 cores | 4 cores | Speedup |\n|--|--|--|--|\n| a | 41.5 | 22.25 | 1.87 |\n",
        "p",
    ),
    "labels that name the scale": (
        "| Run | Time |\n|---|---|\n| 2 nodes (96 cores) | 41.5 s |\n"
        "| 4 nodes (192 cores) | 22.25 s |\n",
        "nodes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", TABLES)
def test_table_of_any_form_is_read_whole(write, form) -> None:
    text, parameter = TABLES[form]

    [series] = read_files([write(text, "table.txt")]).series

    assert series.parameters == (parameter,)
    assert series.settings.tolist() == [[2], [4]]
    assert series.values[:, 0].tolist() == [41.5, 22.25]


def test_tables_side_by_side_have_a_scale_each(write) -> None:
    text = (
        "| Strong scaling | | Weak scaling | |\n|--|--|--|--|\n"
        "| Cores | Time | Cores | Time |\n"
        "| 64 | 90.5 | 16 | 30.25 |\n| 128 | 46.25 | 32 | 31.5 |\n| | | 64 | 33.5 |\n"
    )

    strong, weak = read_files([write(text, "t.md")]).series

    assert (strong.metric, weak.metric) == ("Strong scaling Time", "Weak scaling Time")
    assert strong.settings.tolist() == [[64], [128]]
    assert weak.settings.tolist() == [[16], [32], [64]]


@pytest.mark.parametrize(
    "text",
    [
        "np,t (s),S,E\n1,64.1,1,1\n2,33.0,1.94,0.97\n4,17.5,3.66,0.92\n",
        "np,t (s),rel\n1,64.1,100 %\n2,33.0,51.5 %\n4,17.5,27.3 %\n",
        "GPUs,Images/sec,Scaling\n1,1405,1.0x\n8,10930,7.8x\n16,21230,15.1x\n",
    ],
)
def test_what_follows_from_a_result_is_no_other_one(write, text) -> None:
    [series] = read_files([write(text, "t.csv")]).series

    assert series.metric in {"t", "Images per sec"}


def test_sizes_beside_settings_in_the_header_are_a_parameter(write) -> None:
    text = "| Size | 1 proc | 4 procs |\n|--|--|--|\n| 100 | 9 s | 3 s |\n| 200 | 72 s | 20 s |\n"

    [series] = read_files([write(text, "t.md")]).series

    assert series.parameters == ("p", "n")
    assert sorted(series.settings.tolist()) == [[1, 100], [1, 200], [4, 100], [4, 200]]


def test_size_of_which_times_fall_is_asked_about(write) -> None:
    path = write("N,t(N)\n1,120.5\n2,62.5\n4,33.25\n", "t.csv")

    [error] = read_files([path]).unreadable

    assert "--column p=N" in str(error)
    [series] = read_files([path], columns={"p": ["N"]}).series
    assert series.settings.tolist() == [[1], [2], [4]]


def test_serial_run_beside_settings_in_the_header_is_one_process(write) -> None:
    [series] = read_files([write("case,serial,p=2,p=4\na,80.5,41.5,22.25\n")]).series

    assert series.parameters == ("p",)
    assert series.settings.tolist() == [[1], [2], [4]]


def test_runs_of_a_setting_are_its_repetitions(write) -> None:
    text = "cores,run,time\n4,1,10.5\n4,2,10.25\n8,1,5.5\n8,2,5.25\n"

    [series] = read_files([write(text, "t.csv")]).series

    assert series.values.tolist() == [[10.5, 10.25], [5.5, 5.25]]


def test_failed_cell_is_of_the_series_of_the_others(write) -> None:
    text = (
        "| Nodes | Result |\n|--|--|\n| 2 | 41.5 s |\n| 4 | crashed |\n| 8 | 12.5 s |\n"
    )

    [series] = read_files([write(text, "t.md")]).series

    assert series.unit == "s"
    assert series.settings.tolist() == [[2], [4], [8]]


def test_memory_of_fractions_is_not_in_bytes(write) -> None:
    [series] = read_files([write("np,mem\n16,12.5\n32,7.25\n", "t.csv")]).series

    assert (series.metric, series.unit) == ("mem", None)


def test_signs_of_a_spread_are_no_result(write) -> None:
    [series] = read_files(
        [write("# cores  time[s]  +-\n4 81.5 0.4\n8 41.5 0.3\n")]
    ).series

    assert series.metric == "time"


def test_means_beside_repetitions_are_no_result(write) -> None:
    text = "procs,run1,run2,avg,stddev\n8,10.1,10.5,10.3,0.2\n16,5.4,5.2,5.3,0.1\n"

    [series] = read_files([write(text, "t.csv")]).series

    assert series.values.tolist() == [[10.1, 10.5], [5.4, 5.2]]


def test_releases_are_told_apart_and_hosts_are_not(write) -> None:
    text = (
        "library version,host,np,time_s\n2.1,a,16,45.5\n2.1,b,32,24.5\n"
        "2.2,a,16,43.5\n2.2,b,32,22.5\n"
    )

    first, second = read_files([write(text, "t.csv")]).series

    assert first.settings.tolist() == second.settings.tolist() == [[16], [32]]
    assert dict(first.configuration) == {"library version": 2.1}


def test_two_lines_of_names_are_groups_and_names(write) -> None:
    text = (
        "cores,CPU,CPU,GPU,GPU\ncores,time,speedup,time,speedup\n"
        "1,90.5,1,30.25,1\n2,46.25,1.96,15.5,1.95\n"
    )

    reading = read_files([write(text, "t.csv")])

    assert [each.metric for each in reading.series] == ["CPU time", "GPU time"]
    assert [each.values[0, 0] for each in reading.series] == [90.5, 30.25]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("12.5k", 12500), ("2M", 2e6), ("1.5 G", 1.5e9), ("4Ki", 4096)],
)
def test_prefix_behind_a_number_multiplies_it(write, cell, value) -> None:
    text = f"| Nodes | tokens/s |\n|--|--|\n| 1 | {cell} |\n| 2 | 7000.5 |\n"

    [series] = read_files([write(text, "t.md")]).series

    assert series.values[0, 0] == value


def test_prefix_behind_a_setting_multiplies_it(write) -> None:
    [series] = read_files([write("Cells,time\n64k,1.5\n2M,30.5\n", "t.csv")]).series

    assert series.settings.tolist() == [[64e3], [2e6]]


def test_rate_whose_unit_stands_in_its_name_is_no_time(write) -> None:
    [series] = read_files([write("gpus,img_per_sec\n1,412.5\n2,801.5\n")]).series

    assert (series.metric, series.unit) == ("img_per_sec", None)


@pytest.mark.parametrize(
    "text",
    ["p,time,x\n1,2.5\n2,1.5,3\n", "a,b,c\n1,2\n3,4,5\n6,7,8\n"],
)
def test_header_above_a_short_row_is_no_title(write, text) -> None:
    reading = read_files([write(text, "t.csv")])

    assert not reading.series
    assert "3 cells" in reading.unreadable[0].reason or "line" in str(
        reading.unreadable[0]
    )


@pytest.mark.parametrize(
    "text",
    [
        "kernel,calls,time (s)\nfft,10,5.25\nhalo,20,3.5\nio,3,0.25\n",
        'Total Time (ns),Instances,Name\n812345678,1200,"axpy"\n515000000,600,"halo"\n',
    ],
)
def test_profile_of_one_run_is_no_scan_over_its_calls(write, text) -> None:
    [error] = read_files([write(text, "t.csv")]).unreadable

    assert "--at p=8" in str(error)


@pytest.mark.parametrize("scale", ["rank", "thread"])
def test_times_of_each_process_of_one_run_are_no_scan(write, scale) -> None:
    rows = "".join(f"{at},{1.5 + at / 16}\n" for at in range(8))
    path = write(f"{scale},time\n{rows}", "t.csv")

    [error] = read_files([path]).unreadable

    assert f"--column repetition={scale}" in str(error)
    rules = {AUTO: SettingRules(at={"p": 8.0})}
    [series] = read_files([path], columns={"repetition": [scale]}, rules=rules).series
    assert series.values.shape == (1, 8)


@pytest.mark.parametrize(
    ("text", "metric", "unit", "first"),
    [
        ("Nodes;Photons/s\n1;1,25e6\n2;2,45e6\n", "Photons per s", "Photons/s", 1.25e6),
        ("cores,s/step\n64,0.825\n512,0.875\n", "s per step", "s/step", 0.825),
        ("Atoms,ns/day (CPU)\n20,55.5\n80,14.25\n", "ns per day (CPU)", "ns/day", 55.5),
        ("DoFs,solve (s)\n1e4,0.5\n1e5,6.25\n", "solve", "s", 0.5),
        ('Run,t (s)\n"1 node, 4 GPUs",9.5\n"2 nodes, 8 GPUs",5.25\n', "t", "s", 9.5),
    ],
)
def test_names_and_cells_of_many_kinds_are_understood(
    write, text, metric, unit, first
) -> None:
    [series] = read_files([write(text, "t.csv")]).series

    assert (series.metric, series.unit) == (metric, unit)
    assert series.values[0, 0] == first


def test_unit_behind_the_names_of_rows_is_that_of_the_values(write) -> None:
    text = (
        "| System | 1 GPU | 2 GPUs | 4 GPUs |\n|---|---|---|---|\n"
        "| A100 (ns/day) | 110.5 | 201.2 | 352.0 |\n"
        "| H100 (ns/day) | 181.0 | 330.5 | 580.1 |\n"
    )

    [first, second] = read_files([write(text, "t.md")]).series

    assert first.unit == second.unit == "ns/day"
    assert first.parameters == ("gpus",)
