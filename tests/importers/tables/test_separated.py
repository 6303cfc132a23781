import numpy as np
import pytest

from scalewatch.errors import MalformedFile
from scalewatch.importers import read_files


def only_series(path: str, **columns: list[str]):
    reading = read_files([path], columns=columns)
    assert not reading.unreadable, reading.unreadable
    [series] = reading.series
    return series


def refusal(path: str, **columns: list[str]) -> MalformedFile:
    [error] = read_files([path], columns=columns).unreadable
    assert isinstance(error, MalformedFile)
    return error


@pytest.mark.parametrize(
    "text",
    [
        (
            "region,metric,p,repetition,value\n"
            "solve,time,4,1,1.0\nsolve,time,8,1,2.0\nsolve,time,4,2,1.5\nsolve,time,8,2,2.5\n"
        ),
        "Function;Ranks;Time\nsolve;4;1,0\nsolve;4;1,5\nsolve;8;2,0\nsolve;8;2,5\n",
        "kernel\tnprocs\truntime\nsolve\t4\t1\nsolve\t4\t1.5\nsolve\t8\t2\nsolve\t8\t2.5\n",
        (
            "# by hand\nroutine  np   time\nsolve    4  1.0\nsolve    4  1.5\n"
            "solve    8  2.0\nsolve    8  2.5\n"
        ),
        (
            '"callpath", "p", "elapsed"\r\n"solve", 4, 1.0\r\n"solve", 4, 1.5\r\n'
            '"solve", 8, 2.0\r\n"solve", 8, 2.5\r\n'
        ),
    ],
    ids=["long", "semicolons and decimal commas", "tabs", "blanks", "quoted"],
)
def test_usual_tables_explain_themselves(write, text) -> None:
    series = only_series(write(text))

    assert (series.region, series.metric) == ("solve", "time")
    assert series.parameters == ("p",)
    assert series.settings.tolist() == [[4], [8]]
    assert series.values.tolist() == [[1.0, 1.5], [2.0, 2.5]]


def test_columns_can_be_told(write) -> None:
    path = write("what,cores,walltime_of_rank_0\nsolve,4,1\nsolve,8,2\n")

    series = only_series(
        path, region=["what"], p=["cores"], value=["walltime_of_rank_0"]
    )

    assert (series.region, series.metric) == ("solve", "walltime_of_rank_0")
    assert series.parameters == ("p",)
    assert series.values.tolist() == [[1], [2]]


def test_once_a_parameter_is_told_no_other_column_is_taken_for_one(write) -> None:
    path = write("p,n,time\n4,10,1\n8,10,2\n4,20,3\n8,20,4\n")

    series = read_files([path], columns={"p": ["p"]}).series

    assert [one.configuration for one in series] == [{"n": 10}, {"n": 20}]


def test_each_column_of_a_known_metric_is_a_series(write) -> None:
    path = write("p,time [us],memory_MiB\n4,1,2\n8,3,4\n")

    time, memory = read_files([path]).series

    assert (time.metric, time.unit, memory.metric, memory.unit) == (
        "time",
        "s",
        "memory",
        "B",
    )
    np.testing.assert_allclose(time.values, [[1e-6], [3e-6]])
    assert memory.values.tolist() == [[2 * 2**20], [4 * 2**20]]


def test_unit_column_tells_the_unit_of_each_row(write) -> None:
    path = write("p,metric,unit,value\n4,time,ms,1\n8,time,s,0.002\n")

    series = only_series(path)

    assert series.unit == "s"
    assert series.values.tolist() == [[0.001], [0.002]]


def test_unknown_column_that_repeats_itself_is_configuration(write) -> None:
    path = write(
        "compiler,p,time\ngcc,4,1\ngcc,8,2\nclang,4,3\nclang,8,4\n",
    )

    series = read_files([path]).series

    assert [one.configuration for one in series] == [
        {"compiler": "gcc"},
        {"compiler": "clang"},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "started,p,time\n09:00,4,1\n09:10,8,2\n",
        "p,time,deviation\n4,1,0.5\n4,2,0.25\n8,2,0.5\n8,2.5,0.5\n",
    ],
    ids=["time stamps", "deviations"],
)
def test_column_that_no_scan_can_hold_fixed_is_left_out(write, text) -> None:
    series = only_series(write(text))

    assert series.configuration == {}
    assert len(series.settings) == 2


def test_told_configuration_is_kept_whatever_it_holds(write) -> None:
    path = write("load,p,time\n0.5,4,1\n0.5,8,2\n")

    series = only_series(path, configuration=["load"])

    assert series.configuration == {"load": 0.5}


def test_ignored_column_does_not_matter(write) -> None:
    path = write("host,p,time\na,4,1\nb,8,2\na,16,3\n")

    series = only_series(path, ignore=["host"])

    assert len(series.settings) == 3


def test_only_column_of_counts_is_the_parameter(write) -> None:
    path = write("widgets,flow\n100,1.5\n200,2.5\n")

    series = only_series(path)

    assert (series.parameters, series.metric) == (("widgets",), "flow")


def test_empty_cell_is_a_missing_value(write) -> None:
    path = write("p,time\n4,1\n8,\n16,NA\n32,4\n")

    series = only_series(path)

    np.testing.assert_array_equal(series.values, [[1], [np.nan], [np.nan], [4]])


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("p,time\n", 1, "a row of values"),
        ("p,time\n4,1\n8\n", 3, "2 cells, one per column"),
        ("p,time\n4,1\n8,2,3\n", 3, "2 cells, one per column"),
        ("p,time\n4,1\n8,fast\n", 3, "a number"),
        ("p,time\n4,1\n8,inf\n", 3, "a finite number"),
        ("p,time\nall,1\n", 2, "a number"),
        ("p,time\n,1\n", 2, "the setting of a parameter"),
        ("a,b\n1.5,2.5\n", 1, "one column of a parameter (`--at p=8` says one)"),
        ("p,a,b\n4,x,y\n", 1, "one column of values"),
        (f"p,time\n4,{'1' * 200_000}\n", 2, "a row of cells"),
    ],
)
def test_broken_row_is_named_with_what_was_expected(
    write, text, line, expected
) -> None:
    error = refusal(write(text))

    assert (error.place, error.expected) == (f"line {line}", expected)


def test_told_column_that_is_not_there_is_named(write) -> None:
    error = refusal(write("p,time\n4,1\n"), p=["ranks"])

    assert "expected a column 'ranks', found columns 'p', 'time'" in str(error)


def test_tasks_beyond_any_machine_make_no_processes(write) -> None:
    path = write(f"nodes,taskspernode,time\n2,{'9' * 400},1.5\n")

    [series] = read_files([path]).series

    assert (series.parameters, series.settings.tolist()) == (("nodes",), [[2]])


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("p,time,status", "8,0.1,FAIL"),
        ("p,time,State", "8,0.1,OUT_OF_MEMORY"),
        ("p,time,ExitCode", "8,0.1,0:9"),
        ("p,time,returncode", "8,0.1,-11"),
        ("p,time,passed", "8,0.1,no"),
        ("p,time,error", "8,0.1,rank 3 died"),
        ("p,time,status", "8,0.1,"),
        ("p,time", "8,OOM"),
        ("p,time", "8,killed"),
    ],
)
def test_run_that_failed_has_no_value(tmp_path, columns, row):
    good = "4,1.5,0" if columns.count(",") == 2 and "passed" not in columns else "4,1.5"
    good = "4,1.5,yes" if "passed" in columns else good
    table = tmp_path / "jobs.csv"
    table.write_text(f"{columns}\n{good}\n{row}\n")

    [series] = read_files([str(table)]).series

    assert series.settings.ravel().tolist() == [4, 8]
    assert np.isnan(series.values[1]).all()
    assert not np.isnan(series.values[0]).any()


def test_word_that_tells_no_outcome_is_refused_by_name(tmp_path):
    table = tmp_path / "jobs.csv"
    table.write_text("p,time,status\n4,1.5,ok\n8,0.1,flaky\n")

    [refusal] = read_files([str(table)]).unreadable

    assert (refusal.place, refusal.actual) == ("line 3", "'status flaky'")
