"""What a promise would give is what it gives once it is made."""

from math import log2

import pytest

from scalewatch.errors import BadExpression, FallingLimit
from scalewatch.jobs import perform_next
from scalewatch.modelling import Mark
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.regions.preview import MOST, declared_as, preview
from scalewatch.services.regions.region import region_at
from scalewatch.services.selection.view import View
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from support.builders import sweep_reports
from support.histories import commit
from support.recorded import record, record_project, record_runs

GROWTHS = {
    "MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Reduce": lambda p: 2e-6 + 1e-6 * p**0.5,
    **{f"kernel {at}": lambda p, at=at: 1e-6 * (1 + at) * p for at in range(8)},
}

CASES = (
    ("MPI_Bcast", "p^(1/3)", None),
    ("MPI_Bcast", "p log p", "log p"),
    ("MPI_Reduce", "O(sqrt p)", "1"),
    ("kernel 3", "n^2", None),
)
EVERYWHERE = View("mpich", None, None, None)


@pytest.fixture
def noisy(sessions):
    """Three commits on two machines, one of them loud, with enough to learn from."""
    for number in (1, 2, 3):
        for machine, noise in (("jureca", 0.03), ("vm", 0.3)):
            reports = sweep_reports(
                (2, 4, 8, 16, 32, 64),
                GROWTHS,
                noise=noise,
                seed=number,
                project="mpich",
                commit=commit(number),
                machine={"name": machine},
            )
            record(sessions, reports)
    return sessions


def previewed(session, view, region, growth, limit=None):
    """Return the preview of a growth."""
    shown = region_at(session, view, region)
    return preview(session, view, shown, declared_as(shown, growth, limit))


def test_preview_is_what_declaring_gives(noisy):
    for region, growth, limit in CASES:
        with noisy.reading() as session:
            told = previewed(session, EVERYWHERE, region, growth, limit)
        with noisy.writing.begin() as session:
            stated = [Declaration(region, "time", growth, limit)]
            declare(session, "mpich", stated, author="Ada", reason=None)
        while perform_next(noisy, owner="test"):
            pass

        found = [each for series in told.series for each in series.verdicts]
        assert len(found) == 6
        for each, standing in zip(found, standings(noisy, told), strict=True):
            assert each.then is standing.mark
            assert each.divergence == standing.divergence
            assert each.reason == standing.reason
            assert each.probability == pytest.approx(standing.probability, abs=1e-6)


def standings(sessions, told):
    """Return how the previewed series stand, in the order of the preview."""
    with sessions.reading() as session:
        project = projects.existing(session, told.project)
        at = {row.sha: row.id for row in commits.of_project(session, project.id)}
        return [
            next(
                one.standing
                for one in CommitSnapshot(
                    session, project.id, at[each.commit.sha]
                ).judged(["time"])
                if (one.region, one.machine) == (told.region, series.machine)
            )
            for series in told.series
            for each in series.verdicts
        ]


def test_verdicts_stand_beside_those_in_force_and_nothing_is_stored(sessions):
    record_project(sessions)
    view = View("openmpi", None, None, "node-tcp")

    with sessions.reading() as session:
        told = previewed(session, view, "MPI_Barrier", "p")
    with sessions.reading() as session:
        shown = region_at(session, view, "MPI_Barrier")

    (series,) = told.series
    assert [each.commit.label for each in series.verdicts] == ["v5.0.11", "v5.0.8"]
    assert {each.now for each in series.verdicts} == {Mark.MISMATCH}
    assert {each.then for each in series.verdicts} == {Mark.MATCH}
    assert str(shown.expectation.growth) == "log p"


def test_many_machines_are_judged_at_the_newest_commit_and_the_rest_is_counted(
    sessions,
):
    for number in range(MOST + 2):
        reports = sweep_reports(
            (2, 4, 8, 16, 32), project="mpich", machine={"name": f"m{number}"}
        )
        record(sessions, reports)

    with sessions.reading() as session:
        told = previewed(session, EVERYWHERE, "MPI_Bcast", "p")

    assert len(told.newest) == MOST
    assert told.left_out == 2


@pytest.mark.parametrize(
    ("growth", "limit", "error"),
    [
        ("p^^2", None, BadExpression),
        ("p", "(", BadExpression),
        ("p", "1/p", FallingLimit),
    ],
)
def test_what_makes_no_sense_is_refused(sessions, growth, limit, error):
    record_project(sessions)

    with sessions.reading() as session, pytest.raises(error):
        previewed(
            session, View("openmpi", None, None, None), "MPI_Bcast", growth, limit
        )


def test_preview_sees_what_was_measured_since_the_last_one(noisy):
    everywhere, region, growth = View("mpich", None, None, "vm"), "MPI_Bcast", "log p"
    with noisy.reading() as session:
        (before,) = previewed(session, everywhere, region, growth).series
    steep = sweep_reports(
        (128, 256, 512, 1024),
        {region: lambda p: 1e-6 * p},
        project="mpich",
        commit=commit(3),
        machine={"name": "vm"},
    )
    with noisy.writing.begin() as session:
        record_runs(session, steep)

    with noisy.reading() as session:
        (after,) = previewed(session, everywhere, region, growth).series
    assert before.verdicts[0].then is Mark.MATCH
    assert after.verdicts[0].then is not Mark.MATCH
    assert after.verdicts[1:] == before.verdicts[1:]
