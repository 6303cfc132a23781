"""Six entries a project; their tabs appear with data and keep what is looked at."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from support.builders import result, run_report
from support.recorded import record, record_grid, record_project


def links(page, menu):
    """Return the addresses in a menu of a page by their names."""
    listed = re.search(rf'aria-label="{menu}">(.*?)</nav>', page, re.DOTALL)
    if listed is None:
        return {}
    pairs = re.findall(r'href="([^"]*)"[^>]*>([^<]+?)\s*<', listed[1])
    return {name: unescape(path) for path, name in pairs}


def current(page, menu):
    listed = re.search(rf'aria-label="{menu}">(.*?)</nav>', page, re.DOTALL)
    return re.findall(r'aria-current="page"[^>]*>([^<]+)<', listed[1])


def test_project_has_six_entries_and_none_of_them_is_marked_as_empty(client, sessions):
    record_grid(sessions)

    page = client.get("/p/hydro").text

    assert [*links(page, "Project")] == [
        "Overview",
        "Changes",
        "Scaling",
        "Compare",
        "Time",
        "Settings",
    ]
    assert {"Search", "Add data", "Help", "Account"} <= links(page, "Site").keys()
    for path in links(page, "Project").values():
        assert client.get(path).status_code == 200


def test_tabs_appear_with_data(client, sessions):
    record_grid(sessions)
    counts = [
        run_report(
            id=str(UUID(int=p)),
            project="counted",
            coordinate={"p": p},
            results=[result(region="halo", metric="messages", unit="1", values=[4.0])],
        )
        for p in (2, 4, 8)
    ]
    record(sessions, counts)

    full = links(client.get("/p/hydro/scaling").text, "Scaling pages")
    page = client.get("/p/counted/scaling?metric=messages").text
    counted = links(page, "Scaling pages")

    assert {"Efficiency", "Curve", "Contours", "Serial fraction"} <= full.keys()
    assert "Problem size" in full
    assert "Configurations" not in full
    assert [*counted] == ["Efficiency", "Curve"]


def test_tabs_keep_region_commit_machine_and_metric(client, sessions):
    record_project(sessions)
    stated = {
        "region": "MPI_Bcast",
        "commit": "v5.0.8",
        "metric": "time",
        "machine": "node-shm",
    }

    tabs = links(client.get("/p/openmpi/scaling", params=stated).text, "Scaling pages")

    curve = tabs.pop("Curve")
    assert urlsplit(curve).path == "/p/openmpi/r/MPI_Bcast"
    for path in tabs.values():
        kept = parse_qs(urlsplit(path).query)
        assert {name: text for name, (text,) in kept.items()} == stated
        assert client.get(path).status_code == 200
    page = client.get(curve).text
    assert current(page, "Scaling pages") == ["Curve"]
    assert links(page, "Scaling pages")["Contours"] == tabs["Contours"]


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("efficiency?region=MPI_Bcast&limit=80", "scaling?region=MPI_Bcast&limit=80"),
        ("lines?commit=v5.0.8", "scaling/sizes?commit=v5.0.8"),
        ("configurations?format=json", "scaling/configurations?format=json"),
        ("scaling?vs=commit%3Dv5.0.8", "scaling/contours?vs=commit%3Dv5.0.8"),
        ("scaling?quantity=error", "scaling/contours?quantity=error"),
    ],
)
def test_former_addresses_lead_on_with_their_query(client, sessions, former, present):
    record_project(sessions)

    moved = client.get(f"/p/openmpi/{former}", follow_redirects=False)

    assert moved.status_code == 308
    assert moved.headers["location"] == f"/p/openmpi/{present}"


def test_names_of_former_addresses_stay_encoded(client):
    moved = client.get("/p/a%20b%3F/lines?region=x%26y", follow_redirects=False)

    assert moved.headers["location"] == "/p/a%20b%3F/scaling/sizes?region=x%26y"


@pytest.mark.parametrize(
    ("address", "menu", "tab"),
    [
        ("/p/openmpi/history", "Changes", "History"),
        ("/p/openmpi/c/v5.0.8", "Changes", "Commit"),
        ("/p/openmpi/guidelines", "Compare", "Guidelines"),
        ("/p/openmpi/settings/gate", "Settings", "Gate"),
        ("/status", "Account", "Status"),
        ("/glossary", "Help", "Glossary"),
    ],
)
def test_menu_says_where_a_page_is(client, sessions, address, menu, tab):
    record_project(sessions)

    page = client.get(address).text

    assert current(page, f"{menu} pages") == [tab]
    outer = "Project" if address.startswith("/p/") else "Site"
    assert current(page, outer) == [menu]
