"""Comparisons: a table that is laid out late, and names that tell lines apart."""

import pytest
from playwright.sync_api import Locator, Page, expect

from scalewatch.storage.database.session import Sessions
from support.builders import sweep_reports
from support.recorded import PROCESSES, record

ADDRESS = "/p/hydro/compare/juwels...lumi"
HEIGHT = 600

LAID_OUT = """(scroller) =>
  scroller.firstElementChild.checkVisibility({ contentVisibilityAuto: true })"""

SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


def table_of(page: Page) -> Locator:
    return page.locator(".scroller", has=page.locator("#comparison"))


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.thorough), 360])
def test_table_below_is_laid_out_in_the_room_that_is_kept_for_it(
    large_page: Page, width: int
):
    large_page.set_viewport_size({"width": width, "height": HEIGHT})
    large_page.goto(ADDRESS)
    large_page.evaluate(SHIFTS)
    table = table_of(large_page)
    height = "document.documentElement.scrollHeight"
    assert not table.evaluate(LAID_OUT)
    kept = large_page.evaluate(height)

    table.scroll_into_view_if_needed()

    large_page.wait_for_function(LAID_OUT, arg=table.element_handle())
    assert large_page.evaluate(height) == kept
    assert large_page.evaluate("window.shift") == 0


def test_printed_comparison_has_its_table(large_page: Page):
    large_page.goto(ADDRESS)

    large_page.emulate_media(media="print")

    assert table_of(large_page).evaluate(LAID_OUT)


@pytest.mark.parametrize(
    "form", ["{} with messages of 1024 bytes", "gravity::solver::implicit::{}"]
)
def test_names_in_a_narrow_legend_are_told_apart(
    page: Page, sessions: Sessions, form: str
):
    growths = {
        form.format(f"MPI_{name}"): lambda p: 1e-6 * p
        for name in (
            "Gather",
            "Reduce",
            "Scan",
            "Bcast",
            "Alltoall",
            "Barrier",
            "Scatter",
        )
    }
    for machine in ("one", "other"):
        reports = sweep_reports(PROCESSES, growths, machine={"name": machine})
        record(sessions, reports)
    page.set_viewport_size({"width": 360, "height": 800})

    page.goto("/p/mpich/compare/one...other")

    names = page.locator(".figure").first.locator(".legendtext")
    expect(names).to_have_count(len(growths))
    shown = names.all_text_contents()
    assert all("…" in name for name in shown)
    assert len({*shown}) == len(growths)
