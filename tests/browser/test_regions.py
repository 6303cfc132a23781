"""The page of a region: forecasts, residuals, promises."""

import re

import pytest
from playwright.sync_api import Page, expect

from recorded import record_half_failed_project, record_project


@pytest.fixture
def region(page: Page, sessions) -> Page:
    record_project(sessions)
    page.goto("/p/openmpi/r/MPI_Barrier?machine=node-tcp")
    return page


def test_slider_forecasts_in_place_and_the_address_remembers(region: Page):
    slider = region.get_by_label("Doublings beyond what was measured")
    figure = region.get_by_role("figure", name="Time of MPI_Barrier on node-tcp")
    expect(figure.locator(".scatterlayer .trace")).to_have_count(6)

    slider.fill("5")
    slider.dispatch_event("change")

    expect(region.get_by_text("At p = 1,024, the time is forecast")).to_be_visible()
    expect(region).to_have_url(re.compile(r"target=1024"))
    # The model goes on, dotted, beyond what was measured.
    expect(figure.locator(".scatterlayer .trace")).to_have_count(7)
    region.reload()
    expect(region.get_by_label("Target scale p")).to_have_value("1024")
    expect(slider).to_have_value("5")


def test_forecast_works_without_scripts(browser, site: str, sessions):
    record_project(sessions)
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/p/openmpi/r/MPI_Barrier?machine=node-tcp")

    page.get_by_label("Target scale p").fill("4096")
    page.locator("[data-forecast]").get_by_role("button", name="Show").click()

    expect(page.get_by_text("At p = 4,096, the time is forecast")).to_be_visible()
    context.close()


def test_theme_repaints_the_forecast_that_is_shown_now(region: Page):
    region.get_by_label("Target scale p").fill("512")
    region.keyboard.press("Enter")
    traces = region.locator(".figure__plot").first.locator(".scatterlayer .trace")
    expect(traces).to_have_count(7)

    region.get_by_role("button", name="Theme").click()
    region.get_by_role("button", name="Theme").click()

    expect(traces).to_have_count(7)


def test_region_that_failed_says_why(page: Page, sessions):
    record_half_failed_project(sessions)

    page.goto("/p/fragile/r/transpose")

    expect(page.get_by_role("heading", name="Nothing succeeded")).to_be_visible()
    expect(page.get_by_text("It deadlocked.").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
