"""One commit that changes many series, for the better and for the worse."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from scalewatch.services.regressions.by_commit import by_commit, group_name
from scalewatch.services.regressions.regressions import regressions_of
from support.histories import commit, single_values
from support.recorded import record

COMMITS, AT = 40, 25
REGIONS = (
    *(f"io.Load.time_{number}(10, 'x')" for number in range(3)),
    *(f"core.Sum.time_{number}" for number in range(5)),
    *(f"core.Sort.time_{number}" for number in range(6)),
)
FACTORS = {"io.Load": 1.5, "core.Sum": 0.7, "core.Sort": 1.0}


@pytest.fixture
def changed(sessions):
    """Record a history in which one commit slows some series and speeds up others."""
    runs = []
    for number in range(1, COMMITS + 1):
        noise = np.random.default_rng(number).normal(1, 0.005, len(REGIONS)).tolist()
        seconds = {
            region: each * (FACTORS[group_name(region)] if number >= AT else 1)
            for region, each in zip(REGIONS, noise, strict=True)
        }
        runs += single_values(number, seconds, p=1, project="mpich")
    record(sessions, runs)


@pytest.mark.parametrize(
    ("region", "name"),
    [
        ("io.Load.time_f(1.5, 'a.b')", "io.Load"),
        ("main->solve->mult", "main->solve"),
        ("MPI_Bcast", "MPI_Bcast"),
        ("f(x)", "f"),
    ],
)
def test_regions_are_grouped_by_the_beginning_of_their_names(region, name):
    assert group_name(region) == name


@pytest.mark.usefixtures("changed")
def test_a_commit_has_its_better_and_worse_series_together(sessions):
    with sessions.reading() as session:
        [effects] = by_commit(regressions_of(session, "mpich").regressions)

    assert effects.last.sha == commit(AT)["sha"]
    assert (effects.series, effects.worse, effects.better) == (8, 3, 5)
    assert {(e.name, e.worse, e.better) for e in effects.groups} == {
        ("io.Load", 3, 0),
        ("core.Sum", 0, 5),
    }
    assert effects.groups[0].name == "io.Load"


@pytest.mark.usefixtures("changed")
def test_the_page_and_the_feed_show_the_commit_once(client):
    page = client.get("/p/mpich/regressions").text
    feed = ET.fromstring(client.get("/p/mpich/regressions.atom").text)  # noqa: S314, our own

    assert 'aria-label="By commit"' in page
    assert "core.Sum" in page.replace("<wbr>", "")
    [entry] = feed.findall("{http://www.w3.org/2005/Atom}entry")
    title = entry.findtext("{http://www.w3.org/2005/Atom}title")
    assert title.endswith("8 series, 3 worse, 5 better")
