import csv
import json
import re
from io import StringIO

import pytest

from support import sentences
from support.builders import sweep_reports
from support.recorded import record, record_project

OPENMPI = "/p/openmpi/scaling/contours"


def test_the_page_opens_on_efficiency_with_the_error_one_click_away(client, sessions):
    record_project(sessions)
    query = {"region": "MPI_Bcast", "kind": "strong"}

    first = client.get(OPENMPI, params=query).text
    second = client.get(OPENMPI, params=query | {"quantity": "error"}).text

    assert sentences.STRONG_EFFICIENCY in first
    assert "quantity=error" in first
    assert "α between all pairs" not in first
    assert "α between all pairs" in second


def test_reason_why_no_machine_has_weak_scaling_is_said_once(client, sessions):
    growths = {"solve": lambda p: 1 / p}
    for machine in ("jureca", "juwels"):
        runs = sweep_reports(
            (2, 4, 8), growths, project="hydro", suite="own", machine={"name": machine}
        )
        record(sessions, runs)

    weak = client.get("/p/hydro/scaling/contours", params={"kind": "weak"}).text
    strong = client.get("/p/hydro/scaling/contours", params={"kind": "strong"}).text

    assert weak.lower().count(sentences.SIZES_NEEDED) == 1
    assert "worst first" not in weak
    assert "worst first" in strong


def test_a_region_with_the_same_work_per_process_opens_as_weak_scaling(
    client, sessions
):
    record_project(sessions)
    query = {"region": "MPI_Bcast"}

    page = client.get(OPENMPI, params=query).text
    strong = client.get(OPENMPI, params=query | {"kind": "strong"}).text

    # 7 µs become 8.5 µs, 29.4 % more than a share of the same work needs.
    assert sentences.SAME_WORK in page
    assert sentences.MADE_FOR_WEAK in page
    assert sentences.WORK_ASSUMED in page
    assert sentences.WEAK_EFFICIENCY in page
    assert "Show weak scaling" in strong
    assert "Show weak scaling" not in page


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"kind": "weak"},
        {"source": "model", "to": "1024"},
        {"vs": "commit=v5.0.8"},
        {"base": "32"},
        {"base": "3"},
        {"machine": "node-tcp", "configuration": "transport=tcp"},
        {"size": "12"},
    ],
    ids=str,
)
def test_no_view_shows_what_is_no_number(client, sessions, query):
    record_project(sessions)

    response = client.get(OPENMPI, params={"region": "MPI_Reduce"} | query)

    assert response.status_code == 200
    for missing in ("NaN", "nan ", "None", "inf "):
        assert missing not in response.text


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ("quantity=much", 422, "Quantity &#39;much&#39; is unknown"),
        ("kind=sideways", 422, "Scaling &#39;sideways&#39; is unknown"),
        ("size=much", 422, "is not a positive number"),
        ("region=MPI_Scan", 404, "No region"),
        ("vs=moon", 404, "No comparison"),
        ("metric=flops", 404, "No metric"),
    ],
)
def test_a_question_without_sense_is_a_page_that_says_why(
    client, sessions, query, status, detail
):
    record_project(sessions)

    response = client.get(f"{OPENMPI}?{query}")

    assert response.status_code == status
    assert detail in response.text


def test_the_page_holds_its_numbers_for_programs(client, sessions):
    record_project(sessions)
    query = {"region": "MPI_Bcast", "machine": "node-shm"}

    shown = json.loads(client.get(OPENMPI, params=query | {"format": "json"}).text)
    table = client.get(OPENMPI, params=query | {"format": "csv"}).text
    overview = client.get(OPENMPI, params=query | {"format": "md"}).text

    lines = list(csv.DictReader(StringIO(table)))
    assert len(lines) == 2 * 25
    assert float(lines[4]["error"]) == shown["chosen"]["row"][-1]["error"]
    assert "| node-shm |" in overview


def test_page_tells_from_where_on_most_of_the_efficiency_is_lost(client, sessions):
    record_project(sessions)

    page = client.get(
        "/p/openmpi/scaling/contours",
        params={"region": "MPI_Bcast", "machine": "node-tcp", "kind": "strong"},
    ).text

    # t(2) = 27 µs and t(4) = 45 µs: 27 / (2 · 45) of the ideal.
    assert re.search(
        r"From 4 processes on, less than half of the efficiency is left: "
        r"(29|30|31)[.\d]*.% there",
        page,
    )
