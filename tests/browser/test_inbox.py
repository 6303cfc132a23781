"""Twenty alarms are triaged by twenty keys."""

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.many_projects import record_many_projects

ALL = "/inbox?period=all"
OPEN = "main tbody tr"


@pytest.fixture(autouse=True)
def _measured(sessions: Sessions) -> None:
    """Two projects with ten open regressions each."""
    record_many_projects(sessions, projects=2, commits=40)


def states(page: Page) -> list[str]:
    """Return the states of all rows, as they stand on the page."""
    return [text.strip() for text in page.locator("[data-state]").all_inner_texts()]


def test_each_key_acknowledges_a_row_and_goes_to_the_next(page: Page):
    page.goto(ALL)
    assert states(page) == ["open"] * 20
    page.keyboard.press("j")

    for _ in range(20):
        page.keyboard.press("a")

    done = page.locator(".lines__treated")
    expect(done).to_have_count(20)
    page.reload()
    expect(page.get_by_text("Nothing here")).to_be_visible()


def test_a_key_ticks_all_and_another_treats_them(page: Page):
    page.goto(ALL)

    page.keyboard.press("*")
    expect(page.locator("[data-ticked]")).to_have_text("20 ticked:")
    page.keyboard.press("m")

    expect(page.get_by_text("Nothing here")).to_be_visible()
    page.goto(f"{ALL}&state=expected")
    assert states(page) == ["expected"] * 20


def test_rows_are_ticked_and_assigned_without_the_mouse(page: Page):
    page.goto(ALL)

    for key in "jxjx":
        page.keyboard.press(key)
    expect(page.locator("[data-ticked]")).to_have_text("2 ticked:")
    page.keyboard.press("o")
    page.keyboard.type("ada")
    page.keyboard.press("Enter")

    expect(page.locator("tbody bdi", has_text="ada")).to_have_count(2)
    assert states(page) == ["open"] * 20


def test_the_box_above_ticks_all_rows(page: Page):
    page.goto(ALL)
    above = page.get_by_label("All of them")

    above.check()

    expect(page.locator("tbody input:checked")).to_have_count(20)
    page.locator("tbody input").first.uncheck()
    expect(page.locator("[data-ticked]")).to_have_text("19 ticked:")


def test_lines_of_rows_are_drawn(page: Page):
    page.goto(ALL)

    expect(page.locator(".spark--row")).to_have_count(20)
    assert page.locator(".spark--row").first.bounding_box()["width"] > 90
