import re
import time

import pytest

from scalewatch.importers import read_files
from support.samples import sample

TABLE = """# EOS: /home/me/eos
#
# nodes  rocm      mag_grid_size   avg time /   std dev
#                          step
  48      5.3          128           54.8589       0.122771
  64      5.3          128           40.3903       0.178134

# nodes  rocm      mag_grid_size   avg time /   std dev
#                          step
#  48      5.2          128           54.5372       0.308927
"""
CASTRO = "tables/Castro/flame_wave/scaling"


def test_brackets_without_end_take_no_time(write) -> None:
    rows = "".join(f"{nodes} 1.5\n" for nodes in range(1, 60))
    path = write(f"# nodes  {'[' * 5000}\n{rows}")

    started = time.perf_counter()
    reading = read_files([path])

    assert time.perf_counter() - started < 5
    assert reading.series


def test_header_of_two_lines_and_rows_that_are_commented_out(write) -> None:
    [series] = read_files([write(TABLE)]).series

    assert (series.metric, series.parameters) == ("time", ("nodes",))
    assert series.configuration == {
        "eos": "eos",
        "rocm": 5.3,
        "mag_grid_size": 128,
    }
    assert series.values.tolist() == [[54.8589], [40.3903]]


def test_every_maximum_of_a_wide_table_is_a_metric() -> None:
    reading = read_files([sample(f"{CASTRO}/summit/scaling_20200613.txt")])

    metrics = {
        one.metric: one.values[0, 0]
        for one in reading.series
        if one.configuration["mag_grid_size"] == 64
    }
    assert metrics == {
        "time": 43.1175,
        "coarseTimeStep max": 1052,
        "react_state max": 652,
        "ParallelCopy max": 125.5,
        "getTempDiffusionTerm max": 100.3,
        "construct_ctu_hydro_source max": 105.9,
    }


def test_all_tables_of_frontier_are_read() -> None:
    reading = read_files([sample(f"{CASTRO}/frontier")])

    assert not reading.unreadable
    assert {one.metric for one in reading.series} == {"time"}
    assert len(reading.series) == 6


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (TABLE[: TABLE.index(".178134")], "line 6: expected the end of the line"),
        (
            TABLE[: TABLE.index("40.39")] + "\n",
            "line 6: expected 5 cells, one per word",
        ),
        (TABLE.replace("40.3903", "much"), "line 6: expected a number, found 'much'"),
    ],
)
def test_row_that_is_cut_or_no_number_is_named(write, text, complaint) -> None:
    [error] = read_files([write(text)]).unreadable

    assert complaint in str(error)


SIZES = """average time is the average of 20 timesteps

Run on summit with the following git hashes:
Castro: 8ea11a4a426755758859df3622aa97e09f57e5dd

Problem size: 768x768x192
# GPUs      avg_time        std
192         1.00213         0.00407613
288         0.70115         0.0160158

Problem size: 384x384x96
# GPUs      avg_time        std
 12         1.18373         0.00389164

Notice that the lowest 12 GPUs are very slow.
"""


def test_prose_before_headers_names_the_tables_below_it(write) -> None:
    large, small = read_files([write(SIZES)]).series

    assert (large.metric, large.parameters) == ("time", ("gpus",))
    assert large.configuration == {"problem_size": "768x768x192"}
    assert small.configuration == {"problem_size": "384x384x96"}
    assert large.settings.tolist() == [[192], [288]]
    assert small.values.tolist() == [[1.18373]]


def test_only_the_setting_of_a_row_that_is_commented_out_is_no_header(write) -> None:
    text = "# nodes       avg      std-dev\n\n#    256\n    512     70.26 0.27\n"

    [series] = read_files([write(text)]).series

    assert (series.metric, series.parameters) == ("time", ("nodes",))


PROCESSES = """# run for 10 steps
# MPI  OMP  cores  nodes  nzones  max_level  avg-time-per-step   stddev
  256   1    256     16    512       0            27.3            0.03
  512   1    512     32    512       0            13.7            0.04
  512   2   1024     64    512       0             7.0            0.01

# one level, blocking factor 8
# MPI  OMP  cores  nodes  nzones  max_level  avg-time-per-step   stddev
 2048   1   2048    128   1024       1            78.0            7.1
# 4096  1   4096    256   1024       1            51.4           13.5
 2048   2   4096    256   1024       1            41.9            3.8
"""


def test_processes_and_threads_are_parameters_and_cores_follow(write) -> None:
    first, second = read_files([write(PROCESSES)]).series

    assert first.metric == second.metric == "time"
    assert first.parameters == ("p", "threads", "nodes")
    assert first.configuration == {
        "nzones": 512,
        "max_level": 0,
        "table": "run for 10 steps",
    }
    assert second.configuration["table"] == "one level, blocking factor 8"
    assert second.values.tolist() == [[78.0], [41.9]]


@pytest.mark.parametrize(
    ("text", "parameter", "values"),
    [
        ("# p time\n2 1.5\n4 0.75\n", "p", [[1.5], [0.75]]),
        ("#np,time_us\n2,1.5\n4,0.5\n", "p", [[1.5e-6], [5e-7]]),
        ("# ranks; time [ms]\n2; 1,5\n4; 0,5\n", "p", [[1.5e-3], [5e-4]]),
        ("# nodes\ttime\n2\t1.5\n4\t0.75\n", "nodes", [[1.5], [0.75]]),
        ("# cores  time\r\n2  1.5\r\n4  0.75\r\n", "p", [[1.5], [0.75]]),
        ("\ufeff# p time\n2 1.5\n4 0.75\n", "p", [[1.5], [0.75]]),
    ],
)
def test_header_and_cells_are_separated_alike(write, text, parameter, values) -> None:
    [series] = read_files([write(text)]).series

    assert (series.metric, series.parameters) == ("time", (parameter,))
    assert series.values.ravel() == pytest.approx([one for [one] in values])


def test_columns_of_a_commented_table_can_be_told(write) -> None:
    columns = {"value": ["avg-time-per-step"], "nodes": ["nodes"], "ignore": ["OMP"]}

    reading = read_files([write(PROCESSES)], columns=columns)

    assert {one.parameters for one in reading.series} == {("nodes",)}


@pytest.mark.parametrize("text", ["# my notes\n1 2\n3 4\n", "4,1.5\n8,2.5\n"])
def test_numbers_whose_columns_nothing_names_are_no_table(write, text) -> None:
    reading = read_files([write(text)])

    assert not reading.series
    assert re.search(
        "is of no known format|without a header", str(reading.unreadable[0])
    )


def test_words_before_cores_are_cases(write) -> None:
    text = "# case  cores  avg time\na  4  1.5\na  8  1.25\nb  4  3.5\nb  8  3.25\n"

    series = read_files([write(text)], "commented-table").series

    assert [(each.parameters, each.configuration["case"]) for each in series] == [
        (("p",), "a"),
        (("p",), "b"),
    ]


def test_builds_that_tables_state_keep_their_files_apart() -> None:
    reading = read_files([sample(f"{CASTRO}/frontier")])

    built = {
        (one.configuration.get("network"), one.configuration.get("integrator"))
        for one in reading.series
    }

    assert len(built) == len(reading.series) == 6
    assert ("ase", "RKC") in built
