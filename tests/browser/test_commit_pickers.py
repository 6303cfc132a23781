"""Any commit is found by message, tag or date, by keys alone, and selects stay."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from scalewatch.storage.database.session import Sessions
from support.axe import barriers
from support.histories import TREE, commit, reports
from support.recorded import record

COMMITS = 36
"""More than a select offers of itself: the first ones are found by searching."""
OLD = 2


@pytest.fixture(autouse=True)
def _measured(sessions: Sessions) -> None:
    runs = []
    for number in range(1, COMMITS + 1):
        message = "Sort keys in place" if number == OLD else f"Change {number}"
        parents = [hash_of(number - 1)] if number > 1 else []
        made = commit(number, sha=hash_of(number), parents=parents, message=message)
        runs += reports(number, {"MPI_Bcast": TREE}, commit=made)
    record(sessions, runs)


def hash_of(number: int) -> str:
    """Return a hash whose beginning tells it from others."""
    return f"{number:010x}{'a' * 30}"


def label(number: int) -> str:
    """Return what a commit is called on pages."""
    return hash_of(number)[:10]


def test_old_commit_becomes_the_baseline_by_its_message_and_keys_alone(page: Page):
    page.goto(f"/p/mpich/c/{label(COMMITS)}")
    baseline = page.get_by_label("Baseline")
    assert label(OLD) not in baseline.inner_text()

    baseline.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    options = page.get_by_role("dialog").get_by_role("option")
    expect(options.first).to_contain_text("Change")  # those of the select
    page.keyboard.type("sort keys")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(f"vs={label(OLD)}"))
    expect(page.get_by_label("Baseline")).to_have_value(label(OLD))
    expect(page.get_by_text(f"Compared with {label(OLD)}").first).to_be_visible()


def test_sides_of_a_comparison_are_found_by_date(page: Page):
    page.goto("/p/mpich/compare?choose=1")
    form = page.get_by_role("form", name="Commits to compare")
    day = str(commit(OLD)["committed_at"])[:10]

    form.get_by_role("button", name="Find…").nth(1).click()
    page.keyboard.type(day)
    page.get_by_role("dialog").get_by_role("option", name=label(OLD)).click()
    form.get_by_role("button", name="Compare").click()

    expect(page).to_have_url(re.compile(label(OLD)))


def test_escape_leaves_the_picker_as_it_was(page: Page):
    page.goto("/p/mpich")
    before = page.get_by_label("Commit", exact=True).input_value()

    page.get_by_role("button", name="Find…").first.click()
    page.keyboard.type("sort")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    assert list(barriers(page)) == []
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.get_by_label("Commit", exact=True).input_value() == before


def test_pickers_offer_message_and_day_without_scripts(browser: Browser, page: Page):
    page.goto("/p/mpich")
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(page.url)

    chosen = bare.get_by_label("Commit").locator("option").first

    expect(chosen).to_contain_text(f"Change {COMMITS}")
    expect(bare.get_by_role("button", name="Find…").first).to_be_hidden()
    bare.get_by_label("Commit").select_option(label(COMMITS - 1))
    bare.get_by_role("button", name="Show").first.click()
    expect(bare).to_have_url(re.compile(label(COMMITS - 1)))
    context.close()
