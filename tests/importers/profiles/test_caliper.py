import math
import sys
from pathlib import Path

import pytest

from scalewatch.errors.operations import pip_install
from scalewatch.importers import read_files
from support.samples import sample

THICKET = "caliper/thicket/mpi_scaling_cali"


def test_five_files_are_one_scan_of_every_region() -> None:
    reading = read_files([sample(THICKET)])

    assert not reading.unreadable
    series = {(one.region, one.metric): one for one in reading.series}
    main = series["main", "time"]
    assert main.parameters == ("p",)
    assert main.settings[:, 0].tolist() == [27, 64, 125, 216, 343]
    assert main.values[0, 0] == 47.248547  # max over processes, not avg or sum
    assert series["MPI_Bcast", "time"].values[4, 0] == 0.009501
    assert main.configuration["statistic"] == "max"
    assert main.configuration["n"] == 30
    assert main.configuration["compiler"] == "intel"
    path = "main->lulesh.cycle->LagrangeLeapFrog->LagrangeNodal->MPI_Isend"
    assert (path, "time") in series


def test_own_times_of_all_regions_are_the_whole() -> None:
    reading = read_files([sample(f"{THICKET}/27_cores.cali")])

    own = [one for one in reading.series if one.metric == "own_time"]
    roots = [
        one for one in reading.series if one.metric == "time" and "->" not in one.region
    ]
    assert {one.configuration["statistic"] for one in own} == {"mean"}
    total = sum(one.values[0, 0] for one in own)
    # The mean of a process is at most the time of the slowest.
    assert 0.98 * total <= sum(one.values[0, 0] for one in roots)
    assert math.isclose(total, 47.238297, rel_tol=0.01)


def test_launch_and_cluster_are_the_provenance() -> None:
    reading = read_files([sample(f"{THICKET}/27_cores.cali")])

    provenance = next(reading.scans.measurements()).provenance
    assert provenance.machine == "opal"
    assert provenance.started_at == "2021-03-24T19:32:59+00:00"
    assert provenance.commit is None


@pytest.mark.parametrize(
    "path",
    [
        "caliper/Caliper/example-profile.cali",
        "caliper/hatchet/caliper-ordered-cali-mpi",
    ],
)
def test_files_of_other_versions_are_read(path) -> None:
    reading = read_files([sample(path)])

    assert not reading.unreadable
    assert "main->lulesh.cycle" in {one.region for one in reading.series}


def test_missing_package_is_said_once_with_how_to_get_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "caliperreader", None)

    reading = read_files([sample(THICKET)])

    [error] = reading.unreadable
    assert "read by caliper-reader, which is not installed" in str(error)
    assert pip_install("caliper") in str(error)


def test_old_files_say_the_built_in_nodes_again(write) -> None:
    nodes = (
        "__rec=node,id=8,attr=8,data=cali.attribute.name,parent=3\n"
        "__rec=node,id=10,attr=8,data=cali.attribute.prop,parent=1\n"
    )
    content = Path(sample(f"{THICKET}/27_cores.cali")).read_text()

    reading = read_files([write(nodes + content)])

    assert len(reading.series) == 77


@pytest.mark.parametrize(
    ("name", "unit", "seconds"),
    [
        ("max#inclusive#scale#sum#time.duration.ns", "sec", 47.248547),
        ("max#iscale#sum#time.duration", "usec", 47.248547e-6),
    ],
)
def test_newer_versions_name_the_same_time_otherwise(
    write, name, unit, seconds
) -> None:
    content = Path(sample(f"{THICKET}/27_cores.cali")).read_text()
    content = content.replace("=max#inclusive#sum#time.duration,", f"={name},")
    content = content.replace("data=sec,", f"data={unit},")

    series = {
        (one.region, one.metric): one for one in read_files([write(content)]).series
    }

    assert math.isclose(series["main", "time"].values[0, 0], seconds)


NODES = """__rec=node,id=12,attr=10,data=65,parent=5
__rec=node,id=13,attr=8,data=sum#time.duration,parent=12
"""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (NODES, "expected a region profile with inclusive times, found 0 records of"),
        (NODES + NODES, "line 3: expected a new node behind its parent"),
        (
            NODES + "__rec=node,id=14,attr=8,data=x,parent=14\n",
            "line 3: expected a new node behind its parent",
        ),
        (NODES + "__rec=ctx,ref=99\n", "line 3: expected a record of Caliper, found"),
        (NODES + "nothing\n", "line 3: expected a record of Caliper"),
        (NODES[:-4], "line 2: expected the end of the line"),
    ],
)
def test_file_of_something_else_is_refused(write, text, complaint) -> None:
    [error] = read_files([write(text)]).unreadable

    assert complaint in str(error)
