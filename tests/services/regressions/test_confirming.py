"""A machine of eight regions, alone in its project, that becomes slower as a whole."""

from sqlalchemy import select

from scalewatch.storage import tables
from support.histories import TREE, record_history, sha
from support.service_sentences import SAID

REGIONS = [f"region-{number}" for number in range(8)]
AT = 14


def record_step(sessions, commits):
    slower = lambda p: 1.5 * TREE(p)  # noqa: E731
    record_history(
        sessions,
        lambda number: dict.fromkeys(REGIONS, slower if number >= AT else TREE),
        commits,
    )


def asked(session):
    """Return the commits of which another run is wanted, and why."""
    wanted = select(tables.Commit.sha, tables.Confirmation.reason).join(
        tables.Commit, tables.Commit.id == tables.Confirmation.commit_id
    )
    return dict(session.execute(wanted).all())


def test_a_step_of_one_machine_alone_asks_for_the_commit_before_on_another_night(
    sessions,
):
    record_step(sessions, AT + 3)

    with sessions.reading() as session:
        (known,) = session.scalars(select(tables.Detection))
        (nights,) = known.details["nights"]
        (step,) = nights["steps"]
        assert step["origin"] == "undecided"
        assert asked(session)[sha(AT - 1)].endswith(SAID["undecided step"])
        assert known.details["alarming"] > known.details["alarming_share"]
