"""Questions of a first-time user: the answer is two clicks from home, on one screen.

The screen is that of a laptop, 1440 × 900, of the project of real size.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

HEIGHT = 900


@pytest.fixture
def home(large_page: Page) -> Page:
    large_page.set_viewport_size({"width": 1440, "height": HEIGHT})
    large_page.goto("/")
    return large_page


def is_on_first_screen(part: Locator) -> bool:
    """Tell whether something is seen without scrolling."""
    expect(part).to_be_visible()
    box = part.bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= HEIGHT


def worst_region(home: Page) -> Page:
    """Follow what home names first, and the first machine there: two clicks."""
    attention = home.get_by_role("heading", name="Needs attention").locator("..")
    attention.get_by_role("link").first.click()
    machines = home.get_by_role("region", name="Verdicts by machine")
    machines.get_by_role("link", name="aurora").click()
    return home


def test_the_worst_region_and_why(home: Page):
    region = worst_region(home)

    expect(region.get_by_role("heading", level=1)).to_have_text("mesh::find_neighbours")
    verdict = region.get_by_text("scales worse than promised: O(p) instead of O(log p)")
    assert is_on_first_screen(verdict)
    curve = region.get_by_role("figure", name="Time of mesh::find_neighbours")
    assert is_on_first_screen(curve)
    assert is_on_first_screen(curve.get_by_text("expected log p"))
    assert is_on_first_screen(region.get_by_text("At p = 2,048, 16× the largest run"))


def test_since_when_and_by_which_commit(home: Page):
    region = worst_region(home)

    since = region.get_by_text("Since c28aca23f1 “Change number 140” (28 Jan 2026)")
    assert is_on_first_screen(since)
    expect(since).to_contain_text("O(log p) → O(p), 7.3× slower at p = 128")
    expect(since.get_by_role("link", name=re.compile("regression"))).to_be_visible()
    history = region.get_by_role("figure", name="Exponent over commits")
    expect(history.locator(".scatterlayer path.point").first).to_be_visible()
    box = history.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] / 2 <= HEIGHT
