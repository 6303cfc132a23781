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
    assert series.configuration == {"rocm": 5.3, "mag_grid_size": 128}
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
