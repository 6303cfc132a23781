import re

import pytest

from scalewatch.pages.histories.commit_map import WIDTH, heat_map
from scalewatch.services.histories.histories import overview_of
from scalewatch.texts.numbers import SPACE
from support.histories import LINEAR, TREE, record_commit
from support.shown_pages import words_of

AT = 13
BEFORE = 3
COMMITS = 19


@pytest.fixture
def heat(sessions):
    """A region that becomes worse and one that does not, after an update."""
    for number in range(1, COMMITS + 1):
        growths = {"MPI_Bcast": LINEAR if number >= AT else TREE, "a": TREE}
        record_commit(sessions, number, growths, cores=64 if number <= BEFORE else 128)
    with sessions.reading() as session:
        return heat_map(overview_of(session, "mpich", None, None), by_date=False)


def test_rows_come_worst_first_with_their_growth_classes(heat):
    worse, steady = heat.rows

    assert worse.series.region == "MPI_Bcast"
    assert [era.growth_class.label for era in worse.eras] == ["log p", "p"]
    assert [era.growth_class.label for era in steady.eras] == ["log p"]
    assert sum(era.width for era in worse.eras) == pytest.approx(WIDTH)


def test_a_regression_is_an_edge_at_its_commit(heat):
    (edge,) = heat.rows[0].edges

    assert edge.is_worse
    assert edge.x == pytest.approx(WIDTH * (AT - 1) / COMMITS)
    assert edge.title.endswith("5.0× slower at p = 64")
    assert heat.rows[1].edges == ()


def test_a_new_state_of_the_machine_is_an_edge_where_levels_moved_with_it(
    heat, sessions
):
    for number in range(1, COMMITS + 1):
        is_old = number < AT
        growths = {"a": (lambda p: 2 * TREE(p)) if is_old else TREE}
        cores = 64 if is_old else 128
        record_commit(sessions, number, growths, cores=cores, project="renewed")
    with sessions.reading() as session:
        moved = heat_map(overview_of(session, "renewed", None, None), by_date=False)

    assert heat.baselines == ()
    assert moved.baselines == (pytest.approx(WIDTH * (AT - 1) / COMMITS),)


def test_rows_of_one_region_are_told_apart_by_the_settings_in_which_they_differ(
    client, sessions
):
    for size in (8, 1024):
        held = {"message_bytes": size, "compiler": "gcc"}
        record_commit(sessions, 1, {"MPI_Bcast": TREE}, configuration=held)
    record_commit(sessions, 1, {"a": TREE}, configuration={"compiler": "gcc"})

    page = client.get("/p/mpich/history").text

    rows = re.findall(r'<tr><th scope="row">(.*?)</th>', page)
    told = [words_of(row).replace(SPACE, " ") for row in rows]
    assert told[:2] == ["MPI_Bcast message_bytes = 8", "MPI_Bcast message_bytes = 1024"]
    assert "=" not in told[2]
