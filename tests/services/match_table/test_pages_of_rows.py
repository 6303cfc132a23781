import pytest

from scalewatch.errors import NotFound
from scalewatch.services.commits.find import find_commit
from scalewatch.services.match_table.table import Only, RowChoice, Sort, match_table
from scalewatch.services.selection import pages
from scalewatch.services.selection.view import View
from scalewatch.services.series import snapshots
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from support.wide_project import Width, record_wide_project

WIDE = View("wide")
WIDTH = Width(regions=30, machines=4)
BY_NAME = RowChoice(sort=Sort.NAME)


@pytest.fixture
def wide(sessions):
    record_wide_project(sessions, WIDTH)
    with sessions.reading() as session:
        yield session


@pytest.fixture
def pages_of_eight(monkeypatch):
    monkeypatch.setattr(pages, "MOST_CELLS", 8 * WIDTH.machines)


@pytest.fixture
def outlines(monkeypatch):
    """Let commits be read as if they had more series than are kept whole."""
    monkeypatch.setattr(snapshots, "MOST_SERIES", 10)
    monkeypatch.setattr(snapshots, "PART", 40)


def rows_of_all_pages(session, choice, **options):
    rows, cursor = [], None
    while True:
        shown = RowChoice(choice.sort, choice.only, choice.filter, cursor)
        table = match_table(session, WIDE, choice=shown, **options)
        rows += table.rows
        cursor = table.next
        if cursor is None:
            return rows


def test_table_below_the_limit_has_one_page(wide):
    table = match_table(wide, WIDE)

    assert (len(table.rows), table.total, table.next) == (30, 30, None)
    assert not table.page.is_part


def test_rows_come_by_their_steepest_growth_or_largest_value(wide):
    by_growth = match_table(wide, WIDE, choice=RowChoice(sort=Sort.GROWTH)).rows
    by_cost = match_table(wide, WIDE, choice=RowChoice(sort=Sort.COST)).rows

    steepest = [
        max(growth for cell in row.cells if (growth := cell.standing.growth))
        for row in by_growth
    ]
    assert steepest == sorted(steepest, reverse=True)
    assert steepest[0] > steepest[-1]
    ids = [[cell.series for cell in row.cells if cell.series] for row in by_cost]
    project = projects.existing(wide, "wide")
    now = CommitSnapshot.of(wide, find_commit(wide, project, None))
    medians = now.medians([series for row in ids for series in row])
    costs = [
        max(medians[series].values[64] for series in row if series in medians)
        for row in ids
    ]
    assert costs == sorted(costs, reverse=True)
    assert {row.region for row in by_cost} == {row.region for row in by_growth}


@pytest.mark.usefixtures("pages_of_eight")
def test_page_has_as_many_rows_as_cells_are_allowed(wide):
    table = match_table(wide, WIDE)

    assert (len(table.rows), table.total, table.next) == (8, 30, "8")
    assert sum(table.counts.values()) > 8 * WIDTH.machines  # of all rows


@pytest.mark.usefixtures("outlines")
@pytest.mark.parametrize(
    "choice",
    [
        RowChoice(),
        BY_NAME,
        RowChoice(sort=Sort.CHANGED),
        RowChoice(sort=Sort.GROWTH),
        RowChoice(sort=Sort.COST),
        RowChoice(only=Only.MISMATCH),
        RowChoice(only=Only.CHANGED),
    ],
)
def test_pages_together_are_the_whole_table(wide, monkeypatch, choice):
    with monkeypatch.context() as as_usual:
        as_usual.setattr(snapshots, "MOST_SERIES", 10_000)
        whole = match_table(wide, WIDE, choice=choice)
        wide.info.clear()

    monkeypatch.setattr(pages, "MOST_CELLS", 8 * WIDTH.machines)
    assert rows_of_all_pages(wide, choice) == list(whole.rows)
    paged = match_table(wide, WIDE, choice=choice)
    assert paged.columns == whole.columns
    assert (paged.series, paged.fixed) == (whole.series, whole.fixed)
    assert paged.suspicions == whole.suspicions


@pytest.mark.usefixtures("pages_of_eight")
def test_filter_looks_through_all_rows_of_a_table_in_pages(wide):
    table = match_table(wide, WIDE, choice=RowChoice(filter="Kernel_029"))

    assert [row.region for row in table.rows] == [WIDTH.region(29)]
    assert (table.page.total, table.total) == (1, 30)


@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "٣", "9" * 20])
def test_cursor_that_names_no_page_is_refused(wide, cursor):
    with pytest.raises(NotFound):
        match_table(wide, WIDE, choice=RowChoice(cursor=cursor))


def test_page_behind_the_last_is_empty(wide):
    table = match_table(wide, WIDE, choice=RowChoice(cursor="400"))

    assert (table.rows, table.next) == ((), None)
