"""Questions of a first-time user: the answer is two clicks from home, on one screen.

The screen is that of a laptop, 1440 × 900, of the project of real size.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

HEIGHT = 900

MOST_STEPS = 60
"""Stops of the keyboard before a link that answers."""


LEAVES = """(plot) => {
    const end = (kind, of) => plot.data.filter(kind).map(({ y }) => of(y)).at(-1);
    const limit = end(({ meta }) => meta === "band", (y) => y[y.length / 2]);
    return end(({ name }) => name?.startsWith("model"), (y) => y.at(-1)) / limit;
}"""
"""By which factor a model is above its tolerance where it ends."""


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
    verdict = region.get_by_text("scales worse than expected: O(p) instead of O(log p)")
    assert is_on_first_screen(verdict)
    curve = region.get_by_role("figure", name="Time of mesh::find_neighbours")
    assert is_on_first_screen(curve)
    assert curve.locator("[data-figure]").evaluate(LEAVES) > 1
    assert is_on_first_screen(curve.get_by_text("expected log p"))
    assert is_on_first_screen(region.get_by_text("At p = 2,048, 16× the largest run"))


def test_since_when_and_by_which_commit(home: Page):
    region = worst_region(home)

    since = region.get_by_text("Since c28aca23f1 “Change number 140” (28 Jan 2026)")
    assert is_on_first_screen(since)
    expect(since).to_contain_text("O(log p) → O(p), 7.3× slower at p = 128")
    expect(since.get_by_role("link", name=re.compile("regression"))).to_be_visible()
    history = region.get_by_role("figure", name="Time over commits")
    expect(history.locator(".scatterlayer path.point").first).to_be_visible()
    box = history.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] / 2 <= HEIGHT


def test_which_machine_is_better_where(home: Page):
    home.get_by_role("link", name="Compare machines").click()

    said = home.get_by_text(re.compile(r"× slower on \w+ than on aurora at p = 128"))
    assert is_on_first_screen(said)
    expect(said).to_contain_text("; the other 39 regions are worse on juwels, too.")
    matrix = home.get_by_role("table", name=re.compile("a column is worst"))
    pair = matrix.get_by_role("row", name=re.compile("^aurora –"))
    assert is_on_first_screen(pair)
    home.get_by_text("Wins of each side").click()
    counted = home.get_by_text("aurora against frontier: aurora is better in")
    expect(counted).to_contain_text("of 39 regions from p = 4 on (probability")

    pair.get_by_role("link").first.click()

    ratios = home.get_by_role("figure", name="Ratio of time, frontier to aurora")
    assert is_on_first_screen(ratios)
    assert is_on_first_screen(ratios.get_by_text("aurora better"))
    assert is_on_first_screen(ratios.get_by_text("frontier better"))
    expect(ratios.locator(".scatterlayer .trace").first).to_be_attached()


def test_where_efficiency_is_lost(home: Page):
    home.get_by_role("heading", name="hydro").get_by_role("link").click()
    home.get_by_role("link", name="Scaling", exact=True).click()

    expect(home.get_by_role("heading", level=1)).to_contain_text(
        "mesh::find_neighbours"
    )
    assert is_on_first_screen(home.get_by_text("parallel efficiency").first)
    home.get_by_role("link", name="Contours").click()
    assert is_on_first_screen(home.get_by_text(re.compile(r"efficiency \d\.\d.%")))
    lost = home.get_by_text(
        "From 16 processes on, less than half of the efficiency is left"
    )
    assert is_on_first_screen(lost)
    for name, marks in (
        ("from 4 processes on", ".scatterlayer .trace"),
        ("on aurora", ".contourlayer .contourfill path"),
    ):
        figure = home.get_by_role(
            "figure", name=f"efficiency of mesh::find_neighbours {name}"
        )
        assert is_on_first_screen(figure)
        expect(figure.locator(marks).first).to_be_attached()


def test_first_own_result_in_ci(home: Page):
    home.get_by_role("link", name="Add data").click()
    home.get_by_label("Project, known or new").fill("mine")
    home.get_by_role("button", name="Use this name").click()

    for command in (
        "scalewatch token create ci --project mine --role ingest",
        "pip install 'scalewatch[agent]",
        "scalewatch-agent mpi --project mine --server http",
    ):
        assert is_on_first_screen(home.get_by_text(command).first)
    expect(home.get_by_role("link", name="GitHub")).to_have_attribute(
        "aria-current", "page"
    )
    assert is_on_first_screen(
        home.get_by_text("Into .github/workflows/scalability.yml")
    )
    workflow = home.locator("pre").filter(has_text="name: scalability")
    expect(workflow).to_contain_text("scalewatch gate --project mine")
    for other in ("GitLab", "Plain curl"):
        assert is_on_first_screen(home.get_by_role("link", name=other))


def press_to(page: Page, link: Locator) -> None:
    """Go on to a link by the keyboard alone, and open it."""
    expect(link).to_be_attached()
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if link.evaluate("(link) => link === document.activeElement"):
            break
    else:
        pytest.fail(f"{link} is not among the first {MOST_STEPS} stops")
    page.keyboard.press("Enter")


def test_the_worst_region_is_reached_by_keyboard(home: Page):
    attention = home.get_by_role("heading", name="Needs attention").locator("..")
    press_to(home, attention.get_by_role("link").first)
    machines = home.get_by_role("region", name="Verdicts by machine")
    press_to(home, machines.get_by_role("link", name="aurora"))
    assert is_on_first_screen(home.get_by_text("scales worse than expected"))
    assert is_on_first_screen(home.get_by_text("Since c28aca23f1"))


@pytest.mark.thorough
def test_the_better_machine_is_reached_by_keyboard(home: Page):
    press_to(home, home.get_by_role("link", name="Compare machines"))
    assert is_on_first_screen(home.get_by_text("than on aurora at p = 128").first)


@pytest.mark.thorough
def test_where_efficiency_is_lost_is_reached_by_keyboard(home: Page):
    press_to(home, home.get_by_role("heading", name="hydro").get_by_role("link"))
    press_to(home, home.get_by_role("link", name="Scaling", exact=True))
    press_to(home, home.get_by_role("link", name="Contours"))
    assert is_on_first_screen(home.get_by_text("less than half of the efficiency"))


def test_first_own_result_is_reached_by_keyboard(home: Page):
    press_to(home, home.get_by_role("link", name="Add data"))
    home.get_by_label("Project, known or new").press("Control+a")
    home.keyboard.type("mine")
    home.keyboard.press("Enter")
    assert is_on_first_screen(
        home.get_by_text("scalewatch-agent mpi --project mine").first
    )
