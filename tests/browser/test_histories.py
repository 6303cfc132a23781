"""History and regressions, of a broadcast that turns from a tree into a line."""

import re

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.histories import LINEAR, TREE, record_history, sha

PRESS_AFTER_MOVING = """async (dot) => {
  const { left, top, width, height } = dot.getBoundingClientRect();
  const place = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 };
  const plot = dot.closest(".js-plotly-plot").querySelector(".nsewdrag");
  for (const kind of ["mousemove", "mousemove", "mousedown"]) {
    plot.dispatchEvent(new MouseEvent(kind, place));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  document.dispatchEvent(new MouseEvent("mouseup", place));
}"""
"""A click right after the pointer moved, held until plotly looks what is under it."""


@pytest.fixture
def history(page: Page, sessions: Sessions) -> Page:
    record_history(
        sessions, lambda number: {"MPI_Bcast": LINEAR if number >= 13 else TREE}, 16
    )
    page.goto("/p/mpich/history?region=MPI_Bcast")
    return page


def test_history_leads_to_the_regression_which_somebody_takes_over(history: Page):
    expect(
        history.get_by_text("like O(log p) before: 5.0× slower at p = 64")
    ).to_be_visible()
    figure = history.get_by_role("figure", name="O(p) since")
    expect(figure.locator(".scatterlayer path.point")).to_have_count(16)

    changes = history.get_by_role("region", name="Changes")
    changes.get_by_role("link", name="1", exact=True).click()

    expect(history).to_have_url(
        re.compile(r"/p/mpich/regressions/\w+/growth/MPI_Bcast$")
    )
    expect(history.get_by_role("main")).to_contain_text("O(log p) → O(p), 5.0× slower")
    expect(history.get_by_role("figure", name="before and after")).to_be_visible()
    history.get_by_text("Owner, note and link").click()
    history.get_by_label("State").select_option("acknowledged")
    history.get_by_label("Owner").fill("ada")
    history.get_by_role("button", name="Save").click()
    expect(history.get_by_role("main")).to_contain_text("acknowledged · owned by ada")


def test_history_can_be_spaced_by_dates(history: Page):
    history.get_by_label("Axis").select_option("date")

    expect(history).to_have_url(
        "/p/mpich/history?region=MPI_Bcast&metric=time&show=value&last=400&axis=date"
    )


def test_keys_go_from_commit_to_commit_and_open_one(history: Page):
    figure = history.get_by_role("figure", name="O(p) since")
    plot = figure.get_by_role("group", name="Commits")
    plot.focus()

    history.keyboard.press("ArrowLeft")
    history.keyboard.press("ArrowLeft")

    # The newest commit comes first; a message follows its name and precedes its day.
    expect(figure.locator("[aria-live]")).to_contain_text("Change 15")
    expect(figure.locator(".hoverlayer")).to_contain_text("time at p = 64: ")
    history.keyboard.press("Enter")
    expect(history).to_have_url(f"/p/mpich/c/{sha(15)}")


def test_a_click_on_a_commit_opens_it(history: Page):
    figure = history.get_by_role("figure", name="O(p) since")
    dots = figure.locator(".scatterlayer path.point")
    expect(dots).to_have_count(16)

    box = dots.nth(15).bounding_box()
    history.mouse.move(box["x"] - 3, box["y"] + 2)
    history.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(figure.locator(".hoverlayer")).to_contain_text("Change 16")
    history.mouse.down()
    history.mouse.up()

    expect(history).to_have_url(f"/p/mpich/c/{sha(16)}")


def test_a_click_right_after_the_pointer_moved_is_not_lost(history: Page):
    figure = history.get_by_role("figure", name="O(p) since")
    dots = figure.locator(".scatterlayer path.point")
    expect(dots).to_have_count(16)
    expect(figure.get_by_role("group", name="Commits")).to_be_visible()

    dots.nth(15).evaluate(PRESS_AFTER_MOVING)

    expect(history).to_have_url(f"/p/mpich/c/{sha(16)}")


def test_setting_of_a_configuration_stays_on_one_line(large_page: Page):
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.goto("/p/hydro/history?region=mesh%3A%3Afind_neighbours")

    settings = large_page.locator("figcaption .option")

    expect(settings.first).to_contain_text("gcc-14")
    lines = "all => all.map(each => each.getClientRects().length)"
    assert set(settings.evaluate_all(lines)) == {1}
