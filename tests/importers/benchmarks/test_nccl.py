import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files

HEAD = """# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor) iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid  10101 on   gpu-a device  0 [0x07] NVIDIA A100
#  Rank  1 Group  0 Pid  10102 on   gpu-a device  1 [0x0b] NVIDIA A100
#  Rank  2 Group  0 Pid  20101 on   gpu-b device  0 [0x07] NVIDIA A100
#  Rank  3 Group  0 Pid  20102 on   gpu-b device  1 [0x0b] NVIDIA A100
#
#                                  out-of-place                   in-place
#   size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#    (B)  (elements)               (us) (GB/s) (GB/s)         (us) (GB/s) (GB/s)
"""
ROWS = """   1024    256  float    sum    -1 20.5 0.05 0.08 0 20.0 0.05 0.08 0
gpu-a:10101:10140 [0] NCCL INFO comm 0x55 rank 0 nranks 4
   2048    512  float    sum    -1 22.0 0.09 0.14 {wrong} 21.0 0.10 0.15 N/A
"""
END = "# Out of bounds values : {end}\n# Avg bus bandwidth    : 0.1125\n"
NAMED = "# Collective test starting: all_reduce_perf\n" + HEAD + ROWS + END
ALL = "+ mpirun -np 4 ./build/all_reduce_perf -b 1024 -e 4096\n" + HEAD + ROWS + END


def measured(path):
    reading = read_files([path])
    assert not reading.unreadable, reading.unreadable
    return reading, {
        (
            each.metric,
            each.configuration["message_bytes"],
            each.configuration["placement"],
        ): each
        for each in reading.series
    }


@pytest.mark.parametrize("text", [ALL, NAMED])
def test_rows_have_times_and_bandwidths_of_both_placements(write, text) -> None:
    reading, series = measured(write(text.format(wrong=0, end="0 OK")))

    assert len(series) == 12
    time = series["time", 1024, "in place"]
    assert time.region == "all_reduce_perf"
    assert time.parameters == ("p",)
    assert time.settings.tolist() == [[4]]
    assert math.isclose(time.values[0, 0], 20e-6)
    assert time.configuration["redop"] == "sum"
    assert "root" not in time.configuration
    assert {each.name: each.levels for each in time.together} == {"nodes": (2.0,)}
    assert series["busbw", 2048, "out of place"].unit == "GB/s"
    assert any("N/A" in note for note in reading.left_out)


def test_wrong_values_are_those_of_a_failed_run(write) -> None:
    _, series = measured(write(ALL.format(wrong=3, end="3 FAILED")))

    assert math.isnan(series["busbw", 2048, "out of place"].values[0, 0])
    assert series["busbw", 2048, "in place"].values[0, 0] == 0.15
    assert series["busbw", 1024, "out of place"].values[0, 0] == 0.08


def test_run_that_ends_as_failed_has_no_results_where_no_row_says_which(write) -> None:
    _, series = measured(write(ALL.format(wrong=0, end="1 FAILED")))

    assert all(math.isnan(each.values[0, 0]) for each in series.values())


def test_row_that_lacks_cells_is_refused_with_its_line(write) -> None:
    path = write(HEAD + "   1024    256  float    sum    -1 20.50   0.05\n")

    [error] = read_files([path]).unreadable

    assert "line 12: expected 13 cells" in str(error)


@pytest.mark.parametrize("number", [1, 2])
def test_ranks_that_are_not_listed_are_asked_for(write, number) -> None:
    head = "".join(line + "\n" for line in HEAD.splitlines() if " Rank " not in line)
    path = write((head + ROWS.format(wrong=0)) * number)

    [error] = read_files([path]).unreadable
    stated = read_files([path], rules={AUTO: SettingRules(at={"p": 8})})

    assert "--at" in str(error)
    assert {*map(tuple, stated.series[0].settings.tolist())} == {(8,)}


def test_runs_of_a_log_stand_by_themselves(write) -> None:
    second = HEAD.replace("#  Rank  2", "# no").replace("#  Rank  3", "# no")
    rows = ROWS.format(wrong=0)

    _, series = measured(write(HEAD + rows + second + rows))

    assert series["time", 1024, "in place"].settings[:, 0].tolist() == [2, 4]
