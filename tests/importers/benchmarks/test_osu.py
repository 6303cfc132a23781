import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.importers.patterns import pattern_of
from support.samples import sample

LATENCY = """real 6.19
# OSU MPI Allreduce Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       2.50              1.00              3.00        1000
2                       2.75              1.10              3.10        1000

bye
"""
AT = {AUTO: SettingRules(at={"p": 16})}


def measured(path, rules=None):
    reading = read_files([path], rules=rules)
    assert not reading.unreadable
    return {
        (each.region, each.metric, each.configuration.get("message_bytes")): each
        for each in reading.series
    }


def test_pairs_of_processes_scale_over_the_files_of_a_folder() -> None:
    path = sample("osu/metrics-operator-experiments/lassen-run1")
    spread = {
        AUTO: SettingRules(
            path=pattern_of("lassen_osu_{nodes}_nodes.out"), skips_unmatched=True
        )
    }

    reading = read_files([path + "/lassen_osu_4_nodes.out"], rules=spread)

    rate = next(one for one in reading.series if one.metric == "message_rate")
    assert rate.settings[:, 0].tolist() == [4]
    assert rate.values[0, 0] == 7251072.93
    assert rate.values.shape == (1, 20)


TRUSTED = SettingRules(
    path=pattern_of("lassen_osu_{nodes}_nodes.out"), trusts_launcher=True
)


def test_launcher_says_the_processes_where_it_is_trusted() -> None:
    path = sample("osu/metrics-operator-experiments/lassen-run1")

    reading = read_files([path], rules={AUTO: TRUSTED})

    assert not reading.unreadable
    series = {
        (one.region, one.configuration.get("message_bytes")): one
        for one in reading.series
        if one.metric == "time"
    }
    # Latency runs on two processes, whatever the files are called.
    assert set(series["MPI_Latency", 8].settings.ravel().tolist()) == {2} or (
        series["MPI_Latency", 8].configuration["p"] == 2
    )
    assert series["MPI_Allreduce", 8].settings[:, 0].tolist() == [4, 8, 16, 32, 64, 128]


@pytest.mark.parametrize(
    "command",
    ["mpirun -np 16 ./osu", "time srun -N 2 -n 16 ./osu", "jsrun -n 8 -a 2 -c 1 ./osu"],
)
def test_launcher_that_is_not_trusted_is_told(write, command) -> None:
    path = write(f"{command}\n{LATENCY}")

    [error] = read_files([path]).unreadable
    trusted = read_files([path], rules={AUTO: SettingRules(trusts_launcher=True)})

    assert "a launcher before it started 16 processes" in str(error)
    assert trusted.series[0].settings.tolist() == [[16]]


def test_only_the_average_is_a_time_in_seconds(write) -> None:
    series = measured(write(LATENCY), AT)

    assert set(series) == {
        ("MPI_Allreduce", "time", 1),
        ("MPI_Allreduce", "time", 2),
    }
    one = series["MPI_Allreduce", "time", 1]
    assert one.configuration["datatype"] == "MPI_CHAR"
    assert math.isclose(one.values[0, 0], 2.5e-6)


@pytest.mark.parametrize(
    ("title", "header", "region", "metric"),
    [
        ("MPI Bi-Directional Bandwidth Test v5.6", "Size      Bandwidth (MB/s)",
         "MPI_Bi-Directional_Bandwidth", "bandwidth"),
        ("MPI Latency Test v3.1", "Size      Latency (us)", "MPI_Latency", "time"),
        ("One Sided MPI_Put Latency Test v3.3", "Size   Latency (us)",
         "MPI_One_Sided_MPI_Put", "time"),
    ],
)  # fmt: skip
def test_titles_of_old_and_new_versions(write, title, header, region, metric) -> None:
    [found] = measured(write(f"# OSU {title}\n# {header}\n8   1.5\n"), AT)

    assert found == (region, metric, 8)


def test_row_that_is_cut_off_is_named_with_its_line(write) -> None:
    path = write(LATENCY.partition("1.10")[0])

    [error] = read_files([path], rules=AT).unreadable

    assert str(error) == (
        f"cannot read {path}: line 6: expected 5 cells, one per column, found 2"
    )


def test_table_without_processes_leaves_those_that_have_them(write) -> None:
    pairs = (
        "# OSU MPI Multiple Bandwidth Test v5.6\n# [ pairs: 8 ]\n# Size  MB/s\n1  2.5\n"
    )
    path = write(LATENCY + pairs)

    reading = read_files([path])

    assert [each.settings.tolist() for each in reading.series] == [[[16]]]
    [error] = reading.unreadable
    assert "at which p MPI_Allreduce was measured" in str(error)


def test_number_cut_in_its_digits_at_the_end_is_refused(write) -> None:
    path = write(LATENCY.partition("00\n\nbye")[0])

    [error] = read_files([path], rules=AT).unreadable

    assert "line 6: expected the end of the line, found the end of the file" in str(
        error
    )
