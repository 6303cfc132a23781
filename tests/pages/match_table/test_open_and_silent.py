"""The match table without expectations, and of machines that stopped measuring."""

from datetime import timedelta

from sqlalchemy import select, update

from scalewatch.storage import tables
from scalewatch.storage.tables import now
from support.histories import LINEAR, TREE, record_commit


def test_cells_without_an_expectation_have_the_colour_of_their_growth(client, sessions):
    growths = {"tree": TREE, "line": LINEAR}
    for number in (1, 2):
        record_commit(sessions, number, growths, project="unjudged")

    page = client.get("/p/unjudged").text

    cells = page.split('class="heat heat--unjudged heat--grown growth--')[1:]
    assert len(cells) == 2
    assert len({cell[0] for cell in cells}) == 2


def test_machine_that_stopped_measuring_is_named(client, sessions):
    record_commit(sessions, 1, {"tree": TREE}, machine="lumi")
    record_commit(sessions, 2, {"tree": TREE}, machine="jureca")
    before = client.get("/p/mpich").text
    with sessions.writing.begin() as session:
        lumi = select(tables.Machine.id).where(tables.Machine.name == "lumi")
        session.execute(
            update(tables.Run)
            .where(tables.Run.machine_id.in_(lumi))
            .values(received_at=now() - timedelta(days=40))
        )
    record_commit(sessions, 3, {"tree": TREE}, machine="jureca")

    page = client.get("/p/mpich").text

    notice = page.partition("No runs any more")[2].partition("</p>")[0]
    assert "<bdi>lumi</bdi>" in notice
    assert "jureca" not in notice
    assert "No runs any more" not in before
