"""Nothing measured yet, and names that were made to break pages."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.builders import sweep_reports
from support.odd_projects import long_names
from support.recorded import PROCESSES, record

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "{{ 7*7 }} & \"quotes\" 'n' 100% a+b=c;",
    "קצב \u202egnihtemos",
    "x" * 200,
)


FITS = "document.documentElement.scrollWidth <= innerWidth"
"""Whether a page is no wider than its window."""

HIDDEN = "name => name.scrollWidth - name.clientWidth"
"""Pixels of a name that do not show."""


def test_empty_home_shows_the_command_with_the_address_of_this_server(
    page: Page, site: str
):
    page.goto("/")

    expect(page.get_by_text(f"scalewatch-agent mpi --server {site}")).to_be_visible()


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.thorough), 360])
def test_hostile_names_are_text_and_lead_to_their_pages(
    page: Page, sessions: Sessions, width: int
):
    page.set_viewport_size({"width": width, "height": 800})
    growths = {name: lambda p: 1e-6 * p for name in HOSTILE}
    for name in HOSTILE:
        machine = {"name": name}
        reports = sweep_reports(PROCESSES, growths, project=name, machine=machine)
        record(sessions, reports)
    page.goto("/")

    for name in HOSTILE:
        page.get_by_role("rowheader").get_by_role("link", name=name, exact=True).click()
        rows = page.get_by_role("rowheader")
        rows.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.locator(".scatterlayer .trace").first).to_be_attached()
        assert page.evaluate(FITS)
        page.goto("/")


def test_printed_match_table_of_many_machines_fits_on_white_paper(large_page: Page):
    large_page.goto("/p/hydro?view=table")
    large_page.set_viewport_size({"width": 794, "height": 1123})
    large_page.evaluate("document.documentElement.dataset.theme = 'dark'")
    ink = "getComputedStyle(document.body).color"
    on_screen = large_page.evaluate(ink)

    large_page.emulate_media(media="print")

    table = large_page.get_by_role("table")
    expect(table.get_by_role("columnheader", name="mogon")).to_be_visible()
    expect(large_page.get_by_label("Filter regions")).to_be_hidden()
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert large_page.evaluate(wide) <= 0
    assert large_page.evaluate(ink) != on_screen


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.thorough), 360])
def test_long_names_leave_headings_of_two_lines_that_tell_all(
    page: Page, sessions: Sessions, width: int
):
    page.set_viewport_size({"width": width, "height": 800})
    shown = long_names(sessions)
    pages = {
        f"/p/wide/r/{quote(shown.region)}": [shown.region],
        f"/p/wide/m/{quote(shown.machine)}": [shown.machine],
        f"/p/wide/compare/{quote(shown.subjects)}": shown.subjects.split("..."),
    }

    for address, names in pages.items():
        page.goto(address)
        title = page.get_by_role("heading", level=1)
        for text in names:
            name = title.get_by_title(text, exact=True)
            expect(name).to_have_text(text)
            lines = "name => name.clientHeight / parseFloat(getComputedStyle(name)"
            assert name.evaluate(f"{lines}.lineHeight)") < 2.5
            name.focus()
            whole = "name => name.scrollHeight - name.clientHeight"
            assert name.evaluate(whole) <= 1


def test_long_names_leave_a_sentence_short_until_one_goes_there(
    page: Page, sessions: Sessions
):
    page.set_viewport_size({"width": 360, "height": 800})
    shown = long_names(sessions)
    page.goto(f"/p/wide/r/{quote(shown.region)}?machine={quote(shown.machine)}")

    said = page.locator(".lead")

    line = "name => name.clientHeight / parseFloat(getComputedStyle(name).lineHeight)"
    for text in (shown.machine, shown.region):
        name = said.get_by_title(text, exact=True)
        expect(name).to_have_text(text)
        assert name.evaluate(line) < 1.5
        name.focus()
        assert name.evaluate(HIDDEN) <= 1
        assert name.evaluate(line) > 3
        assert page.evaluate(FITS)


def test_regressions_on_a_narrow_screen_are_as_high_as_their_names(large_page: Page):
    large_page.set_viewport_size({"width": 360, "height": 800})
    large_page.goto("/p/hydro/regressions")

    rows = large_page.get_by_role("table", name="Regressions, the worst first")
    heights = rows.get_by_role("row").evaluate_all(
        "rows => rows.map(row => [row.clientHeight, "
        "row.querySelector('th[scope=row] a')?.getClientRects().length ?? 1])"
    )
    assert len(heights) > 2
    assert all(height <= 22 * (lines + 1) for height, lines in heights)


def test_long_names_leave_the_answer_on_the_first_screen(
    page: Page, sessions: Sessions
):
    page.set_viewport_size({"width": 1440, "height": 900})
    shown = long_names(sessions)
    region = quote(shown.region)
    answers = {
        f"/p/wide/compare/{quote(shown.subjects)}": "figure",
        f"/p/wide/cost?machine={quote(shown.machine)}": "tbody tr",
        f"/p/wide/history?region={region}": ".multiple svg",
        f"/p/wide/scaling/contours?region={region}": "figure",
    }

    tops = {}
    for address, answer in answers.items():
        page.goto(address)
        box = page.locator(answer).first.bounding_box()
        assert box is not None
        tops[address] = box["y"]

    assert {at: top for at, top in tops.items() if top > 620} == {}
    page.goto(f"/p/wide/r/{region}")
    name = page.locator("summary").get_by_title(shown.machine, exact=True).first
    lines = "name => name.clientHeight / parseFloat(getComputedStyle(name).lineHeight)"
    assert name.evaluate(lines) < 2.5


def test_history_of_long_names_is_not_wider_than_the_window(
    page: Page, sessions: Sessions
):
    shown = long_names(sessions)
    for width in (1440, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/p/wide/history?region={quote(shown.region)}")
        assert page.evaluate(FITS)
