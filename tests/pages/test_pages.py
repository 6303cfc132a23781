"""Pages over HTTP: status, headers and the data behind them."""

import csv
import json
from html import unescape
from io import StringIO

import pytest

from scalewatch.jobs import perform_next
from scalewatch.texts.numbers import SPACE
from support import sentences
from support.builders import run_report, sweep_reports
from support.histories import store_nights
from support.recorded import (
    record,
    record_half_failed_project,
    record_project,
    record_runs,
)
from support.shown_pages import words_of

BAD_ADDRESSES = (
    ("/p/nonesuch", 404, "No project 'nonesuch'"),
    ("/p/openmpi?commit=v9", 404, "No commit 'v9'"),
    ("/p/openmpi?metric=flops", 404, "No metric 'flops'"),
    ("/p/openmpi?sort=upwards", 422, "Sort"),
    ("/p/openmpi?only=green", 422, "Only"),
    ("/p/openmpi?vs=v9", 404, "No commit 'v9'"),
    ("/p/openmpi/c/v9", 404, "No commit 'v9'"),
    ("/p/openmpi/compare/node-shm", 422, "A comparison needs two"),
    ("/p/openmpi/compare/node-shm...v9", 404, "No machine 'v9'"),
    ("/p/openmpi?format=pdf", 422, "Format"),
    ("/p/openmpi/r/MPI_Scan", 404, "No region 'MPI_Scan' was measured at v5.0.11"),
    ("/p/openmpi/runs/17", 422, "Run"),
    ("/p/openmpi/runs/00000000-0000-0000-0000-000000000009", 404, "No run"),
    ("/nonesuch", 404, "No page '/nonesuch'"),
)


@pytest.mark.parametrize(("address", "status", "detail"), BAD_ADDRESSES)
def test_what_cannot_be_shown_is_a_page_that_says_why(
    client, sessions, address, status, detail
):
    record_project(sessions)

    response = client.get(address)

    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert detail.replace("'", "&#39;") in response.text
    assert "All projects" in response.text


@pytest.mark.parametrize("address", ["/", "/glossary", "/p/openmpi", "/nonesuch"])
def test_every_page_forbids_foreign_content(client, sessions, address):
    record_project(sessions)

    headers = client.get(address).headers

    policy = headers["content-security-policy"].split("; ")
    assert "default-src 'self'" in policy
    assert not any("script-src" in rule or "'unsafe-eval'" in rule for rule in policy)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_pages_hold_no_script_of_their_own(client, sessions):
    record_project(sessions)

    for address in ("/", "/p/openmpi", "/p/openmpi/r/MPI_Bcast"):
        for script in client.get(address).text.split("<script")[1:]:
            assert script[script.index(">") + 1 :].startswith("</script>")


def test_match_table_as_json_holds_what_the_command_line_prints(client, sessions):
    record_project(sessions)

    table = client.get("/p/openmpi?format=json").json()

    worst = table["rows"][0]
    standing = worst["cells"][1]["standing"]
    assert worst["region"] == "MPI_Barrier"
    assert worst["expectation"]["growth"] == "log p"
    assert standing["verdict"] == "mismatch"
    assert standing["divergence"] == "p / log p"
    assert standing["model"]["terms"][0]["factors"][0]["power"] == "1"


def test_match_table_as_csv_has_a_line_per_cell(client, sessions):
    record_project(sessions)

    response = client.get("/p/openmpi?format=csv")

    rows = list(csv.DictReader(StringIO(response.text)))
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(rows) == 4 * 2
    assert {row["verdict"] for row in rows} == {"match", "approximate", "mismatch", ""}
    assert {row["state"] for row in rows} == {"judged", "not measured"}


def test_match_table_as_markdown_looks_like_the_page(client, sessions):
    record_project(sessions)

    lines = client.get("/p/openmpi?format=md").text.splitlines()

    assert lines[0] == "| Region | Expectation | node-shm | node-tcp |"
    assert lines[2].startswith(
        r"| MPI\_Barrier | $`O(\log p)`$ | ✓ match: $`O(\log p)`$"
    )
    assert "✗ mismatch: $`O(p)`$" in lines[2]
    assert lines[-1].endswith("| not measured |")


def test_download_is_named_after_what_it_holds(client, sessions):
    record_project(sessions)

    header = client.get("/p/openmpi?format=csv").headers["content-disposition"]

    assert header == "inline; filename*=UTF-8''openmpi-v5.0.11-time.csv"


def test_links_keep_the_state_of_the_view(client, sessions):
    record_project(sessions)

    text = client.get("/p/openmpi?commit=v5.0.8&sort=name&filter=bc").text

    assert "/p/openmpi?commit=v5.0.11&amp;filter=bc&amp;sort=name" in text
    assert 'href="/p/openmpi/r/MPI_Bcast?commit=v5.0.8&amp;metric=time' in text


def test_commits_side_by_side_say_what_changed_by_all_repetitions(client, sessions):
    record_project(sessions)

    page = client.get("/p/openmpi/compare/v5.0.8...v5.0.11?region=MPI_Bcast").text

    said = "From <bdi>v5.0.8</bdi> to <bdi>v5.0.11</bdi>, by all repetitions: "
    assert said in page


def test_pending_series_say_so(client, session):
    record_runs(session, sweep_reports())
    session.commit()

    assert sentences.ON_ITS_WAY in client.get("/p/mpich").text


def test_one_run_is_shown_with_its_environment(client, sessions):
    record(sessions, [run_report(job={"scheduler": "slurm", "id": "4711"})])

    text = client.get(f"/p/mpich/runs/{run_report().id}").text

    assert "4711" in text
    assert "128" in text
    assert "12.0\N{NARROW NO-BREAK SPACE}µs" in text


def test_page_of_a_region_tells_its_configurations_apart(client, sessions):
    for size in (256, 4096):
        record(sessions, sweep_reports(configuration={"message_bytes": size}))

    page = client.get("/p/mpich/r/MPI_Bcast").text.replace(SPACE, " ")

    for size in (256, 4096):
        assert f"with <bdi>message_bytes = {size}</bdi>, the" in page
        assert f"jureca · message_bytes = {size}</h2>" in page


def test_settings_in_a_csv_file_can_be_read_by_programs(client, sessions):
    settings = {"message_bytes": 1048576, "flags": "-O3"}
    record(sessions, sweep_reports((2048,), configuration=settings))

    response = client.get("/p/mpich/r/MPI_Bcast?format=csv")

    (row,) = csv.DictReader(StringIO(response.text))
    assert row["configuration"] == "message_bytes=1048576; flags=-O3"
    assert row["coordinate"] == "p=2048"


def test_page_has_the_theme_that_its_reader_chose(client):
    def root(**cookies: str) -> str:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())}
        return client.get("/", headers=headers).text.split("<html", 1)[1].split(">")[0]

    assert 'data-theme="dark"' in root(theme="dark")
    assert "data-theme" not in root(theme="system")
    assert "data-theme" not in root(theme='"><script>')


def test_page_brings_the_figure_that_the_api_returns(client, sessions):
    record_project(sessions)
    page = client.get("/p/openmpi/r/MPI_Bcast").text

    brought = json.loads(page.split("data-drawn='")[1].split("'")[0])
    address = unescape(page.split('data-figure="')[1].split('"')[0])

    assert brought == client.get(address).json()


def test_status_says_which_share_of_histories_alarms(client, sessions):
    record_project(sessions, "mpich")
    store_nights(sessions)

    page = client.get("/status").text

    assert sentences.ALARMING_SHARE in page.replace(SPACE, " ")


def test_status_of_a_failed_analysis_does_not_say_that_all_is_analysed(
    client, sessions
):
    record_half_failed_project(sessions)
    while perform_next(sessions, owner="test"):
        pass

    page = words_of(client.get("/status").text)

    assert sentences.ONE_JOB_FAILED in page
    assert "All runs analysed" not in page


def test_only_commit_has_no_way_to_others(client, sessions):
    record(sessions, sweep_reports((2, 4), {"solve": lambda p: 1e-3 * p}))
    only = client.get("/p/mpich/c").text
    later = sweep_reports(
        (2, 4), {"solve": lambda p: 1e-3 * p}, commit={"sha": "b" * 40}
    )
    record(sessions, later)

    assert "stepper" not in only
    assert "stepper" in client.get("/p/mpich/c").text
