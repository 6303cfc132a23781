"""Regions × machines at a glance: by eye, by keyboard, by words."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from scalewatch.storage.database.session import Sessions
from support.recorded import record_project

WORSE = "mismatch, O(p) instead of O(log p)"


@pytest.fixture
def measured(sessions: Sessions) -> None:
    record_project(sessions)


def test_forty_regions_on_ten_machines_fit_the_screen_of_a_laptop(large_page: Page):
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.goto("/p/hydro")

    cells = large_page.locator("[data-heat-map] tbody td")
    expect(cells).to_have_count(40 * 9)
    boxes = cells.evaluate_all("cells => cells.map(c => c.getBoundingClientRect())")
    assert max(box["bottom"] for box in boxes) <= 900
    assert min(box["width"] for box in boxes) >= 24


@pytest.mark.usefixtures("measured")
def test_cell_says_its_verdict_and_leads_to_the_region_on_the_machine(page: Page):
    page.goto("/p/openmpi")
    row = page.get_by_role("row").filter(
        has=page.get_by_role("rowheader", name="MPI_Barrier")
    )

    row.get_by_role("link", name=WORSE).click()

    expect(page).to_have_url(re.compile(r"/r/MPI_Barrier\?.*machine=node-tcp"))


@pytest.mark.usefixtures("measured")
def test_pointing_at_a_cell_shows_its_words_and_a_small_plot(page: Page):
    page.goto("/p/openmpi")

    address = re.compile(r"small-plot\.svg.*region=MPI_Barrier")
    with page.expect_response(address) as got:
        page.get_by_role("link", name=WORSE).hover()

    peek = page.locator(".heat-peek")
    expect(peek).to_contain_text("MPI_Barrier on node-tcp")
    expect(peek).to_contain_text(WORSE)
    assert got.value.status == 200
    assert got.value.text().count("<circle") == 5
    page.mouse.move(0, 0)
    expect(peek).to_be_hidden()


@pytest.mark.usefixtures("measured")
def test_arrows_go_through_the_cells_and_escape_hides_the_plot(page: Page):
    page.goto("/p/openmpi")
    region = page.get_by_role("rowheader", name="MPI_Barrier").get_by_role("link")
    peek = page.locator(".heat-peek")
    page.get_by_label("Filter regions").focus()

    page.keyboard.press("Tab")  # to the worst cell: a map takes one stop
    expect(peek).to_contain_text("MPI_Barrier on node-shm")
    page.keyboard.press("ArrowLeft")
    expect(region).to_be_focused()
    expect(peek).to_be_hidden()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("link", name="node-shm").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(peek).to_contain_text("MPI_Barrier on node-tcp")
    page.keyboard.press("ArrowDown")
    expect(peek).to_contain_text("MPI_Reduce on node-tcp")
    page.keyboard.press("Escape")
    expect(peek).to_be_hidden()
    expect(page.locator(".heat:focus")).to_have_count(1)

    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("MPI_Reduce")


@pytest.mark.usefixtures("measured")
def test_details_are_one_click_away_and_keep_the_view(page: Page):
    page.goto("/p/openmpi?commit=v5.0.8&filter=bc")

    page.get_by_role("link", name="Details").click()

    expect(page).to_have_url(re.compile(r"commit=v5\.0\.8.*filter=bc.*view=table"))
    expect(page.get_by_role("table", name="How the time")).to_contain_text("R̄²")
    page.get_by_role("link", name="Heat map").click()
    expect(page.locator("[data-heat-map]")).to_be_visible()


@pytest.mark.usefixtures("measured")
def test_map_is_a_table_of_links_without_scripts(browser: Browser, site: str):
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/p/openmpi?filter=barrier")

    expect(page.get_by_role("row").filter(visible=True)).to_have_count(2)
    page.get_by_role("link", name=WORSE).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("MPI_Barrier")
    context.close()


def test_home_shows_the_map_and_counts_what_is_open_on_its_first_screen(
    large_page: Page,
):
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.goto("/")

    expect(
        large_page.get_by_text("series scale worse than expected")
    ).to_be_in_viewport()
    expect(large_page.get_by_role("link", name="open regression")).to_be_in_viewport()
    worst = large_page.get_by_role("row").filter(has_text="mesh::find_neighbours")
    expect(worst.get_by_role("link", name=WORSE).first).to_be_in_viewport()
    cells = large_page.locator("[data-heat-map] tbody td")
    boxes = cells.evaluate_all("cells => cells.map(c => c.getBoundingClientRect())")
    assert len(boxes) == 40 * 9
    assert max(box["bottom"] for box in boxes) <= 900
