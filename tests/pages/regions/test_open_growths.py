"""Pages of regions whose growth is open: nothing looks as if it were found."""

import re

import pytest

from support import sentences
from support.builders import sweep_reports
from support.recorded import record

PROCESSES = (2, 4, 8, 16, 32, 64)


def steps(p):
    """A time with two modes."""
    return 1e-3 if p in {4, 16, 64} else 1e-4


def words(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.text))


@pytest.fixture
def posted(client, sessions, work_off):
    """A region that no growth explains."""
    growths = {"saw": steps}
    reports = sweep_reports(
        PROCESSES, growths, repetitions=6, noise=0.02, seed=3, project="shapes"
    )
    record(sessions, reports)
    promised = [{"region": name, "growth": "O(log p)"} for name in growths]
    promise = {"author": "ada", "expectations": promised}
    assert client.put("/api/v1/projects/shapes/expectations", json=promise).is_success
    work_off()
    return client


def traces(client, region, project="shapes"):
    figure = client.get(
        "/api/v1/figures/scaling",
        params={"project": project, "region": region, "machine": "jureca"},
    )
    return [each.get("name", "") for each in figure.json()["data"]]


def test_what_no_growth_explains_says_so_and_draws_no_model(posted):
    page = words(posted.get("/p/shapes/r/saw?machine=jureca"))

    assert sentences.FITS_NO_GROWTH in page
    assert sentences.NOTHING_FORECAST in page
    assert "no growth fits" in words(posted.get("/p/shapes?view=table"))
    assert not any("model" in name for name in traces(posted, "saw"))


def test_what_no_growth_explains_says_so_where_nothing_is_promised(posted):
    withdrawn = [{"region": "saw", "growth": None}]
    told = {"author": "ada", "expectations": withdrawn}
    assert posted.put("/api/v1/projects/shapes/expectations", json=told).is_success

    page = words(posted.get("/p/shapes/r/saw?machine=jureca"))

    assert sentences.FITS_NO_GROWTH_UNEXPECTED in page
    assert sentences.LIKE_NO_GROWTH not in page


def test_an_undecided_growth_shows_what_it_may_be(client, sessions):
    record(sessions, sweep_reports(growths={"MPI_Bcast": lambda p: 1 + p}, noise=0.5))

    page = words(client.get("/p/mpich/r/MPI_Bcast?machine=jureca"))

    assert sentences.NOT_ENOUGH_EVIDENCE in page
    assert not re.search(r"is likeliest – the measurements do not settle it", page)
    assert "perhaps" in words(client.get("/p/mpich?view=table"))
    names = traces(client, "MPI_Bcast", "mpich")
    assert any(name.startswith("perhaps") for name in names)
    assert not any("model" in name for name in names)
