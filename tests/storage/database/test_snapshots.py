from scalewatch.storage.access import projects
from scalewatch.storage.database.session import once


def test_what_a_reading_transaction_asks_twice_is_asked_once(sessions):
    asked = []
    with sessions.reading() as session:
        for _ in range(2):
            once(session, "names", lambda: asked.append(projects.listed(session)))
        session.rollback()
        once(session, "names", lambda: asked.append(projects.listed(session)))

    assert asked == [[], []]


def test_a_transaction_that_may_write_asks_each_time(sessions):
    found = []
    with sessions.writing.begin() as session:
        for name in ("hydro", "meteo"):
            projects.find_or_create(session, name)
            found.append(once(session, "names", lambda: len(projects.listed(session))))

    assert found == [1, 2]


def test_a_reading_transaction_sees_one_state(sessions):
    with sessions.reading() as session:
        before = len(projects.listed(session))
        with sessions.writing.begin() as other:
            projects.find_or_create(other, "hydro")
        meanwhile = len(projects.listed(session))
        session.rollback()

        assert (before, meanwhile, len(projects.listed(session))) == (0, 0, 1)
