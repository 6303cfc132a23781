import time
from functools import partial
from threading import Event

import pytest
from sqlalchemy import func, select

from scalewatch import jobs
from scalewatch.errors import NotFound
from scalewatch.jobs.worker import Worker
from scalewatch.services import jobs as queue
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.jobs import JobKind
from scalewatch.storage import tables
from scalewatch.storage.database.session import connect, sessions_of, transact
from support.builders import sweep_reports
from support.recorded import record_runs

PATIENCE = 60.0


def post(sessions, reports):
    return transact(sessions, partial(record_runs, reports=reports))


def states(sessions):
    """Return the states of all jobs but those that watch histories, oldest first."""
    jobs = select(tables.Job.state).where(tables.Job.kind != JobKind.WATCH)
    with sessions.reading() as session:
        return session.scalars(jobs.order_by(tables.Job.id)).all()


def verdicts(sessions):
    with sessions.reading() as session:
        return session.scalar(select(func.count()).select_from(tables.Verdict))


def test_analysis_and_the_end_of_its_job_are_stored(sessions, work_off):
    post(sessions, sweep_reports())

    work_off()

    assert states(sessions) == ["done"]
    assert verdicts(sessions) == 2


def test_nothing_to_do_is_told(sessions):
    assert not jobs.perform_next(sessions, "worker")


def test_changed_expectation_is_judged_anew(sessions, work_off):
    post(sessions, sweep_reports())
    work_off()

    with sessions.writing.begin() as session:
        changed = [Declaration("MPI_Bcast", "time", "O(p^2)")]
        declare(session, "mpich", changed, author="ada", reason=None)
    work_off()

    assert states(sessions) == ["done", "done", "done"]
    assert verdicts(sessions) == 3


def broken(error):
    def kind(_session, _subject):
        raise error

    return kind


@pytest.mark.parametrize(
    ("error", "state"),
    [(OSError("disk is gone"), "queued"), (NotFound("machine", 7), "failed")],
    ids=["passing", "for good"],
)
def test_failing_job_says_why(sessions, monkeypatch, error, state):
    monkeypatch.setattr(jobs, "KINDS", {JobKind.ANALYSE: broken(error)})
    (receipt, *_) = post(sessions, sweep_reports())

    assert jobs.perform_next(sessions, "worker")

    with sessions.reading() as session:
        job = queue.job_of(session, receipt.job)
    assert job.state == state
    assert job.reason == f"{type(error).__name__}: {error}"


def test_result_of_a_lost_lease_is_dropped(sessions, monkeypatch):
    def slow(session, subject):
        effect = jobs.analyse(session, subject)
        with sessions.writing.begin() as other:
            other.execute(tables.Job.__table__.update().values(owner="another"))
        return effect

    monkeypatch.setattr(jobs, "KINDS", {JobKind.ANALYSE: slow})
    post(sessions, sweep_reports())

    jobs.perform_next(sessions, "worker")

    assert verdicts(sessions) == 0
    assert states(sessions) == ["running"]


@pytest.fixture
def done(monkeypatch):
    """An event that is set when a job has been finished."""
    done = Event()
    finish = queue.finish

    def finish_and_tell(session, claim):
        finish(session, claim)
        done.set()

    monkeypatch.setattr(queue, "finish", finish_and_tell)
    return done


def test_worker_finds_what_was_queued_before_it_started(sessions, done):
    post(sessions, sweep_reports())
    worker = Worker(sessions)

    worker.start()

    assert done.wait(PATIENCE)
    worker.stop()
    assert states(sessions) == ["done"]


def test_stopped_worker_leaves_jobs_for_the_next_one(sessions):
    worker = Worker(sessions)
    worker.start()
    worker.stop()

    post(sessions, sweep_reports())

    assert states(sessions) == ["queued"]


def test_database_that_cannot_be_used_takes_a_line_of_the_log_and_no_traceback(
    tmp_path, caplog
):
    file = tmp_path / "scalewatch.db"
    file.write_bytes(b"no database" * 1000)
    worker = Worker(sessions_of(connect(f"sqlite:///{file}")), poll_seconds=0.01)

    worker.start()
    deadline = time.monotonic() + PATIENCE
    while "trying again" not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.01)
    worker.stop()

    said = [one for one in caplog.records if "trying again" in one.message]
    assert "not a database" in said[0].message
    assert said[0].exc_info is None
