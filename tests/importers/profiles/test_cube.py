import io
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from scalewatch.errors.operations import pip_install
from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.texts.patterns import pattern_of
from support.samples import sample

SINGLE = "cube/extrap/single_parameter"
KRIPKE = "cube/pycubexr/kripke.p8.d2.g32.r1/profile.cubex"
BY_PATH = {
    AUTO: SettingRules(path=pattern_of("{region}.x{x}y{*}.r{rep}/profile.cubex"))
}


def test_set_of_profiles_is_a_scan_of_what_its_folders_are_called() -> None:
    reading = read_files([sample(SINGLE)], rules=BY_PATH)

    assert not reading.unreadable
    series = {(one.region, one.metric): one for one in reading.series}
    time = series["main->mat_mul", "time"]
    assert time.parameters == ("x",)
    assert time.settings[:, 0].tolist() == [1, 10, 25, 50, 100, 250, 500, 1000, 2000]
    assert time.unit == "s"
    assert series["main->mat_mul", "visits"].values[:, 0].tolist() == [1] * 9
    operations = series["main->mat_mul", "PAPI_FP_OPS"].values[:, 0]
    assert (np.diff(operations) > 0).all()


def test_processes_are_counted_and_the_largest_value_of_them_is_taken() -> None:
    series = {
        (one.region, one.metric): one for one in read_files([sample(KRIPKE)]).series
    }

    solve = series["PARALLEL->Solve->LTimes", "time"]
    assert (solve.parameters, solve.settings.tolist()) == (("p",), [[8]])
    own = series["LTimes", "own_time"]
    assert 0 < own.values[0, 0] <= solve.values[0, 0]
    assert not any(metric == "min_time" for _, metric in series)


def test_values_are_those_that_the_parser_gives() -> None:
    pycubexr = pytest.importorskip("pycubexr")
    path = sample("cube/pycubexr/time.p4.n2000.x1.r0/profile.cubex")
    with pycubexr.CubexParser(path) as profile:
        metric = profile.get_metric_by_name("time")
        values = profile.get_metric_values(metric)
        root = profile.get_root_cnodes()[0]
        expected = values.cnode_values(root, convert_to_exclusive=True).max()

    series = read_files([path]).series

    time = next(
        one for one in series if (one.region, one.metric) == ("bg_time", "time")
    )
    assert time.values[0, 0] == expected


def test_profile_inside_an_archive_and_from_standard_input(
    tmp_path, monkeypatch
) -> None:
    packed = tmp_path / "set.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(sample(SINGLE), "set")
    stream = io.TextIOWrapper(io.BytesIO(Path(sample(KRIPKE)).read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)

    from_archive = read_files([str(packed)], rules=BY_PATH)
    from_stream = read_files(["-"])

    assert len(from_archive.series) == len(read_files([sample(SINGLE)]).series)
    assert len(from_stream.series) == len(read_files([sample(KRIPKE)]).series)


def test_missing_package_is_said_once_with_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pycubexr", None)

    [error] = read_files([sample(SINGLE)]).unreadable

    assert "read by pycubexr, which is not installed" in str(error)
    assert pip_install("cube") in str(error)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_cut_profile_is_refused(write, share) -> None:
    content = Path(sample(KRIPKE)).read_bytes()

    reading = read_files([write(content[: int(len(content) * share)], "a.cubex")])

    assert reading.unreadable
    assert not reading.series


def test_values_of_processes_become_their_sum_or_mean_where_it_is_asked_for() -> None:
    told = {}
    for across in ("max", "sum", "mean"):
        rules = {AUTO: SettingRules(across=across)}
        for one in read_files([sample(KRIPKE)], rules=rules).series:
            if one.region == "PARALLEL->Solve->LTimes" and one.metric == "time":
                told[across] = one

    value = {across: one.values[0, 0] for across, one in told.items()}
    assert value["mean"] == pytest.approx(value["sum"] / told["sum"].settings[0, 0])
    assert value["mean"] < value["max"] < value["sum"]
    assert told["sum"].configuration["statistic"] == "sum"
