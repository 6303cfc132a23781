"""One short story per page: two releases of a project on two platforms."""

import re

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.recorded import record_project


@pytest.fixture(autouse=True)
def _measured(sessions: Sessions) -> None:
    record_project(sessions)


def plot(page: Page, name: str):
    """Return a figure by its accessible name."""
    return page.get_by_role("figure", name=name)


def region_links(page: Page):
    """Return the links from rows to their regions, without those that expand them."""
    links = page.get_by_role("rowheader").get_by_role("link")
    return links.and_(page.locator(":not([data-expand])"))


def test_home_leads_to_what_needs_attention(page: Page):
    page.goto("/")
    expect(page.get_by_role("heading", name="openmpi")).to_be_visible()
    attention = page.get_by_role("listitem").filter(has_text="node-tcp")

    attention.get_by_role("link", name="MPI_Barrier").click()

    expect(page).to_have_title(re.compile(r"^MPI_Barrier"))
    expect(page.get_by_text("scales worse than expected")).to_be_visible()


def test_match_table_leads_to_a_region_and_its_plot(page: Page):
    page.goto("/p/openmpi?view=table")
    table = page.get_by_role("table", name="How the time of each region scales")
    barrier = page.get_by_role("rowheader", name="MPI_Barrier")
    row = table.get_by_role("row").filter(has=barrier)
    expect(row).to_contain_text("scales worse")

    row.get_by_role("link", name="scales worse").click()

    figure = plot(page, "Time of MPI_Barrier on node-tcp")
    expect(figure.locator(".legendtext")).to_have_text(
        [
            "tolerance",
            "90% interval",
            "repetitions",
            "model p",
            "expected log p",
            "median, quartiles",
        ]
    )
    # Five coordinates with their quartiles, on top of all their repetitions.
    traces = figure.locator(".scatterlayer .trace")
    expect(traces.last.locator("path.point")).to_have_count(5)
    expect(traces.nth(2).locator("path.point")).to_have_count(5 * 40)


def test_region_on_all_machines_is_one_plot_with_a_table_for_each(page: Page):
    page.goto("/p/openmpi/r/MPI_Bcast")

    figure = plot(page, "Time of MPI_Bcast on node-shm, node-tcp")
    expect(figure.locator(".legendtext")).to_have_text(
        ["expected log p, for each", "node-shm", "node-tcp"]
    )
    for machine in ("node-shm", "node-tcp"):
        measurements = page.get_by_role("table", name=f"MPI_Bcast on {machine}")
        expect(measurements.get_by_role("row")).to_have_count(1 + 5)


def test_coordinate_leads_to_its_run(page: Page):
    page.goto("/p/openmpi/r/MPI_Bcast?machine=node-shm")

    page.get_by_role("rowheader").get_by_role("link", name="32").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("on node-shm")
    results = page.get_by_role("table", name="Results of the run")
    expect(results.get_by_role("rowheader")).to_have_count(4)


def test_slash_filters_the_rows_and_the_address_remembers(page: Page):
    page.goto("/p/openmpi")

    page.keyboard.press("/")
    page.keyboard.type("gath")

    rows = region_links(page)
    expect(rows).to_have_text(["MPI_Gather"])
    expect(page.get_by_text("1 of 4 rows shown")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?filter=gath$"))
    page.reload()
    expect(rows).to_have_text(["MPI_Gather"])
    expect(page.get_by_text("1 of 4 rows shown")).to_be_visible()


def test_filter_of_a_comparison_is_restored_by_its_address(page: Page):
    page.goto("/p/openmpi/compare/node-shm...node-tcp?filter=gath")

    expect(page.get_by_label("Filter regions")).to_have_value("gath")
    expect(page.get_by_role("rowheader")).to_have_text(["MPI_Gather"])


def test_brackets_go_to_the_commits_before_and_after(page: Page):
    page.goto("/p/openmpi")
    heading = page.get_by_role("heading", level=1)

    page.keyboard.press("[")
    expect(heading).to_have_text("openmpi v5.0.8")

    page.keyboard.press("]")
    expect(heading).to_have_text("openmpi v5.0.11")


def test_choosing_a_commit_shows_it(page: Page):
    page.goto("/p/openmpi")

    page.get_by_label("Commit").select_option("v5.0.8")

    expect(page).to_have_url(re.compile(r"commit=v5\.0\.8"))
    expect(page.get_by_role("heading", level=1)).to_have_text("openmpi v5.0.8")


def test_theme_is_kept_and_repaints_the_plot(page: Page):
    page.goto("/p/openmpi/r/MPI_Bcast?machine=node-shm")
    point = page.locator(".scatterlayer .trace").last.locator("path.point").first
    light = point.evaluate("point => getComputedStyle(point).fill")
    toggle = page.get_by_role("button", name="Theme")

    toggle.click()
    toggle.click()

    expect(toggle).to_have_accessible_name("Theme: dark")
    expect(point).not_to_have_css("fill", light)
    page.reload()
    expect(toggle).to_have_accessible_name("Theme: dark")
    expect(point).not_to_have_css("fill", light)


def test_unknown_region_is_a_page_that_says_so(page: Page, complaints):
    page.goto("/p/openmpi/r/MPI_Nonesuch")

    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
    expect(page.get_by_text("No region 'MPI_Nonesuch' was measured")).to_be_visible()
    assert complaints.texts.pop().startswith("Failed to load resource")


def test_every_word_of_a_page_is_explained_by_the_glossary(page: Page):
    page.goto("/p/openmpi?view=table")

    page.get_by_role("link", name="Expectation").click()

    expect(page.locator("#expectation")).to_contain_text("The growth E")


def test_pages_work_without_scripts(browser, site: str):
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/p/openmpi?filter=barrier")

    rows = region_links(page)
    expect(rows).to_have_text(["MPI_Barrier"])
    page.get_by_label("Commit").select_option("v5.0.8")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("openmpi v5.0.8")
    page.get_by_role("link", name="mismatch").click()
    expect(page.locator("noscript img").first).to_be_visible()
    context.close()


def test_region_leads_to_its_scaling_errors(page: Page):
    page.goto("/p/openmpi/r/MPI_Barrier?machine=node-tcp")

    page.get_by_role("link", name="Scaling error").click()
    # Messages of one size are made for weak scaling, on which the page opens.
    expect(
        plot(page, "Weak scaling efficiency of MPI_Barrier on node-tcp")
    ).to_be_visible()
    page.get_by_label("Scaling", exact=True).select_option("strong")

    pairs = plot(page, "Strong scaling efficiency of MPI_Barrier on node-tcp")
    expect(pairs.locator(".contourlayer .contourfill path").first).to_be_attached()
    begun = "Strong scaling efficiency of MPI_Barrier from 2 processes on"
    expect(
        plot(page, begun).locator(".scatterlayer .points path").first
    ).to_be_visible()
    page.get_by_role("link", name="Scaling error α").click()
    contours = plot(page, "Strong scaling error of MPI_Barrier on node-tcp")
    expect(contours.locator(".contourlayer .contourlabels text").first).to_be_attached()
    rows = plot(page, "Scaling error from 2 processes on")
    expect(rows.locator(".legendtext")).to_have_text(["node-shm", "node-tcp"])
    page.get_by_label("Compare with").select_option("commit v5.0.8")
    expect(page).to_have_url(re.compile(r"vs=commit%3Dv5\.0\.8"))
    expect(plot(page, "Difference of scaling errors")).to_be_visible()


def test_keys_go_through_the_rows_and_explain_themselves(page: Page):
    page.goto("/p/openmpi")
    rows = region_links(page)

    page.keyboard.press("j")
    expect(rows.first).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows.first).to_be_focused()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("MPI_Barrier")


def test_escape_leaves_the_filter_to_its_rows(page: Page):
    page.goto("/p/openmpi")
    filter_field = page.get_by_role("searchbox")

    page.keyboard.press("/")
    page.keyboard.type("bcast")
    page.keyboard.press("Escape")
    page.keyboard.press("j")

    expect(filter_field).to_have_value("bcast")
    expect(page.get_by_role("link", name="MPI_Bcast").first).to_be_focused()


def test_first_own_result_in_ci_is_one_click_away(page: Page):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/")

    page.get_by_role("link", name="Add data").click()

    for words in (
        "scalewatch token create ci --project openmpi",
        "scalewatch-agent mpi --project openmpi",
        "scalewatch gate --project openmpi",
    ):
        expect(page.get_by_text(words).first).to_be_in_viewport()
    page.get_by_role("link", name="GitLab").click()
    expect(page.get_by_text("--report gitlab > gate.xml")).to_be_in_viewport()


def test_menu_of_a_project_says_where_one_is(page: Page):
    page.goto("/p/openmpi")
    menu = page.get_by_role("navigation", name="Project")
    here = menu.locator("[aria-current=page]")
    expect(here).to_have_text("Overview")

    menu.get_by_role("link", name="Scaling").click()

    expect(here).to_have_text("Scaling")


def test_narrow_menu_scrolls_to_the_page_that_is_shown(page: Page):
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto("/p/openmpi/settings")

    current = page.get_by_role("navigation", name="Project").locator("[aria-current]")
    expect(current).to_have_text("Settings")
    expect(current).to_be_in_viewport(ratio=1)
