"""Models composed of other regions: declared, judged, and drawn on a region's page."""

import csv

import pytest

from scalewatch.services.regions.region import region_at, with_compositions
from scalewatch.services.selection.view import View
from scalewatch.wire import RunReport
from support import sentences
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


def declare(client, sessions, formula, **fields):
    promise = {"region": "cg", "growth": None, "formula": formula} | fields
    answer = client.put(URL, json={"author": "ada", "expectations": [promise]})
    record(sessions, [])
    return answer


def test_composed_model_is_judged_and_drawn_beside_the_measurements(client, sessions):
    measure(sessions, factor=1.2)

    assert declare(client, sessions, FORMULA).status_code == 200
    page = client.get(PAGE).text
    drawn = client.get(
        "/api/v1/figures/composed", params={"project": PROJECT, "region": "cg"}
    ).json()

    assert f"<code>cg = {FORMULA}</code>" in page
    assert sentences.COMPOSED_RANGE in page
    assert "grows like 1: match" in page
    assert "nothing is expected" not in page
    assert sentences.SHARED_AT_SIXTEEN in client.get("/p/openmp-gcc/r/triad").text
    assert sentences.LEFT_OUT_FOR_SHARED_CORES in page
    assert "figures/composed?project=openmp-gcc" in page
    names = [trace["name"] for trace in drawn["data"]]
    assert names == [
        "measured, N = 1000000",
        "composed, N = 1000000",
        "measured, N = 4000000",
        "composed, N = 4000000",
    ]
    measured, composed = drawn["data"][:2]
    assert measured["x"] == composed["x"] == [1, 2, 4, 8]
    assert measured["y"] == pytest.approx([1.2 * each for each in composed["y"]])


def test_composed_model_is_listed_with_its_versions_and_withdrawn(client, sessions):
    measure(sessions)
    declare(client, sessions, FORMULA)

    again = declare(client, sessions, FORMULA)
    declare(client, sessions, "13*8*N/triad")
    (listed,) = client.get(URL).json()["compositions"]
    page = client.get(PAGE).text
    withdrawn = declare(client, sessions, None)

    assert again.json()["compositions"][0]["version"] == 1
    assert (listed["formula"], listed["version"]) == ("13*8*N/triad", 2)
    assert f"<code>{FORMULA}</code>" in page
    assert withdrawn.json()["compositions"] == []
    assert "Composed model" not in client.get(PAGE).text


def test_growth_takes_the_place_of_a_composed_model(client, sessions):
    measure(sessions)
    declare(client, sessions, FORMULA)

    declared = declare(client, sessions, None, growth="N / threads")

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

    assert declare(client, sessions, formula).status_code == 200
    page = client.get(PAGE)

    assert page.status_code == 200
    assert words in page.text


def test_match_table_judges_by_the_composed_model(client, sessions):
    measure(sessions, power=1.0)
    declare(client, sessions, FORMULA)

    page = client.get(f"/p/{PROJECT}?view=table").text
    heat_map = client.get(f"/p/{PROJECT}?view=map").text
    table = client.get(f"/p/{PROJECT}?format=json").json()
    listed = client.get(f"/p/{PROJECT}?format=csv").text
    report = client.get(f"/api/v1/projects/{PROJECT}/report").json()
    bulk = client.get(f"/api/v1/projects/{PROJECT}/models?format=csv&region=cg").text

    assert f"<code>{FORMULA}" in page.replace("<wbr>", "")
    assert sentences.COMPOSED_LIKE_THREADS in heat_map
    for shown in (table, report):
        (row,) = (each for each in shown["rows"] if each["region"] == "cg")
        assert (row["expectation"], row["composition"]["formula"]) == (None, FORMULA)
        (cell,) = row["cells"]
        assert cell["standing"]["verdict"] == "mismatch"
        assert cell["standing"]["divergence"] == "threads"
        assert cell["standing"]["reason"].startswith("measured/composed 1.00 to 8.00")
        assert cell["standing"]["verdict_probability"]["mismatch"] > 0.9
    (model,) = csv.DictReader(bulk.splitlines())
    assert (model["expectation"], model["verdict"]) == (FORMULA, "mismatch")
    assert f"{FORMULA}," in next(ln for ln in listed.splitlines() if ln[:3] == "cg,")


def test_data_of_the_page_hold_quotient_and_verdict(client, sessions):
    measure(sessions, factor=1.2)
    declare(client, sessions, FORMULA)

    (told,) = client.get(f"{PAGE}?format=json").json()["compositions"]
    header, *rows = csv.reader(client.get(f"{PAGE}?format=csv").text.splitlines())

    assert (told["formula"], told["author"]) == (FORMULA, "ada")
    assert told["quotient"]["median"] == pytest.approx(1.2)
    assert (told["quotient"]["growth"], told["quotient"]["verdict"]) == ("1", "match")
    assert header[-2:] == ["composed", "measured/composed"]
    quotients = {row[2]: row[-1] for row in rows}
    assert float(quotients["threads=4; N=1000000"]) == pytest.approx(1.2)
    assert quotients["threads=16; N=1000000"] == ""


def test_composed_model_is_told_at_a_target(client, sessions):
    measure(sessions, factor=1.2)
    declare(client, sessions, FORMULA)

    target = {"target": 8}
    (told,) = client.get(PAGE, params={**target, "format": "json"}).json()[
        "compositions"
    ]
    page = client.get(PAGE, params=target).text

    (there,) = told["forecasts"]
    composed = 104 * 4e6 / (2e10 * 8**0.5) + 4 * 8e-6
    assert there["at"] == {"threads": 8, "N": 4e6}
    assert there["composed"] == pytest.approx(composed, rel=0.1)
    assert there["measured"] == pytest.approx(1.2 * there["composed"], rel=0.02)
    assert there["low"] < there["measured"] < there["high"]
    assert sentences.COMPOSED_AT_TARGET in page


def test_composed_model_is_told_at_a_size_that_was_not_measured(client, sessions):
    measure(sessions, factor=1.2)
    declare(client, sessions, FORMULA)

    with sessions.reading() as session:
        region = region_at(session, View(PROJECT), "cg")
        far = with_compositions(session, region, [{"threads": 8, "N": 9e6}])

    ((there,),) = (each.composed.forecasts for each in far.compositions)
    expected = 104 * 9e6 / (2e10 * 8**0.5) + 4 * 8e-6
    assert there.expected == pytest.approx(expected, rel=0.1)
    assert there.quotient.value == pytest.approx(1.2, rel=0.02)
    assert there.quotient.low < there.quotient.value < there.quotient.high


def test_gate_stops_a_commit_that_leaves_its_composed_model(client, sessions):
    measure(sessions)
    declare(client, sessions, FORMULA)
    measure(sessions, power=1.0, commit="v13.0.0", first=1000)
    measure(sessions, power=1.0, commit="v13.0.0", first=2000)

    said = client.get(
        f"/api/v1/projects/{PROJECT}/gate", params={"commit": "v13.0.0"}
    ).json()

    assert said["outcome"] == "worse"
    (finding,) = (each for each in said["findings"] if each["region"] == "cg")
    assert finding["sentence"] == (sentences.NO_LONGER_AS_COMPOSED)


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

    refused = declare(client, sessions, **promise)

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]


def test_models_that_need_each_other_are_refused(client, sessions):
    measure(sessions)
    declare(client, sessions, "2*memory")

    refused = declare(client, sessions, "cg - 2*parallel", region="memory")

    assert refused.status_code == 422
    assert "needs itself" in refused.json()["detail"]
