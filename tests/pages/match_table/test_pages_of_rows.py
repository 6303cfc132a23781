import re

import pytest

from scalewatch.services.selection import pages
from support.wide_project import Width, record_wide_project

WIDTH = Width(regions=30, machines=4)


@pytest.fixture
def wide(client, sessions, monkeypatch):
    record_wide_project(sessions, WIDTH)
    monkeypatch.setattr(pages, "MOST_CELLS", 8 * WIDTH.machines)
    return client


def regions_in(text):
    return re.findall(r'data-filter-text="([^"]+)"', text)


@pytest.mark.parametrize("view", ["map", "table"])
def test_pages_are_linked_and_hold_all_rows(wide, view):
    seen, path = [], f"/p/wide?view={view}&sort=name"
    while path:
        text = wide.get(path).text
        seen += regions_in(text)
        following = re.search(r'href="([^"]+)" rel="next"', text)
        path = following and following[1].replace("&amp;", "&")

    assert seen == sorted(WIDTH.region(number) for number in range(WIDTH.regions))


def test_json_tells_how_to_go_on_as_the_api_does(wide):
    page = wide.get("/p/wide?format=json&cursor=8").json()
    report = wide.get("/api/v1/projects/wide/report?cursor=8").json()

    assert page == report
    assert (len(page["rows"]), page["total"], page["next"]) == (8, 30, "16")


@pytest.mark.parametrize("format_", ["csv", "md", "tex"])
def test_downloads_hold_the_rows_of_all_pages(wide, monkeypatch, format_):
    streamed = wide.get(f"/p/wide?format={format_}")
    monkeypatch.setattr(pages, "MOST_CELLS", 4_000)
    whole = wide.get(f"/p/wide?format={format_}")

    assert "content-length" not in streamed.headers
    assert streamed.text == whole.text
    assert streamed.headers["content-type"] == whole.headers["content-type"]


def test_page_says_what_the_filter_looks_through(wide):
    shown = wide.get("/p/wide?filter=kernel_02").text

    assert regions_in(shown)
    assert "Enter looks through all rows" in shown
    assert wide.get("/p/wide?cursor=x").status_code == 404
