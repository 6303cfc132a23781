"""The page of traces: a code that others have traced, reduced by the agent."""

from functools import cache
from uuid import uuid5

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from scalewatch.wire import RunReport
from scalewatch_agent.cli import main
from support.recorded import record, record_project
from support.traces import foreign

EPOCH = "/p/epoch/traces"
FACTORS = {
    "Parallel efficiency": "99.9 % 99.4 % 97.3 % 95.7 % 95.2 %",
    "Load balance": "100 % 99.8 % 98.7 % 98.3 % 99.2 %",
    "Communication efficiency": "99.9 % 99.6 % 98.6 % 97.4 % 95.9 %",
}
"""What BSC's own tool says of these traces, to the digits of the page."""


FIRST = "v1.1"


@cache
def reduced_runs() -> list[RunReport]:
    """Return the runs that the agent posts of the traces of EPOCH at a commit."""
    words = ["trace", "--read", str(foreign("epoch")), "--dry-run", "--json"]
    words += ["--project", "epoch", "--machine", "jureca", "--commit", FIRST]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return [RunReport.model_validate_json(line) for line in done.stdout.splitlines()]


def of_commit(sha: str) -> list[RunReport]:
    """Return the same runs as those of another commit."""
    commit = reduced_runs()[0].commit.model_copy(update={"sha": sha})
    return [
        run.model_copy(update={"id": uuid5(run.id, sha), "commit": commit})
        for run in reduced_runs()
    ]


@pytest.fixture
def traces(page: Page, sessions) -> Page:
    for runs in (reduced_runs(), of_commit("v1.2")):
        record(sessions, runs)
    page.goto(f"{EPOCH}?commit=v1.2")
    return page


def test_real_trace_has_its_sentence_its_factors_and_its_ranked_locations(traces: Page):
    summary = traces.get_by_role("region", name="Summary")
    expect(summary).to_contain_text(
        "of 50 locations make the overhead scale worse than p: "
    )
    expect(summary).to_contain_text(
        "mpi_routines::mpi_minimal_init › MPI_Comm_dup (mpi_routines.F90:32)"
    )
    expect(summary).to_contain_text("5 traces on jureca at p = 1, 2, 4, 8, 16")

    factors = traces.get_by_role("table", name="Efficiencies over the number")
    for factor, values in FACTORS.items():
        row = factors.get_by_role("row").filter(has_text=factor)
        cells = row.get_by_role("cell").all_inner_texts()
        assert " ".join(" ".join(cells[:5]).split()) == values
    locations = traces.get_by_role("table", name="Locations by overhead at p = 64")
    ranked = locations.locator("tbody tr").all_inner_texts()
    assert "finish.f90:42" in ranked[0]
    exchange = locations.get_by_role("row").filter(has_text="boundary.F90:741").first
    exchange.get_by_role("link").first.click()
    expect(
        traces.get_by_role("heading", name="particle_periodic_bcs › MPI_Sendrecv 4")
    ).to_be_visible()
    expect(traces.locator("#extrapolation + p")).to_contain_text("boundary.F90:741")
    expect(traces.locator(".figure__plot .main-svg").first).to_be_visible()


def test_another_commit_stands_beside_the_first(traces: Page):
    with traces.expect_navigation():
        traces.get_by_label("Beside it").select_option(label="commit v1.1")

    compared = traces.get_by_role("table", name="Overhead at the largest p of each")
    rows = compared.locator("tbody tr")
    for at in range(3):
        # The same traces under another name take the same time.
        here, there = rows.nth(at).get_by_role("cell").all_inner_texts()[:2]
        assert here == there
        assert here.endswith("s")


def test_keyboard_reaches_every_control_and_table(traces: Page):
    reached = []
    for _ in range(120):
        traces.keyboard.press("Tab")
        reached.append(
            traces.evaluate(
                "document.activeElement.id"
                " || document.activeElement.getAttribute('aria-label')"
                " || document.activeElement.ariaLabelledByElements?.[0]?.innerText"
            )
        )

    wanted = ["commit", "metric", "repeat", "vs", "target", "Efficiencies", "Locations"]
    assert [*dict.fromkeys(each for each in reached if each in wanted)] == wanted


def test_narrow_page_scrolls_its_tables_and_not_itself(traces: Page):
    traces.set_viewport_size({"width": 360, "height": 800})

    expect(traces.get_by_role("table", name="Locations by overhead")).to_be_visible()
    assert (
        traces.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    )


def test_project_without_traces_says_how_to_take_them(page: Page, sessions):
    record_project(sessions)

    page.goto("/p/openmpi/traces")

    expect(page.get_by_role("heading", name="No trace yet")).to_be_visible()
    expect(page.locator("code#measure")).to_contain_text("scalewatch-agent trace")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
