from math import log2

import pytest
from sqlalchemy import select

from scalewatch.services.analysis import analysis
from scalewatch.services.caches import MOST_KILOBYTES
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.files import kept_files
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.projects import news
from scalewatch.services.series import standing
from scalewatch.services.series.snapshots import JUDGED_KILOBYTES, CommitSnapshot
from scalewatch.services.series.standing import State
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import editions
from support.builders import result, run_report, sweep_reports
from support.recorded import record_runs

SUBJECT = AnalysedCommit(commit_id=1, machine_id=1)
BCAST = {"MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p)}
SOLVE = {"solve": lambda p: 1e-6 + 2e-6 * p}


def analyse(session):
    analysis.record(session, analysis.analyse(session, SUBJECT))


def states(session):
    project = session.scalars(select(tables.Project)).one()
    judged = CommitSnapshot(session, project.id, SUBJECT.commit_id).judged(["time"])
    return {each.region: each.standing.state for each in judged}


def metrics(session):
    project = session.scalars(select(tables.Project)).one()
    return CommitSnapshot(session, project.id, SUBJECT.commit_id).metrics


@pytest.fixture
def analysed(session):
    """A sweep of one region, analysed and read."""
    record_runs(session, sweep_reports(growths=BCAST))
    analyse(session)
    assert states(session) == {"MPI_Bcast": State.JUDGED}
    return session


def test_runs_that_come_after_a_commit_was_read_are_read(analysed):
    record_runs(analysed, sweep_reports(growths=SOLVE, seed=2))

    assert states(analysed) == {"MPI_Bcast": State.JUDGED, "solve": State.PENDING}


def test_what_was_analysed_anew_is_read_anew(analysed):
    record_runs(analysed, sweep_reports(growths=SOLVE, seed=2))
    states(analysed)
    analyse(analysed)

    assert states(analysed) == {"MPI_Bcast": State.JUDGED, "solve": State.MODELLED}


def test_another_expectation_makes_a_verdict_pending_until_it_is_reached(analysed):
    (name,) = [project.name for project in projects.listed(analysed)]
    declared = [Declaration("MPI_Bcast", "time", "p")]
    declarations.declare(analysed, name, declared, author="Ada", reason=None)
    before = states(analysed)
    analyse(analysed)

    assert before == {"MPI_Bcast": State.PENDING}
    assert states(analysed) == {"MPI_Bcast": State.JUDGED}


def test_verdicts_are_counted_anew_after_an_analysis(analysed):
    (name,) = [project.name for project in projects.listed(analysed)]
    before = news.recent_changes(analysed, name)
    declared = [Declaration("MPI_Bcast", "time", "p")]
    declarations.declare(analysed, name, declared, author="Ada", reason=None)
    meanwhile = news.recent_changes(analysed, name)
    analyse(analysed)
    after = news.recent_changes(analysed, name)

    assert [each.summary for each in (*before, *meanwhile, *after)] == [
        "1 match",
        "not judged yet",
        "1 better",
    ]


def test_edition_changes_with_every_run_analysis_and_replay(analysed):
    seen = [editions.at(analysed, [SUBJECT.commit_id])[SUBJECT.commit_id]]
    for change in (
        lambda: record_runs(analysed, sweep_reports(growths=SOLVE, seed=2)),
        lambda: analyse(analysed),
        lambda: kept_files.replay(analysed, 1),
    ):
        change()
        seen += editions.at(analysed, [SUBJECT.commit_id]).values()

    assert len(seen) == 4
    assert len(set(seen)) == len(seen)


def test_commit_that_nobody_has_analysed_has_no_edition_yet(session):
    record_runs(session, sweep_reports(growths=BCAST))

    assert editions.at(session, [SUBJECT.commit_id]) == {}


def test_two_commits_of_five_hundred_regions_on_thirty_machines_are_kept():
    # A cache that is smaller than what one page reads never finds anything in it.
    assert MOST_KILOBYTES >= 2 * 500 * 30 * JUDGED_KILOBYTES
    assert standing.KEPT >= 2 * 500 * 30


@pytest.mark.usefixtures("analysed")
def test_metrics_of_a_commit_are_those_of_its_newest_run(session):
    assert metrics(session) == ["time"]
    buffers = result(region="buffers", metric="memory", unit="B", values=[512.0])
    record_runs(session, [run_report(results=[buffers])])
    assert metrics(session) == ["memory", "time"]
