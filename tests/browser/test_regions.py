"""The page of a region: forecasts, residuals, expectations."""

import re

import pytest
from playwright.sync_api import Page, expect

from scalewatch.wire import RunReport
from support.openmp_runs import FORMULA, openmp_runs
from support.recorded import record, record_half_failed_project, record_project

REACH = "plot => Math.max(...plot.data.flatMap((trace) => [...(trace.x ?? [])]))"
"""The largest p that a plot draws something at."""


@pytest.fixture
def region(page: Page, sessions) -> Page:
    record_project(sessions)
    page.goto("/p/openmpi/r/MPI_Barrier?machine=node-tcp")
    return page


def test_slider_forecasts_in_place_and_the_address_remembers(region: Page):
    slider = region.get_by_label("Doublings beyond what was measured")
    figure = region.get_by_role("figure", name="Time of MPI_Barrier on node-tcp")
    expect(figure.locator(".scatterlayer .trace").first).to_be_attached()
    assert figure.locator(".js-plotly-plot").evaluate(REACH) < 4096

    slider.fill("7")
    slider.dispatch_event("change")

    expect(region.get_by_text("At p = 4,096, the time is forecast")).to_be_visible()
    head = region.get_by_role("region", name="Verdict").first
    expect(head).to_contain_text("At p = 4,096, 128× the largest run: ")
    expect(region).to_have_url(re.compile(r"target=4096"))
    # The model goes on, dotted, beyond what was measured.
    plot = figure.locator(".js-plotly-plot").element_handle()
    region.wait_for_function(f"plot => ({REACH})(plot) === 4096", arg=plot)
    region.reload()
    expect(region.get_by_label("Target scale p")).to_have_value("4096")
    expect(slider).to_have_value("7")


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

    expect(
        page.get_by_role("heading", name="No successful measurement")
    ).to_be_visible()
    expect(page.get_by_text("It deadlocked.").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(0)


def test_new_version_of_an_expectation_is_shown_above_the_former_ones(region: Page):
    versions = region.get_by_role("table", name="Versions of the expectation")
    rows = versions.get_by_role("row")
    former = rows.count()

    region.get_by_text("Change what is expected").click()
    region.get_by_label("Growth, in big-O notation").fill("O(p)")
    region.get_by_label("Saved by").fill("Ada")
    region.get_by_label("Why").fill("a line will do here")
    region.get_by_role("button", name="Save a new version").click()

    expect(rows).to_have_count(former + 1)
    expect(rows.nth(1)).to_contain_text("a line will do here")


def test_machine_and_run_say_where_numbers_come_from(region: Page):
    region.get_by_role("link", name="node-tcp").last.click()
    expect(region.get_by_role("heading", level=1)).to_contain_text("node-tcp")
    expect(region.get_by_role("heading", name="Fingerprint")).to_be_visible()
    expect(region.get_by_role("heading", name="Noise")).to_be_visible()
    region.go_back()

    region.get_by_role("rowheader").get_by_role("link", name="32").click()
    payload = region.get_by_role("link", name="payload as it was posted")
    posted = region.request.get(payload.get_attribute("href") or "").json()

    assert posted["machine"]["name"] == "node-tcp"
    assert posted["coordinate"] == {"p": 32}


@pytest.mark.parametrize(
    "address",
    [
        "/p/hydro/r/mesh%3A%3Afind_neighbours?machine=juwels",
        pytest.param(
            "/p/hydro/r/mesh%3A%3Afind_neighbours", marks=pytest.mark.thorough
        ),
        pytest.param("/p/hydro/scaling/contours", marks=pytest.mark.thorough),
        "/p/hydro/compare/juwels...lumi",
    ],
)
def test_plots_begin_with_the_room_that_their_words_need(
    large_page: Page, address: str
):
    large_page.goto(address)
    expect(
        large_page.locator("[data-figure][aria-busy=false] .main-svg").first
    ).to_be_visible()
    expect(large_page.locator("[data-figure][aria-busy=true]")).to_have_count(0)

    begun_and_taken = large_page.locator("[data-figure]").evaluate_all(
        """(plots) => plots.map((plot) => ["l", "t", "b"].map(
            (side) => [plot.layout.margin[side], plot._fullLayout._size[side],
                plot._fullLayout.font.size]))"""
    )

    assert begun_and_taken
    for begun, taken, font in (each for figure in begun_and_taken for each in figure):
        # How high a row of text is, the system's font decides.
        assert taken == pytest.approx(begun, abs=font / 3), "far from what it took"


def test_values_under_the_pointer_are_written_as_on_the_page(large_page: Page):
    large_page.goto("/p/hydro/r/mesh%3A%3Afind_neighbours?machine=juwels")
    plot = large_page.locator("[data-figure*='figures/scaling'][aria-busy=false]")
    plot.locator(".main-svg").first.wait_for()

    plot.evaluate(
        """(plot) => Plotly.Fx.hover(plot, [
            {curveNumber: plot.data.findIndex((trace) => trace.error_y), pointNumber: 0}
        ])"""
    )

    told = plot.locator(".hoverlayer")
    expect(told).to_contain_text(re.compile(r"median \d[\d.]* [µm]s"))
    expect(told).to_contain_text(
        re.compile(r"quartiles \d[\d.]* [µm]s to \d[\d.]* [µm]s")
    )


def test_column_of_remarks_is_there_where_something_is_remarked(page: Page, sessions):
    record_project(sessions)
    record_half_failed_project(sessions)
    remarks = page.get_by_role("columnheader", name="Remarks")

    page.goto("/p/openmpi/scaling/contours")
    expect(page.get_by_role("columnheader", name="Area")).to_be_visible()
    expect(remarks).to_be_hidden()
    page.goto("/p/fragile/scaling/contours?region=solve")

    expect(remarks).to_be_visible()


def test_a_click_on_a_commit_lays_its_curve_under_the_present_one(large_page: Page):
    page = large_page
    page.goto("/p/hydro/r/mesh%3A%3Afind_neighbours?machine=aurora")
    history = page.get_by_role("figure", name="Time over commits")
    expect(history.locator(".scatterlayer path.point").first).to_be_visible()

    history.locator(".scatterlayer path.point").nth(20).click(force=True)

    expect(page).to_have_url(re.compile("under=[0-9a-f]{40}"))
    upper = page.get_by_role("figure", name="Time of").first
    expect(upper.get_by_text(re.compile("^at "))).to_be_visible()
    expect(page.get_by_label("Lay under it")).to_have_value(
        re.compile("^[0-9a-f]{40}$")
    )


def test_composed_model_is_drawn_beside_measurements_and_told_at_a_target(
    page: Page, site: str, sessions
):
    runs = openmp_runs(factor=1.2)
    record(sessions, [RunReport.model_validate(each, strict=False) for each in runs])
    promise = {"region": "cg", "growth": None, "formula": FORMULA}
    declared = page.request.put(
        f"{site}/api/v1/projects/openmp-gcc/expectations",
        data={"author": "ada", "expectations": [promise]},
    )
    assert declared.ok, declared.text()
    record(sessions, [])  # until the series are judged by it

    page.goto("/p/openmp-gcc?view=table&metric=time")
    cell = page.get_by_role("row", name="cg").get_by_role("cell").nth(1)
    expect(cell).to_contain_text("match")
    cell.get_by_role("link").click()

    expect(page.locator(".lead")).to_contain_text("measured/composed 1.20 to 1.20")
    figure = page.get_by_role("figure", name="Measured and composed time of cg on node")
    expect(figure.locator(".scatterlayer .trace")).to_have_count(4)
    rows = page.get_by_role("table", name="Measured and composed time of cg on node")
    expect(rows.get_by_role("row")).to_have_count(9)

    page.get_by_label("Target scale threads").fill("8")
    page.keyboard.press("Enter")

    answer = page.get_by_text("At threads = 8, N = 4000000: composed")
    expect(answer).to_contain_text("to expect")


def test_how_much_worse_each_machine_became_is_seen_without_scrolling(large_page: Page):
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.goto("/p/hydro/r/mesh%3A%3Afind_neighbours")

    table = large_page.get_by_role("region", name="Verdicts by machine")

    expect(table).to_contain_text("7.3× slower at p = 128")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0
    large_page.set_viewport_size({"width": 360, "height": 900})
    heights = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => row.clientHeight)"
    )
    assert max(heights) < 60
