"""All result files beside the project: read without options, or with those shown."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.texts.patterns import path_pattern_of
from support.samples import IMPORTS, sample

NONE = SettingRules()
AT_ONE = SettingRules(at={"p": 1})
AT_TWO = SettingRules(at={"p": 2})
SCANNED = SettingRules(skips_unmatched=True, for_growth=True)
LEFT_OUT = SettingRules(skips_unmatched=True)
EXTRA_P = SettingRules(path=path_pattern_of("extra-p"))
BY_NODES = SettingRules(path=path_pattern_of("lassen_osu_{nodes}_nodes.out"))

OMB = "osu/hpc-tests/csd3/cclake-ib-gcc9-ompi3-ucx/omb"

OSU_COLUMNS = {
    "region": ["osu_exe"],
    "value": ["result"],
    "n": ["size"],
    "ignore": ["msg_size"],
}


class Told(NamedTuple):
    """What is read of a folder with which options."""

    series: int
    values: int
    rules: SettingRules = NONE
    columns: Mapping[str, list[str]] = MappingProxyType({})


READ = {
    "asv/asv-example_results": Told(472, 482, AT_ONE),
    "asv/generated-0.6.6": Told(15, 285, SCANNED),
    "bmf": Told(3, 3, AT_ONE),
    "caliper/Caliper": Told(48, 48),
    "caliper/hatchet": Told(52, 52),
    "caliper/thicket": Told(77, 385),
    "cube/extrap": Told(24, 216, EXTRA_P),
    "cube/pycubexr": Told(354, 354, EXTRA_P),
    "exacb": Told(2, 12),
    "google_benchmark/generated-1.9.5": Told(27, 117, AT_ONE),
    "google_benchmark/google-benchmark": Told(52, 56, AT_ONE),
    "gromacs": Told(57, 354),
    "hpcg": Told(6, 30),
    "hpl": Told(2, 4),
    "hyperfine/1brc": Told(2, 6, AT_ONE),
    "hyperfine/bencher": Told(3, 254, AT_ONE),
    "hyperfine/generated-1.15.0": Told(1, 25),
    "imb": Told(190, 1250),
    "jube/JUBE": Told(0, 0),
    "jube/generated-2.5.1": Told(6, 30),
    "jube/jubench-hpcg": Told(120, 840),
    "jube/jubench-osu": Told(24, 88, NONE, OSU_COLUMNS),
    "lammps/lammps-bench": Told(11, 28),
    "lammps/performance-study": Told(11, 176),
    "list": Told(6, 6, AT_ONE),
    f"{OMB}/Osu_mbw_mr__1": Told(46, 46),
    f"{OMB}/Osu_mbw_mr__2": Told(46, 46),
    f"{OMB}/Osu_mbw_mr__4": Told(46, 46),
    f"{OMB}/Osu_mbw_mr__8": Told(46, 46),
    f"{OMB}/Osu_mbw_mr__16": Told(46, 46),
    f"{OMB}/Osu_mbw_mr__32": Told(46, 46),
    f"{OMB}/Osu_mbw_mr_1_0": Told(46, 46),
    f"{OMB}/Osu_allgather": Told(21, 21, AT_TWO),
    f"{OMB}/Osu_allreduce": Told(19, 19, AT_TWO),
    f"{OMB}/Osu_alltoall": Told(21, 21, AT_TWO),
    f"{OMB}/Osu_bibw": Told(23, 23, AT_TWO),
    f"{OMB}/Osu_bw": Told(23, 23, AT_TWO),
    f"{OMB}/Osu_latency": Told(24, 24, AT_TWO),
    "osu/metrics-operator-experiments": Told(89, 10680, BY_NODES),
    "petsc": Told(29, 137),
    "pytest_benchmark/generated-5.3.1": Told(4, 108, LEFT_OUT),
    "pytest_benchmark/pytest-benchmark": Told(6, 6, AT_ONE),
    "reframe": Told(98, 206),
    "tables": Told(25, 106),
    "tau/hatchet": Told(24, 24),
    "tau/tau2": Told(54, 54),
}

REFUSED = {
    "asv/asv-example_results": {
        "aaaaaaaa-py2.7-Cython-numpy1.8.json": "line 2: expected JSON",
        "bbbbbbbb-py2.7-Cython-numpy1.8.json": "line 1: expected an object",
        "cccccccc-py2.7-Cython-numpy1.8.json": "it says machine=not-cheetah",
    },
    "google_benchmark/google-benchmark": {"test4_run.json": "it holds no measurem"},
    "jube/JUBE": {"result.dat": "line 2: expected one column of a parameter (`--"},
}
"""Files that are no results, and what is said of them."""

NO_RESULTS = {"SOURCE.md", "halo_test.py", "settings.py", "scaling.xml"}
"""Files beside results that are of no format."""


@pytest.mark.parametrize("folder", READ)
def test_all_files_of_a_folder_are_read(folder) -> None:
    told = READ[folder]

    reading = read_files([sample(folder)], AUTO, told.columns, {AUTO: told.rules})

    refused = REFUSED.get(folder, {})
    assert {Path(error.source).name for error in reading.unreadable} == set(refused)
    for error in reading.unreadable:
        assert error.reason.startswith(refused[Path(error.source).name])
    assert {Path(name).name for name in reading.passed_over} <= NO_RESULTS
    values = sum(len(each.values) for each in reading.scans.measurements())
    assert (len(reading.series), values) == (told.series, told.values)


def test_no_file_is_forgotten() -> None:
    if not IMPORTS.exists():
        pytest.skip("the result files are not beside this checkout")

    files = {
        str(path.relative_to(IMPORTS))
        for path in IMPORTS.rglob("*")
        if path.is_file() and path.name != "SOURCE.md"
    }

    assert {
        name for name in files if not any(name.startswith(one) for one in READ)
    } == set()
