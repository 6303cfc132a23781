"""Ctrl-K: everything that has a page, by typing."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from scalewatch.storage.database.session import Sessions
from support.axe import barriers
from support.recorded import record_project


@pytest.fixture(autouse=True)
def _measured(sessions: Sessions) -> None:
    record_project(sessions)


def test_palette_leads_from_a_region_to_another_by_keys_alone(page: Page):
    page.goto("/p/openmpi/r/MPI_Barrier")

    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    page.keyboard.type("bcast")
    hit = page.get_by_role("dialog").get_by_role("option", name="MPI_Bcast")
    expect(hit).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_contain_text("MPI_Bcast")


def test_arrows_choose_and_escape_leaves(page: Page):
    page.goto("/p/openmpi")
    page.keyboard.press("Control+k")
    page.keyboard.type("node")
    options = page.get_by_role("dialog").get_by_role("option")
    expect(options).to_have_count(2)

    page.keyboard.press("ArrowDown")

    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_slash_opens_it_where_nothing_can_be_filtered(page: Page):
    page.goto("/")

    page.keyboard.press("/")
    page.keyboard.type("release v5.0.8")
    page.get_by_role("dialog").get_by_role("option", name="v5.0.8").click()

    expect(page).to_have_url(re.compile(r"/p/openmpi/c/v5\.0\.8$"))


def test_what_is_not_found_is_said(page: Page):
    page.goto("/")
    page.keyboard.press("Control+k")
    page.keyboard.type("nonesuch")

    note = page.get_by_role("dialog").get_by_role("status")
    expect(note).to_have_text("Nothing contains “nonesuch”.")


def test_open_palette_has_no_serious_barrier(page: Page):
    page.goto("/p/openmpi")
    page.keyboard.press("Control+k")
    page.keyboard.type("mpi")
    expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()

    assert list(barriers(page)) == []


def test_search_is_a_page_without_scripts(browser: Browser, site: str):
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/p/openmpi")

    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("gather")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="MPI_Gather").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("MPI_Gather")
    context.close()
