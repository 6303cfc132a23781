"""What a growth gives is seen while it is typed, and by a button without scripts."""

import pytest
from playwright.sync_api import Browser, Page, expect

from scalewatch.storage.database.session import Sessions
from support.recorded import record_project

REGION = "/p/openmpi/r/MPI_Barrier?machine=node-tcp"


@pytest.fixture
def region(page: Page, sessions: Sessions) -> Page:
    record_project(sessions)
    page.goto(REGION)
    page.get_by_text("Change what is expected").click()
    return page


def test_band_and_verdicts_change_while_a_growth_is_typed(region: Page):
    curve = region.get_by_role("figure", name="Time of MPI_Barrier")
    expect(curve.get_by_text("expected log p")).to_be_visible()
    growth = region.get_by_label("Growth, in big-O notation")

    growth.fill("p")

    preview = region.get_by_role("region", name="Preview")
    expect(preview).to_contain_text(
        "If O(p) is expected: 1 match at the newest commit; 2 of 2 verdicts shown would"
    )
    expect(preview.get_by_role("row").nth(1)).to_contain_text("scales worse")
    expect(curve.get_by_text("expected p")).to_be_visible()
    expect(region.get_by_role("region", name="Verdict", exact=True)).to_contain_text(
        "scales worse than expected"  # nothing was declared
    )


def test_fault_stands_beside_its_field_until_it_is_mended(region: Page):
    growth = region.get_by_label("Growth, in big-O notation")

    growth.fill("p^^2")

    fault = region.get_by_text("Cannot read 'p^^2': at position 3")
    expect(fault).to_be_visible()
    expect(growth).to_have_attribute("aria-invalid", "true")

    growth.fill("p^2")

    expect(fault).to_be_hidden()
    expect(region.get_by_text("1 better at the newest commit")).to_be_visible()


def test_button_shows_the_same_without_scripts_and_declares_from_there(
    browser: Browser, site: str, sessions: Sessions
):
    record_project(sessions)
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto(REGION)
    page.get_by_text("Change what is expected").click()
    page.get_by_label("Growth, in big-O notation").fill("p")
    page.get_by_label("Saved by").fill("Ada")

    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("1 match at the newest commit")).to_be_visible()
    expect(page.get_by_label("Saved by")).to_have_value("Ada")
    page.get_by_role("button", name="Save a new version").click()
    versions = page.get_by_role("table", name="Versions of the expectation")
    expect(versions.get_by_role("row").nth(1)).to_contain_text("Ada")
    context.close()
