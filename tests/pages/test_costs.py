import re

import pytest

from support import sentences
from support.builders import sweep_reports
from support.recorded import record

GROWTHS = {"solve": lambda p: 1e-3 * p, "setup": lambda _: 0.1}


@pytest.fixture
def code(client, sessions):
    reports = sweep_reports(
        (4, 8, 16, 32, 64), GROWTHS, project="code", suite="own", noise=0.01
    )
    record(sessions, reports)
    return client


def text(client, path="/p/code/cost", **query):
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return re.sub(r"\s+", " ", re.sub(r"<(?!/?bdi)[^>]*>", "", answer.text))


def test_sentence_names_the_region_that_costs_most_and_what_it_cost_before(code):
    page = text(code)

    assert sentences.COST_AT_TARGET in page
    assert re.search(r"is in <bdi>solve</bdi>, 3\d.% at p = 64\.", page)


def test_forecasts_say_what_they_take_for_granted(code):
    words = "Forecasts beyond p = 64 and their intervals assume that each region keeps"

    assert words in text(code)
    assert "Forecasts beyond" not in text(code, target=64)


def test_regions_lead_to_their_pages_at_the_same_target(code):
    page = code.get("/p/code/cost", params={"target": 256}).text

    assert re.search(r'href="/p/code/r/solve\?[^"]*target=256"', page)


def test_page_says_where_shares_end_and_for_want_of_what(code, sessions):
    few = {"input": lambda _: 0.05}
    record(sessions, sweep_reports((32, 64), few, project="code", suite="other"))

    page = text(code)

    assert sentences.NOT_TOLD_TO_TARGET in page
    assert " ● p = 64 " in page  # as the one mark of each row is
    assert "○" not in page
    assert "<bdi>input</bdi> (23" in page


def test_every_share_can_be_taken_away(code):
    lines = code.get("/p/code/cost", params={"format": "csv"}).text.splitlines()

    assert lines[0] == "region,configuration,machine,p,origin,value,share"
    assert len(lines) == 1 + 2 * (5 + 4)
    assert code.get("/api/v1/projects/code/cost").json()["reach"] == 1024
    figure = code.get("/api/v1/figures/cost-shares?project=code").json()
    assert [trace["name"] for trace in figure["data"]] == ["solve", "setup"]
    assert code.get("/api/v1/figures/cost-other?project=code").status_code == 404


def test_least_of_many_regions_share_a_row_that_leads_to_all(client, sessions):
    growths = {f"part{number:02}": lambda p: 1e-3 * p for number in range(53)}
    record(sessions, sweep_reports((4, 8, 16, 32, 64), growths, project="wide"))

    page = client.get("/p/wide/cost").text
    whole = client.get("/p/wide/cost?all=1").text

    assert page.count('href="/p/wide/r/') == 2 * 50
    assert page.count('href="/p/wide/cost?all=1#') == 2
    assert whole.count('href="/p/wide/r/') == 2 * 53
    rows = re.findall(r"other regions.*?</tr>", page, re.DOTALL)
    shares = re.findall(r"([\d.]+)\s%", rows[1])
    assert [float(share) for share in shares] == pytest.approx(
        [100 * 3 / 53] * len(shares), abs=1
    )


def test_project_without_process_counts_is_told_what_lacks(client, sessions):
    reports = sweep_reports(
        (2, 4, 8, 16, 32), {"solve": lambda p: 1e-3 * p}, project="sizes", suite="own"
    )
    renamed = [
        each.model_copy(update={"coordinate": {"n": each.coordinate["p"]}})
        for each in reports
    ]
    record(sessions, renamed)

    page = text(client, "/p/sizes/cost")

    assert sentences.NO_SCALE in page
    assert sentences.OVER_N_ALONE in page
