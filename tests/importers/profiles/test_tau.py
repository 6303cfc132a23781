import math
import shutil
import zipfile
from pathlib import Path

import pytest

from scalewatch.importers import read_files
from support.samples import sample

PROFILE = """2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>
".TAU application" 1 7 449 51781 0 GROUP="TAU_DEFAULT"
"MPI_Init()  " 1 0 17983 1.7983E+04 0 GROUP="MPI"
0 aggregates
"""


def series_of(path):
    reading = read_files([path])
    assert not reading.unreadable
    return {(one.region, one.metric): one for one in reading.series}


def test_files_of_all_processes_are_one_measurement() -> None:
    series = series_of(sample("tau/tau2/workflow_consolidation/xmain_0"))

    whole = series["program", "time"]
    assert whole.settings.tolist() == [[8]]
    assert math.isclose(whole.values[0, 0], 62.623672)  # the slowest process
    barrier = series["MPI_Barrier()", "time"].values[0, 0]
    assert math.isclose(barrier, 10.974761)
    assert whole.configuration == {"statistic": "max"}


def test_own_times_are_means_and_call_paths_are_not_counted_twice() -> None:
    path = Path(sample("tau/hatchet/tau-cpi-mpi"))
    own = [
        int(line.split('"')[2].split()[2])
        for each in path.iterdir()
        for line in each.read_text().splitlines()
        if line.startswith('"MPI_Finalize()')
    ]

    series = series_of(str(path))

    finalize = series["MPI_Finalize()", "own_time"].values[0, 0]
    assert math.isclose(finalize, sum(own) / 4 * 1e-6)
    assert not [region for region, _ in series if "=>" in region]


@pytest.mark.parametrize("name", ["profile.0.0.0", "profile.3.0.0"])
def test_named_file_is_its_run_once(name) -> None:
    path = sample("tau/hatchet/tau-cpi-mpi")

    alone = series_of(f"{path}/{name}")
    reading = read_files([f"{path}/profile.{node}.0.0" for node in range(4)])

    assert alone["program", "time"].settings.tolist() == [[4]]
    assert reading.files == 1
    assert reading.series[0].values.shape == (1, 1)


def test_archive_of_a_folder_is_one_run(tmp_path) -> None:
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in Path(sample("tau/hatchet/tau-cpi-mpi")).iterdir():
            archive.write(each, f"run/{each.name}")

    assert series_of(str(path))["program", "time"].settings.tolist() == [[4]]


def test_threads_and_counters_are_told_apart(tmp_path) -> None:
    folder = tmp_path / "MULTI__PAPI_L2_TCM"
    folder.mkdir()
    text = PROFILE.replace("TIME", "PAPI_L2_TCM")
    for thread in range(3):
        (folder / f"profile.0.0.{thread}").write_text(text)

    series = series_of(str(tmp_path))

    init = series["MPI_Init()", "PAPI_L2_TCM"]
    assert init.values.tolist() == [[17983]]
    assert init.configuration["threads"] == 3


def test_run_that_lacks_a_process_is_refused(tmp_path) -> None:
    for node in (0, 1, 3):
        source = sample(f"tau/hatchet/tau-cpi-mpi/profile.{node}.0.0")
        shutil.copy(source, tmp_path)

    [error] = read_files([str(tmp_path)]).unreadable

    assert "expected files of all processes from 0 to 3, found 3 of them" in str(error)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            PROFILE.partition('"MPI')[0],
            "line 3: expected 2 functions, found the end of",
        ),
        (
            PROFILE.replace("17983 1.79", "? 1.79"),
            "line 4: expected a function and its",
        ),
    ],
)
def test_profile_that_is_cut_or_wrong_is_refused(write, text, complaint) -> None:
    [error] = read_files([write(text, "profile.0.0.0")]).unreadable

    assert complaint in str(error)
