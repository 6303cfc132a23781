import math

import numpy as np
import pytest

from scalewatch.importers import read_files
from support.samples import sample

TABLE = """#----
# Benchmarking Allreduce
# #processes = 4
#----
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.04         0.05         0.04
            8         1000        10.88        12.50        11.77
"""


def measured(path):
    reading = read_files([path])
    assert not reading.unreadable
    return {
        (one.region, one.metric, one.configuration.get("message_bytes")): one
        for one in reading.series
    }


def test_slowest_process_counts_at_each_number_of_processes() -> None:
    series = measured(sample("imb/generated-2021.11/collectives.out"))

    allreduce = series["Allreduce", "time", 1024]
    assert allreduce.settings[:, 0].tolist() == [2, 4]
    assert [round(one * 1e6, 9) for one in allreduce.values[:, 0]] == [9.26, 21.94]
    assert series["Sendrecv", "bandwidth", 1024].values[:, 0].tolist() == [
        233.56,
        205.26,
    ]
    barrier = series["Barrier", "time", None].values[:, 0]
    assert [round(one * 1e6, 9) for one in barrier] == [4.29, 9.57]


def test_folder_of_files_is_one_scan() -> None:
    path = "imb/hpc-tests/alaska/ib-gcc9-impi-verbs/imb"

    series = measured(sample(path))

    rate = series["Uniband", "message_rate", 1]
    assert rate.settings[:, 0].tolist() == [2, 4, 8, 16, 32, 64]
    assert rate.unit == "Msg/sec"


def test_chatter_of_processes_in_brackets_is_no_json() -> None:
    path = "imb/hpc-tests/csd3/cclake-ib-icc19-impi19-ucx/imb/IMB_PingPong"

    series = measured(sample(f"{path}/rfm_IMB_PingPong_job.out"))

    assert math.isclose(series["PingPong", "time", 4194304].values[0, 0], 347.52e-6)
    assert series["PingPong", "bandwidth", 4194304].values.tolist() == [[12069.36]]
    assert ("PingPong", "bandwidth", 0) in series


def test_outputs_in_the_fences_of_a_document_are_read() -> None:
    series = measured(sample("imb/azurehpc/testing-with-imbmpi1.md"))

    assert series["Allreduce", "time", 8].settings.tolist() == [[1408]]


def test_groups_and_modes_keep_tables_apart(write) -> None:
    groups = "# ( 2 groups of 2 processes each running simultaneous ) "
    multi = TABLE.replace("# #processes = 4", groups).replace("All", "Multi-All")
    mode = TABLE.replace("#----\n   ", "#    MODE: AGGREGATE \n   ")

    reading = read_files([write(multi + "\n" + mode)])

    configurations = [one.configuration for one in reading.series]
    assert configurations[0] == {"groups": 2, "message_bytes": 0}
    assert configurations[-1] == {"mode": "AGGREGATE", "message_bytes": 8}
    assert [one.settings.tolist() for one in reading.series] == [[[2]]] * 2 + [
        [[4]]
    ] * 2


@pytest.mark.parametrize(
    "failure",
    ["16  out-of-mem.; needed X= 8.012 GB", "16  1000  time-out.; Time limit is over"],
)
def test_row_that_ran_out_of_memory_or_time_has_no_value(write, failure) -> None:
    series = measured(write(TABLE + f"   {failure}\n"))

    assert math.isnan(series["Allreduce", "time", 16].values[0, 0])
    assert len(series) == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (TABLE[:-2], "line 7: expected the end of the line, found the end of"),
        (TABLE[:-7], "line 7: expected 5 cells, one per column, found 4"),
        (TABLE.replace("# #processes = 4\n", ""), "line 5: expected a line '# #proc"),
        (TABLE.replace("12.50", "12:50"), "line 7: expected a number, found '12:50'"),
    ],
)
def test_table_that_is_cut_or_wrong_names_its_line(write, text, complaint) -> None:
    [error] = read_files([write(text)], "imb").unreadable

    assert complaint in str(error)


def test_threads_are_settings_and_wrong_results_have_no_value(write) -> None:
    path = write(
        "# Benchmarking PingPongMT\n# #processes = 2 (threads: 4)\n"
        "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] defects\n"
        "  0  1000  1.1  1.25  1.15  0.00\n  4  1000  1.1  1.25  1.15  2.00\n"
    )

    sound, wrong = read_files([path]).series

    assert sound.configuration == {"message_bytes": 0, "threads": 4}
    assert sound.values.tolist() == [[pytest.approx(1.25e-6)]]
    assert np.isnan(wrong.values).all()
