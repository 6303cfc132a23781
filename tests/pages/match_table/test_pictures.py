import xml.etree.ElementTree as ET

import pytest

from support import sentences
from support.recorded import record_half_failed_project, record_project

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def plot(client, sessions):
    """Return the small plot of a region on a machine, as XML."""
    record_project(sessions)
    record_half_failed_project(sessions)

    def ask(**query: str) -> ET.Element:
        project = query.pop("project", "openmpi")
        answer = client.get(f"/p/{project}/small-plot.svg", params=query)
        assert answer.status_code == 200, answer.text
        return ET.fromstring(answer.text)  # noqa: S314, our own

    return ask


def test_medians_model_and_promise_are_drawn(plot):
    drawn = plot(region="MPI_Barrier", machine="node-tcp")

    assert drawn.find(f"{SVG}symbol").get("id") == "plot"
    assert len(drawn.findall(f".//{SVG}circle")) == 5
    words = [each.text for each in drawn.iter(f"{SVG}text")]
    assert {"2", "32", "p →"} <= set(words)


def test_mismatch_is_drawn_above_its_promise(plot):
    drawn = plot(region="MPI_Barrier", machine="node-tcp")

    ends = [
        float(path.get("d").split()[-1])
        for path in drawn.iter(f"{SVG}path")
        if "stroke:var(--accent)" in path.get("style", "")
        or "stroke-dasharray:4 3" in path.get("style", "")
    ]
    promised, modelled = ends
    assert modelled < promised  # the picture's y grows downwards


def test_region_where_all_failed_says_that_there_is_nothing(plot):
    drawn = plot(project="fragile", region="solve", machine="broken")

    (words,) = drawn.iter(f"{SVG}text")
    assert words.text == sentences.NOTHING_DRAWN


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"region": "MPI_Nonesuch"}, 404),
        ({"region": "MPI_Gather", "machine": "node-tcp"}, 404),
        ({"region": "MPI_Bcast", "commit": "v9"}, 404),
        ({}, 422),
    ],
    ids=str,
)
def test_what_there_is_not_has_no_plot(client, sessions, query, status):
    record_project(sessions)

    assert client.get("/p/openmpi/small-plot.svg", params=query).status_code == status


def test_unchanged_plot_is_not_sent_twice(client, sessions):
    record_project(sessions)
    address = "/p/openmpi/small-plot.svg?region=MPI_Bcast&machine=node-shm"
    tag = client.get(address).headers["etag"]

    again = client.get(address, headers={"If-None-Match": tag})

    assert again.status_code == 304
