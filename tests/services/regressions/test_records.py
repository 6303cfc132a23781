"""Histories of a broadcast that turns from a tree to a line at commit 13."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from scalewatch.services.analysis import questions
from scalewatch.services.caches import Kept
from scalewatch.services.jobs import JobKind, enqueue
from scalewatch.services.projects.timeline import news_since
from scalewatch.services.regressions import changes, detection
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions
from support.histories import (
    LINEAR,
    TREE,
    commit,
    record_commit,
    record_history,
    sha,
    shift_details,
)
from support.service_sentences import SAID

AT = 13


def broken(number):
    return {"MPI_Bcast": LINEAR if number >= AT else TREE, "MPI_Barrier": TREE}


def found(session):
    (project,) = session.scalars(select(tables.Project))
    return list(regressions.of_project(session, project.id))


def ranges(session, rows):
    number_of = [(row.first_commit_id, row.last_commit_id) for row in rows]
    known = commits.identified(session, {each for both in number_of for each in both})
    return [(known[first].sha, known[last].sha) for first, last in number_of]


def test_a_growth_that_becomes_worse_is_one_regression_with_its_commit(sessions):
    record_history(sessions, broken, 16)

    with sessions.reading() as session:
        (row,) = found(session)
        (member,) = regressions.members(session, [row.id])[row.id]
        happened = regressions.events(session, [row.id])[row.id]

        assert (row.kind, row.is_worse, row.state) == ("growth", True, "open")
        assert ranges(session, [row]) == [(sha(AT), sha(AT))]
        assert member.region == "MPI_Bcast"
        details = member.details
        assert details.growth_before == "log p"
        assert details.growth_after == "p"
        assert (details.verdict_before, details.verdict_after) == (
            "match",
            "mismatch",
        )
        assert details.at_target.value > 10
        assert row.is_sure
        assert [each.action for each in happened] == ["found"]


def test_a_regression_is_fixed_by_itself_when_the_growth_returns(sessions):
    def mended(number):
        return {"MPI_Bcast": LINEAR if AT <= number < 17 else TREE}

    before = datetime.now(UTC)
    record_history(sessions, mended, 20)

    with sessions.reading() as session:
        worse = [row for row in found(session) if row.is_worse]
        better = [row for row in found(session) if not row.is_worse]

        assert [row.state for row in worse] == ["fixed"]
        assert worse[0].fixed_commit_id == better[0].last_commit_id
        assert [row.state for row in better] == ["improved"]
        assert news_since(session, "mpich", before).states == {"fixed": 1}


def test_regions_and_machines_that_change_together_are_one_regression(sessions):
    def all_broken(number):
        curve = LINEAR if number >= AT else TREE
        return {"MPI_Bcast": curve, "MPI_Barrier": curve}

    for machine in ("jureca", "juwels"):
        record_history(sessions, all_broken, 15, machine=machine)

    with sessions.reading() as session:
        (row,) = found(session)
        members = regressions.members(session, [row.id])[row.id]

        assert len(members) == 4
        assert row.suspect == "library"
        assert row.sentence.startswith(SAID["suspect of two machines"])


def test_another_state_of_the_machine_is_a_new_baseline_and_no_regression(sessions):
    slower = lambda p: 1.5 * TREE(p)  # noqa: E731
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 14)
    for number in range(15, 18):
        record_commit(sessions, number, {"MPI_Bcast": slower}, cores=64)

    with sessions.reading() as session:
        assert found(session) == []
        (stored_detection,) = session.scalars(select(tables.Detection))
        (said,) = stored_detection.details["baselines"]
        assert SAID["new baseline"] in said
        assert "cores 128 → 64" in said


def test_a_renamed_region_goes_on_with_its_history(sessions):
    record_history(sessions, lambda _: {"bcast": TREE}, 12)
    with sessions.writing.begin() as session:
        (project,) = session.scalars(select(tables.Project))
        session.add(
            tables.Alias(project_id=project.id, former="bcast", name="MPI_Bcast")
        )
    for number in range(13, 16):
        record_commit(sessions, number, {"MPI_Bcast": LINEAR})

    with sessions.reading() as session:
        (row,) = found(session)
        assert ranges(session, [row]) == [(sha(13), sha(13))]


@pytest.mark.parametrize(
    "odd",
    [[], ["f" * 40], [sha(3), sha(9)], [sha(10)]],
    ids=["no parent", "unknown parent", "merge", "own parent"],
)
def test_odd_commits_break_nothing(sessions, odd):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 9)
    record_commit(sessions, 10, {"MPI_Bcast": TREE}, commit=commit(10, parents=odd))

    with sessions.reading() as session:
        assert found(session) == []
        (stored_detection,) = session.scalars(select(tables.Detection))
        assert stored_detection.details["commits"] == 10
        failed = select(tables.Job).where(tables.Job.state == "failed")
        assert session.scalars(failed).all() == []


def test_detections_after_every_commit_find_what_one_of_all_finds(
    sessions, monkeypatch
):
    for number in range(1, AT + 5):
        cores = 64 if number >= AT + 2 else 128
        record_commit(sessions, number, broken(number), machine="juwels")
        record_commit(sessions, number, broken(number), cores=cores)

    with sessions.reading() as session:
        after_all = detection.detect(session, 1)
        for module, name in ((changes, "_FOUND"), (questions, "ANSWERS")):
            monkeypatch.setattr(module, name, Kept(0))
        at_once = detection.detect(session, 1)
        stored = {row.sentence for row in found(session)}

    assert "juwels" in {each.history.series.machine for each in after_all.changes}
    assert after_all.causes == at_once.causes
    assert after_all.details == at_once.details
    assert stored >= {cause.sentence for cause in at_once.causes}


@pytest.mark.parametrize(
    ("regions", "reason"),
    [
        (1, "it is no more than commits of its machine differ by"),
        (9, "the nights of its machine, which all regions share, explain it"),
    ],
)
def test_what_nights_explain_is_closed_quietly_when_histories_are_judged_anew(
    sessions, work_off, regions, reason
):
    names = ["MPI_Barrier", *(f"region-{number}" for number in range(1, regions))]
    record_history(sessions, lambda _: dict.fromkeys(names, TREE), 12)
    with sessions.writing.begin() as session:
        (project,) = session.scalars(select(tables.Project))
        told = dict.fromkeys(("host", "url", "secret", "author"), "http://localhost:9")
        session.add(tables.Webhook(project_id=project.id, **told))
        last, first = commits.of_project(session, project.id)[4:6]
        row = tables.Regression(
            project_id=project.id,
            kind="level",
            is_worse=True,
            is_sure=True,
            state="open",
            first_commit_id=first.id,
            last_commit_id=last.id,
            sentence="MPI_Barrier moved",
        )
        session.add(row)
        session.flush()
        series = select(tables.Series.id).where(tables.Series.region == "MPI_Barrier")
        shift = {
            "series_id": session.scalars(series).one(),
            "first_commit_id": first.id,
            "last_commit_id": last.id,
            "details": shift_details().to_json(),
        }
        regressions.put_shifts(session, row.id, [shift])
        regressions.put_detection(session, project.id, {"commits": 12})
        enqueue(session, JobKind.WATCH, project.id)

    work_off()

    with sessions.reading() as session:
        (row,) = found(session)
        (event,) = regressions.events(session, [row.id])[row.id]
        assert row.state == "fixed"
        assert event.note == f"judged anew: {reason}"
        notices = select(tables.Job).where(tables.Job.kind == "notify")
        assert session.scalars(notices).all() == []
