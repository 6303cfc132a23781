"""One short story per page about what changed, on three releases of a project."""

import re

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.builders import sweep_reports
from support.recorded import PROCESSES, SHARED_MEMORY, record, record_project

SLOW = 60_000
"""Milliseconds that a plot may take on a machine that does much else."""

CHANGED = dict(SHARED_MEMORY) | {
    "MPI_Bcast": lambda p: 1e-6 + 3e-6 * p,
    "MPI_Allreduce": lambda p: 9e-6 + 5e-6 * p,
}


@pytest.fixture(autouse=True)
def _measured(sessions: Sessions) -> None:
    """A third release, whose parent nobody measured, has a slower broadcast."""
    record_project(sessions)
    record(
        sessions,
        sweep_reports(
            PROCESSES,
            CHANGED,
            repetitions=40,
            noise=0.002,
            project="openmpi",
            commit={
                "sha": "3" * 40,
                "tag": "v5.0.12",
                "parents": ["f" * 40],
                "committed_at": "2026-09-05T12:00:00Z",
            },
            machine={"name": "node-shm", "fingerprint": {"cores": 2}},
            configuration={"message_bytes": 256, "transport": "shm"},
        ),
    )


def test_home_tells_what_changed_and_leads_there(page: Page):
    page.goto("/")
    card = page.get_by_role("region", name="openmpi")
    expect(card).to_contain_text("scale worse than expected")
    expect(card).to_contain_text("Since v5.0.11")
    expect(card).to_contain_text("1 new mismatch")

    card.get_by_role("link", name="report").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("What v5.0.12 changed")


def test_commit_report_puts_the_new_mismatch_first_and_warns_of_the_gap(page: Page):
    page.goto("/p/openmpi/c/v5.0.12")

    rows = page.get_by_role("table", name="Series that changed").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("MPI_Bcast")
    expect(rows.nth(1)).to_contain_text("new mismatch")
    expect(page.get_by_text("were not measured, its parent ffffffffff")).to_be_visible()
    expect(
        page.get_by_text("Not measured at this commit yet: node-tcp")
    ).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text("As Markdown").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("openmpi v5.0.12: 1 series is suspected")
    assert "| ? suspected | ✗ new mismatch | MPI\\_Bcast |" in copied

    page.keyboard.press("[")
    expect(page.get_by_role("heading", level=1)).to_have_text("What v5.0.11 changed")
    expect(
        page.get_by_text("No change detected; 7 series are unchanged").first
    ).to_be_visible()


def test_match_table_shows_only_what_changed_and_expands_it_in_place(page: Page):
    page.goto("/p/openmpi?view=table")
    rows = page.get_by_role("table", name="How the time").get_by_role("rowheader")
    expect(rows).to_have_count(5)

    page.get_by_label("Rows").select_option("only worse than the baseline")

    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("only=worse"))
    expect(page.get_by_text("1 of 5 rows shown")).to_be_visible()
    expect(page.locator(".cell .spark use")).to_have_count(1)

    page.keyboard.press("j")
    page.keyboard.press("e")

    figure = page.get_by_role("figure", name="Time of MPI_Bcast on all machines")
    trace = figure.locator(".scatterlayer .trace").first
    expect(trace).to_be_attached(timeout=SLOW)
    expect(page).to_have_url(re.compile("expand=MPI_Bcast"))
    page.reload()
    trace = figure.locator(".scatterlayer .trace").first
    expect(trace).to_be_attached(timeout=SLOW)
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect(figure).to_have_count(0)


def test_machines_side_by_side_lead_from_a_row_to_its_plot(page: Page):
    page.goto("/p/openmpi/compare?choose=1")
    form = page.get_by_role("form", name="Machines to compare")
    form.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare/node-shm\.\.\.node-tcp$"))
    expect(page.get_by_label("At commit")).to_have_value("v5.0.11")
    table = page.get_by_role("table", name="How the time")
    barrier = table.get_by_role("row").filter(has_text="MPI_Barrier")
    expect(barrier).to_contain_text("scales worse")

    table.get_by_role("link", name="MPI_Reduce").click()

    figure = page.get_by_role("figure", name="Time of MPI_Reduce on all sides")
    legend = ["expected log p, for each", "node-shm", "node-tcp"]
    expect(figure.locator(".legendtext")).to_have_text(legend, timeout=SLOW)
    expect(page.get_by_text("MPI_Reduce grows like")).to_contain_text("node-tcp, δ =")


def test_comparison_names_the_winner_above_its_ratios(page: Page):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/")
    page.get_by_role("link", name="Compare machines").click()

    said = page.get_by_text("node-shm is better in 3 of 3 regions from p = 2 on")
    expect(said).to_be_in_viewport()
    figure = page.get_by_role("figure", name="Ratio of time, node-tcp to node-shm")
    expect(figure.locator(".scatterlayer .trace").first).to_be_attached(timeout=SLOW)
    expect(figure).to_be_in_viewport()
    ratios = page.get_by_role("list", name="Ratio of each region, most apart first")
    expect(ratios.get_by_role("listitem")).to_have_count(3)
    expect(ratios).to_contain_text("node-shm better")

    ratios.get_by_role("link", name="MPI_Bcast").click()

    expect(page).to_have_url(re.compile(r"region=MPI_Bcast.*#plotted"))


def test_guidelines_name_what_is_broken_first(page: Page):
    page.goto("/p/openmpi/guidelines")

    rows = page.get_by_role("table", name="Guidelines by machine").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("MPI_Allreduce ⪯ MPI_Reduce + MPI_Bcast")
    expect(rows.nth(1)).to_contain_text(re.compile("broken|will break"))
    page.keyboard.press("/")
    page.keyboard.type("barrier")
    expect(page.get_by_role("rowheader")).to_have_text(["MPI_Barrier ⪯ MPI_Allreduce"])


def test_a_change_expands_to_both_commits_and_says_by_which_factor(page: Page):
    page.goto("/p/openmpi/c/v5.0.12")
    row = page.get_by_role("row", name="MPI_Bcast").first

    row.get_by_role("link", name="Expand MPI_Bcast").click()

    figure = page.get_by_role("figure", name="Time of MPI_Bcast at both commits")
    expect(figure.locator(".scatterlayer .trace").first).to_be_attached(timeout=SLOW)
    said = page.get_by_text("From v5.0.11 to v5.0.12, by all repetitions: another")
    expect(said).to_contain_text("log p before and p now")
    expect(page).to_have_url(re.compile("expand=MPI_Bcast"))
    page.reload()
    expect(said).to_be_visible()
    page.get_by_role("link", name="Expand MPI_Bcast").click()
    expect(figure).to_have_count(0)


def test_small_ratios_of_a_row_are_level(large_page: Page):
    large_page.set_viewport_size({"width": 1280, "height": 900})
    large_page.goto("/p/hydro/compare/juwels...lumi")

    boxes = large_page.locator(".ratios__one .ratio").evaluate_all(
        "all => all.map(each => [each.getBoundingClientRect().left, "
        "each.getBoundingClientRect().top])"
    )

    rows = {left: 0 for left, _ in boxes}
    tops: dict[int, set[float]] = {}
    for left, top in boxes:
        tops.setdefault(rows[left], set()).add(round(top))
        rows[left] += 1
    assert len(rows) > 3
    assert {row: found for row, found in tops.items() if len(found) > 1} == {}
