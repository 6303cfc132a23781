from dataclasses import replace
from datetime import UTC, datetime

import pytest

from scalewatch.pages.rendering.cells import (
    ALONE,
    PANEL,
    UNMEASURED_HEAT,
    cell_words,
    heat_row,
    panels,
)
from scalewatch.services.match_table.cells import RecentChange
from scalewatch.services.match_table.table import match_table
from scalewatch.services.selection.view import View
from support import sentences
from support.recorded import record_half_failed_project, record_project

SHOWN = {"with_metric": False, "is_hidden": False}
AUGUST = datetime(2026, 8, 3, tzinfo=UTC)


def words_of(session, project: str) -> dict[tuple[str, str], str]:
    """Return the words of all cells of the newest commit, by region and machine."""
    return {
        (row.region, cell.machine): cell_words(
            cell.standing, cell.recent, row.expectation
        )
        for row in match_table(session, View(project)).rows
        for cell in row.cells
    }


def test_cells_say_their_verdicts_and_what_was_promised(sessions):
    record_project(sessions)

    with sessions.reading() as session:
        words = words_of(session, "openmpi")
    assert words["MPI_Barrier", "node-tcp"] == sentences.BARRIER_MISMATCH
    assert words["MPI_Reduce", "node-tcp"] == sentences.REDUCE_APPROXIMATE
    assert words["MPI_Bcast", "node-shm"] == "match, O(log p)"
    assert words["MPI_Gather", "node-tcp"] == "not measured"


def test_cells_of_what_failed_say_why(sessions):
    record_half_failed_project(sessions)

    with sessions.reading() as session:
        words = words_of(session, "fragile")
    assert words["transpose", "steady"] == "failed, it deadlocked"
    assert words["solve", "steady"] == sentences.ON_ITS_WAY
    assert words["solve", "broken"].startswith("failed, ")


@pytest.mark.parametrize("way", ["worse", "better"])
def test_corner_tells_of_a_recent_change(sessions, way: str):
    record_project(sessions)
    is_worse = way == "worse"
    with sessions.reading() as session:
        row = match_table(session, View("openmpi")).rows[0]
    changed = replace(row.cells[0], recent=RecentChange(AUGUST, is_worse, 7))

    cell = heat_row(replace(row, cells=(changed,)), "/region?a=b", **SHOWN)

    assert f"{way} since 2026-08-03" in cell
    assert ("heat--worsened" in cell) is is_worse
    assert ("heat--improved" in cell) is not is_worse


def test_unmeasured_cell_leads_nowhere(sessions):
    record_project(sessions)
    with sessions.reading() as session:
        rows = match_table(session, View("openmpi")).rows
    (gather,) = (row for row in rows if row.region == "MPI_Gather")

    row = heat_row(replace(gather, cells=gather.cells[1:2]), "/r", **SHOWN)

    assert row.count("<td") == 1
    assert UNMEASURED_HEAT in row


def test_row_has_its_name_metric_and_settings_escaped(sessions):
    record_project(sessions)
    with sessions.reading() as session:
        row = match_table(session, View("openmpi")).rows[0]
    odd = replace(row, region="a<b>", configuration={"flags": "-O3 & <x>"})

    told = heat_row(odd, "/r?a=1&b=2", with_metric=True, is_hidden=True)

    assert told.startswith('<tr hidden data-filter-text="a&lt;b&gt;">')
    assert 'href="/r?a=1&amp;b=2" title="a&lt;b&gt; · time · flags' in told
    assert "<bdi>a&lt;b&gt;</bdi>" in told
    assert '<span class="quiet">time</span>' in told
    assert "= -O3 &amp; &lt;x&gt;</span>" in told.replace("\u202f", " ")


@pytest.mark.parametrize(("machines", "most"), [(10, PANEL), (30, ALONE)])
@pytest.mark.parametrize("number", [0, 1, PANEL, PANEL + 1, 40, 400])
def test_panels_hold_every_row_once_and_are_of_about_one_length(
    number: int, machines: int, most: int
):
    rows = list(range(number))

    parts = panels(rows, machines)

    assert [row for part in parts for row in part] == rows
    assert all(len(part) <= most for part in parts)
    assert len(parts) == -(-number // most)
    assert not parts or len(parts[0]) - len(parts[-1]) < len(parts)


def test_a_metric_of_which_nothing_is_expected_says_so_before_the_map(large_client):
    page = large_client.get("/p/hydro", params={"metric": "memory"}).text
    table = large_client.get("/p/hydro?view=table").text

    assert sentences.MEMORY_UNJUDGED in page
    assert "adjusted R²" not in page
    assert "adjusted R²" in table
