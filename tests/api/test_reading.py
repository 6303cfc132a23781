from uuid import UUID

import pytest

from scalewatch.api.http.described import schema_of
from scalewatch.api.projects import Commits, Machines, Projects
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.comparisons.values import ComparedSides
from scalewatch.services.guidelines import GuidelineReport
from scalewatch.services.match_table.table import MatchTable
from scalewatch.services.regions.models import CommitModels
from scalewatch.services.runs.show import RecordedRun, RunVerdict
from support.builders import result, run, sweep

PROJECT = "/api/v1/projects/mpich"


@pytest.fixture
def analysed(client, work_off):
    """The application after a sweep on two machines was posted and analysed."""
    for name in ("jureca", "juwels"):
        machine = {"name": name, "fingerprint": {"cores": 128}}
        assert client.post("/api/v1/runs", json=sweep(machine=machine)).is_success
    work_off()
    return client


def read(client, url, kind, **query):
    """Return an answer, after comparing it with what the API documents."""
    response = client.get(url, params=query)
    assert response.status_code == 200
    schema_of(kind).model_validate_json(response.content)
    return response.json()


def test_projects_are_listed_with_their_verdict_counts(analysed):
    (project,) = read(analysed, "/api/v1/projects", Projects)["projects"]

    assert project["name"] == "mpich"
    assert project["counts"]["match"] == 4


def test_commits_tell_where_they_were_measured(analysed):
    (commit,) = read(analysed, f"{PROJECT}/commits", Commits)["commits"]

    assert commit["sha"] == "v5.0.2"
    assert [machine["name"] for machine in commit["machines"]] == ["jureca", "juwels"]
    assert commit["machines"][0]["coordinates"] == [
        {"p": p} for p in (2, 4, 8, 16, 32, 64)
    ]


def test_commits_are_paged_newest_first(client):
    for month in range(1, 6):
        commit = {"sha": f"c{month}", "committed_at": f"2026-0{month}-01T00:00:00Z"}
        client.post("/api/v1/runs", json=sweep((2,), commit=commit))
    client.post("/api/v1/runs", json=sweep((2,), commit={"sha": "undated"}))

    pages, before = [], None
    while not pages or before:
        query = {"before": before} if before else {}
        url = f"{PROJECT}/commits"
        page = read(client, url, Commits, limit=4, **query)
        pages.append([commit["sha"] for commit in page["commits"]])
        before = page["next"]

    assert pages == [["undated", "c5", "c4", "c3"], ["c2", "c1"]]


def test_machines_tell_their_newest_fingerprint(analysed):
    machine = {"name": "jureca", "fingerprint": {"cores": 256}}
    analysed.post("/api/v1/runs", json=sweep((128,), machine=machine))

    found = read(analysed, f"{PROJECT}/machines", Machines)["machines"]

    assert [(one["name"], one["runs"]) for one in found] == [
        ("jureca", 7),
        ("juwels", 6),
    ]
    assert found[0]["fingerprint"] == {"cores": 256}


def test_report_is_the_match_table(analysed):
    table = read(analysed, f"{PROJECT}/report", MatchTable, commit="v5.0.2")

    assert {row["region"] for row in table["rows"]} == {"MPI_Bcast", "MPI_Allgather"}
    for row in table["rows"]:
        assert [cell["machine"] for cell in row["cells"]] == ["jureca", "juwels"]
        for cell in row["cells"]:
            assert cell["standing"]["verdict"] == "match"
            assert cell["standing"]["growth"] == row["expectation"]["growth"]


def test_report_can_be_narrowed_to_machines(analysed):
    table = read(analysed, f"{PROJECT}/report", MatchTable, machines="juwels")

    assert [column["machine"] for column in table["columns"]] == ["juwels"]
    assert all(
        [cell["machine"] for cell in row["cells"]] == ["juwels"]
        for row in table["rows"]
    )


def test_api_and_page_tell_the_same(analysed):
    page = analysed.get("/p/mpich", params={"format": "json"})

    assert analysed.get(f"{PROJECT}/report").json() == page.json()


def test_models_can_be_narrowed_to_a_region(analysed):
    found = read(analysed, f"{PROJECT}/models", CommitModels, region="MPI_Bcast")

    assert [(one["region"], one["machine"]) for one in found["models"]] == [
        ("MPI_Bcast", "jureca"),
        ("MPI_Bcast", "juwels"),
    ]
    (term,) = found["models"][0]["standing"]["model"]["terms"]
    assert term["factors"] == [
        {"parameter": "p", "power": "0", "log": "1", "exp2": "0"}
    ]


@pytest.mark.parametrize(
    ("address", "kind", "query"),
    [
        ("compare", ComparedSides, {"a": "jureca", "b": "juwels"}),
        ("changes", CommitReport, {}),
        ("guidelines", GuidelineReport, {}),
    ],
    ids=["compare", "changes", "guidelines"],
)
def test_answers_about_a_commit_are_as_documented(analysed, address, kind, query):
    assert read(analysed, f"{PROJECT}/{address}", kind, **query)["project"] == "mpich"


def test_run_tells_what_it_measured(client):
    client.post("/api/v1/runs", json=run())

    found = read(client, f"/api/v1/runs/{UUID(int=1)}", RecordedRun)

    assert found["coordinate"] == {"p": 4}
    assert found["results"][0]["middle"] == 1.2e-5


def test_verdict_is_pending_until_the_run_is_analysed(client, work_off):
    client.post("/api/v1/runs", json=sweep())
    url = f"/api/v1/runs/{sweep()[0]['id']}/verdict"

    before = read(client, url, RunVerdict)
    work_off()
    after = read(client, url, RunVerdict)

    assert (before["state"], before["series"]) == ("pending", [])
    assert after["state"] == "done"
    assert {one["region"]: one["standing"]["verdict"] for one in after["series"]} == {
        "MPI_Allgather": "match",
        "MPI_Bcast": "match",
    }


def test_verdict_is_about_the_configuration_and_machine_of_the_run(client, work_off):
    client.post("/api/v1/runs", json=sweep())
    client.post("/api/v1/runs", json=sweep(configuration={"message_bytes": 8}))
    client.post("/api/v1/runs", json=sweep(machine={"name": "juwels"}))
    work_off()

    url = f"/api/v1/runs/{sweep()[0]['id']}/verdict"
    found = read(client, url, RunVerdict)["series"]

    assert {one["machine"] for one in found} == {"jureca"}
    assert [one["configuration"] for one in found] == [{"message_bytes": 256}] * 2


def test_failed_results_have_a_reason_in_the_verdict(client, work_off):
    failed = result(status="failed", reason="no memory", values=[])
    client.post("/api/v1/runs", json=run(results=[failed]))
    work_off()

    url = f"/api/v1/runs/{UUID(int=1)}/verdict"
    (series,) = read(client, url, RunVerdict)["series"]

    assert series["standing"]["state"] == "failed"
    assert "no memory" in series["standing"]["reason"]


def test_status_counts_what_is_to_be_done(client, work_off):
    client.post("/api/v1/runs", json=sweep())
    before = client.get("/api/v1/status").json()
    work_off()
    after = client.get("/api/v1/status").json()

    assert (before["runs"], before["projects"], before["jobs"]["open"]) == (6, 1, 1)
    assert after["jobs"] == {"open": 0, "failed": 0, "oldest_open_at": None}


def test_health_does_not_ask_the_database(client, engine):
    engine.dispose()

    assert client.get("/healthz").json() == {"status": "ok"}


MISSING = (
    "/api/v1/projects/nonesuch/commits",
    "/api/v1/projects/nonesuch/machines",
    "/api/v1/projects/nonesuch/models",
    "/api/v1/projects/nonesuch/report",
    "/api/v1/projects/nonesuch/expectations",
    f"{PROJECT}/report?commit=nonesuch",
    f"{PROJECT}/report?metric=nonesuch",
    f"{PROJECT}/report?machines=nonesuch",
    f"{PROJECT}/commits?before=nonesuch",
    f"/api/v1/runs/{UUID(int=7)}",
    f"/api/v1/runs/{UUID(int=7)}/verdict",
    f"/api/v1/runs/{UUID(int=7)}/verdict?wait=5",
    "/api/v1/jobs/4711",
    "/api/v1/nonesuch",
)


@pytest.mark.parametrize("url", MISSING)
def test_what_does_not_exist_is_not_found(client, url):
    client.post("/api/v1/runs", json=run())

    response = client.get(url)

    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["instance"] == url.partition("?")[0]


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("/api/v1/runs/7", "run"),
        ("/api/v1/jobs/seven", "job"),
        (f"/api/v1/runs/{UUID(int=1)}/verdict?wait=-1", "wait"),
        (f"/api/v1/runs/{UUID(int=1)}/verdict?wait=1e9", "wait"),
        (f"/api/v1/runs/{UUID(int=1)}/verdict?wait=nan", "wait"),
        (f"{PROJECT}/commits?limit=0", "limit"),
    ],
)
def test_wrong_parameter_is_named(client, url, field):
    response = client.get(url)

    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]


def test_wrong_method_is_a_problem(client):
    response = client.delete("/api/v1/runs")

    assert response.status_code == 405
    assert response.json()["title"] == "Method not allowed"


def test_people_get_pages_where_programs_get_problems(client):
    response = client.get("/p/nonesuch")

    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")


def test_scan_over_the_problem_size_is_modelled_in_it(client, work_off):
    growths = {"solve": lambda p: 1e-3 * p}
    for one in sweep(growths=growths, noise=1e-3):
        n = 1000 * one["coordinate"]["p"]
        client.post("/api/v1/runs", json=one | {"coordinate": {"p": 4, "n": n}})
    work_off()

    found = read(client, f"{PROJECT}/models", CommitModels)["models"][0]

    assert (found["parameter"], found["standing"]["growth"]) == ("n", "n")


def test_models_come_with_forecasts_where_they_are_asked_for(analysed):
    found = read(
        analysed,
        f"{PROJECT}/models",
        CommitModels,
        region="MPI_Bcast",
        target=["p=2048", "n=3"],
    )["models"]

    assert len(found) == 2
    for each in found:
        (forecast,) = each["forecasts"]
        assert forecast["at"] == {"p": 2048}
        assert forecast["low"] < 23e-6 < forecast["high"]
        assert each["standing"]["growths"] == {"p": "log p"}


def test_a_target_that_is_none_is_refused(analysed):
    for target in ("65536", "p=-1", "p=", "p=1e999"):
        answered = analysed.get(f"{PROJECT}/models", params={"target": target})
        assert answered.status_code == 422, target
