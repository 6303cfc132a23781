"""Accepting all that is measured as expected: previewed first, saved as previewed."""

import pytest

from support.builders import sweep_reports
from support.recorded import record

HERE = {"Sec-Fetch-Site": "same-origin"}

CURVES = {f"kernel_{number}": lambda p, n=number: 1e-3 * p**n for number in range(3)}
STEEPER = {
    **CURVES,
    "kernel_0": lambda p: 1e-3 * p**2,
    "only_there": lambda p: 1e-3 * p,
}


@pytest.fixture
def project(sessions):
    """Record three regions on one machine and four on another; nothing is expected."""
    reports = [
        *sweep_reports(growths=CURVES, noise=0.001, project="code", suite="code"),
        *sweep_reports(
            growths=STEEPER,
            noise=0.001,
            project="code",
            suite="code",
            machine={"name": "lumi"},
        ),
    ]
    record(sessions, reports)
    return "code"


def expected(client, project):
    """Return the growths that are expected, by region."""
    answer = client.get(f"/api/v1/projects/{project}/expectations").json()
    return {each["region"]: each["growth"] for each in answer["expectations"]}


def test_preview_saves_nothing_and_acceptance_what_it_shows(client, project):
    path = f"/p/{project}/settings/expectations/accept"
    page = client.get(path)
    shown = client.get(f"{path}?format=json").json()["regions"]

    assert page.status_code == 200
    assert "4 expectations would be saved" in page.text
    assert expected(client, project) == {}
    assert {each["region"]: each["growth"] for each in shown} == {
        "kernel_0": "p^2",
        "kernel_1": "p",
        "kernel_2": "p^2",
        "only_there": "p",
    }
    client.post(path, data={"reason": "as it was"}, headers=HERE)
    assert expected(client, project) == {
        each["region"]: each["growth"] for each in shown
    }


def test_expected_regions_are_replaced_only_where_that_is_asked(client, project):
    client.post(
        f"/p/{project}/settings/expectations",
        data={"region": "kernel_1", "growth": "p^3"},
        headers=HERE,
    )
    path = f"/p/{project}/settings/expectations/accept"
    new = client.get(f"{path}?format=json").json()["regions"]
    every = client.get(f"{path}?replacing=1&format=json").json()["regions"]

    assert "kernel_1" not in [each["region"] for each in new]
    assert len(every) == len(new) + 1
    client.post(path, data={"reason": ""}, headers=HERE)
    assert expected(client, project) == {
        "kernel_1": "p^3",
        **{each["region"]: each["growth"] for each in new},
    }
    client.post(path, data={"replacing": "1"}, headers=HERE)
    assert expected(client, project)["kernel_1"] == "p"


def test_match_table_without_expectations_leads_there(client, project, work_off):
    link = f"/p/{project}/settings/expectations/accept?commit="
    assert link in client.get(f"/p/{project}").text
    client.post(
        f"/p/{project}/settings/expectations/accept", data={"reason": ""}, headers=HERE
    )
    work_off()
    assert link not in client.get(f"/p/{project}").text
