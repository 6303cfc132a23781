"""Models composed of other regions: declared, judged, and drawn on a region's page."""

import pytest

from scalewatch.wire import RunReport
from support.openmp_runs import FORMULA, openmp_runs
from support.recorded import record

PROJECT = "openmp-gcc"
URL = f"/api/v1/projects/{PROJECT}/expectations"
PAGE = f"/p/{PROJECT}/r/cg"


def measure(sessions, **fields):
    record(
        sessions,
        [
            RunReport.model_validate(each, strict=False)
            for each in openmp_runs(**fields)
        ],
    )


def declare(client, formula, **fields):
    promise = {"region": "cg", "growth": None, "formula": formula} | fields
    return client.put(URL, json={"author": "ada", "expectations": [promise]})


def test_composed_model_is_judged_and_drawn_beside_the_measurements(client, sessions):
    measure(sessions, factor=1.2)

    assert declare(client, FORMULA).status_code == 200
    page = client.get(PAGE).text
    drawn = client.get(
        "/api/v1/figures/composed", params={"project": PROJECT, "region": "cg"}
    ).json()

    assert f"<code>cg = {FORMULA}</code>" in page
    assert "measured/composed 1.20 to 1.20 (median 1.20) at 8 settings" in page
    assert "grows like 1: match" in page
    assert "nothing is expected" not in page
    assert "shared cores at threads = 16" in client.get("/p/openmp-gcc/r/triad").text
    assert "Left out, for shared cores" in page
    assert "figures/composed?project=openmp-gcc" in page
    names = [trace["name"] for trace in drawn["data"]]
    assert names == [
        "measured, N = 1,000,000",
        "composed, N = 1,000,000",
        "measured, N = 4,000,000",
        "composed, N = 4,000,000",
    ]
    measured, composed = drawn["data"][:2]
    assert measured["x"] == composed["x"] == [1, 2, 4, 8]
    assert measured["y"] == pytest.approx([1.2 * each for each in composed["y"]])


def test_composed_model_is_listed_with_its_versions_and_withdrawn(client, sessions):
    measure(sessions)
    declare(client, FORMULA)

    again = declare(client, FORMULA)
    declare(client, "13*8*N/triad")
    (listed,) = client.get(URL).json()["compositions"]
    page = client.get(PAGE).text
    withdrawn = declare(client, None)

    assert again.json()["compositions"][0]["version"] == 1
    assert (listed["formula"], listed["version"]) == ("13*8*N/triad", 2)
    assert f"<code>{FORMULA}</code>" in page
    assert withdrawn.json()["compositions"] == []
    assert "Composed model" not in client.get(PAGE).text


def test_growth_takes_the_place_of_a_composed_model(client, sessions):
    measure(sessions)
    declare(client, FORMULA)

    declared = declare(client, None, growth="N / threads")

    assert declared.json()["compositions"] == []
    assert declared.json()["expectations"][0]["growth"] == "N / threads"


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("13*8*N/triadd", "no region or parameter is &#39;triadd&#39;"),
        ("13*8*N*triad", "units do not fit"),
        ("13*8*N/copy", "no region or parameter is &#39;copy&#39;"),
    ],
)
def test_model_that_cannot_be_computed_says_why_on_the_page(
    client, sessions, formula, words
):
    measure(sessions)

    assert declare(client, formula).status_code == 200
    page = client.get(PAGE)

    assert page.status_code == 200
    assert words in page.text


@pytest.mark.parametrize(
    ("promise", "field"),
    [
        ({"formula": "13*/N"}, "expectations.0.formula"),
        ({"formula": "2*triad", "growth": "p"}, "expectations.0.formula"),
        ({"formula": "2*triad", "deviation_limit": "p"}, "expectations.0.formula"),
    ],
)
def test_formula_that_is_none_is_refused_with_its_field(
    client, sessions, promise, field
):
    measure(sessions)

    refused = declare(client, **promise)

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]


def test_models_that_need_each_other_are_refused(client, sessions):
    measure(sessions)
    declare(client, "2*memory")

    refused = declare(client, "cg - 2*parallel", region="memory")

    assert refused.status_code == 422
    assert "needs itself" in refused.json()["detail"]
