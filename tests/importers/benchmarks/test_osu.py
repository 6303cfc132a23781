import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.texts.patterns import pattern_of
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


@pytest.mark.parametrize(
    ("title", "region", "configuration"),
    [
        ("OSU MPI-CUDA Bandwidth Test v6.1", "MPI_Bandwidth", {"device": "CUDA"}),
        (
            "OSU NCCL-CUDA Allreduce Latency Test v7.0",
            "NCCL_Allreduce",
            {"device": "CUDA"},
        ),
        ("OSU OpenSHMEM Put Test v5.9", "OpenSHMEM_Put", {}),
        ("OSU MPI_Get_accumulate latency Test v5.6.3", "MPI_Get_accumulate", {}),
        ("OMB-Py MPI Allreduce Latency Test", "MPI_Allreduce", {}),
    ],
)
def test_library_and_device_stand_in_the_title(
    write, title, region, configuration
) -> None:
    path = write(f"# {title}\n# Size (B)     Latency (us)\n8     2.5\n")

    [series] = read_files([path], rules=AT).series

    told = {"message_bytes": 8, "p": 16, **configuration}
    assert (series.region, series.configuration | {"p": 16}) == (region, told)


def test_windows_and_buffers_keep_tables_of_one_title_apart(write) -> None:
    table = (
        "# OSU MPI_Put Latency Test v7.3\n# Window creation: {}\n"
        "# Synchronization: MPI_Win_flush\n"
        "# Rank 0 Memory on {} and Rank 1 Memory on HOST (H)\n"
        "# Size          Latency (us)\n1                       2.93\n\n"
    )
    path = write(
        table.format("MPI_Win_create", "HOST (H)")
        + table.format("MPI_Win_allocate", "HOST (H)")
        + table.format("MPI_Win_allocate", "DEVICE (D)")
    )

    told = [one.configuration for one in read_files([path], rules=AT).series]

    assert [one["window_creation"] for one in told] == [
        "MPI_Win_create",
        "MPI_Win_allocate",
        "MPI_Win_allocate",
    ]
    assert [one.get("buffers") for one in told] == [None, None, "D H"]


def test_row_that_fails_its_validation_has_no_value(write) -> None:
    path = write(
        "# OSU MPI Latency Test v7.3\n# Size   Avg Latency(us)   Validation\n"
        "1    1.5    Pass\n2    1.75    Fail\n"
    )

    sound, failed = read_files([path], rules=AT).series

    assert sound.values.tolist() == [[pytest.approx(1.5e-6)]]
    assert math.isnan(failed.values[0, 0])


def test_initialisation_says_its_processes(write) -> None:
    path = write(
        "# OSU MPI Init Test v5.9\nnprocs: 8, min: 313 ms, max: 320 ms, avg: 316 ms\n"
    )

    [series] = read_files([path]).series

    assert (series.region, series.settings.tolist()) == ("MPI_Init", [[8]])
    assert series.values.tolist() == [[pytest.approx(0.316)]]
