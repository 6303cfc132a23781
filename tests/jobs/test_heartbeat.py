from datetime import timedelta
from functools import partial
from threading import Event, Thread

import pytest
from sqlalchemy import select

from scalewatch import jobs
from scalewatch.services import jobs as queue
from scalewatch.services.jobs import JobKind, JobTerms
from scalewatch.storage import tables
from scalewatch.storage.database.session import transact
from support.builders import sweep_reports
from support.recorded import record_runs

PATIENCE = 60.0
LEASE = timedelta(seconds=2)


@pytest.fixture(autouse=True)
def _posted(sessions):
    transact(sessions, partial(record_runs, reports=sweep_reports()))


@pytest.fixture
def slow(sessions, monkeypatch):
    """A worker in the middle of its job, which it ends when it is told to."""
    begun, go_on = Event(), Event()

    def analyse(session, subject):
        begun.set()
        go_on.wait(PATIENCE)
        return jobs.analyse(session, subject)

    monkeypatch.setattr(jobs, "KINDS", {JobKind.ANALYSE: analyse})

    def start(terms):
        worker = Thread(
            target=jobs.perform_next, args=(sessions, "slow"), kwargs={"terms": terms}
        )
        worker.start()
        assert begun.wait(PATIENCE)
        return worker

    yield start, go_on
    go_on.set()


def leases(sessions):
    with sessions.reading() as session:
        return session.scalars(select(tables.Job.due_at)).all()


def wait_for(condition):
    pause = Event()
    for _ in range(int(PATIENCE / 0.1)):
        if condition():
            return
        pause.wait(0.1)
    pytest.fail("it did not happen")


def test_worker_that_is_alive_keeps_its_job(sessions, slow):
    start, go_on = slow
    worker = start(JobTerms(LEASE))
    (first,) = leases(sessions)

    wait_for(lambda: leases(sessions)[0] > first + LEASE)
    assert not jobs.perform_next(sessions, "other")
    go_on.set()
    worker.join()

    with sessions.reading() as session:
        job = session.scalars(select(tables.Job).filter_by(kind=JobKind.ANALYSE)).one()
    assert (job.state, job.attempts) == ("done", 1)


def test_job_of_a_worker_that_hangs_is_taken_over(sessions, slow):
    start, go_on = slow
    worker = start(JobTerms(LEASE, longest=timedelta(0)))

    def taken_over():
        with sessions.writing.begin() as session:
            return queue.claim(session, "other")

    wait_for(taken_over)
    go_on.set()
    worker.join()

    with sessions.reading() as session:
        job = session.scalars(select(tables.Job).filter_by(kind=JobKind.ANALYSE)).one()
        verdicts = session.scalars(select(tables.Verdict)).all()
    assert (job.state, job.owner, job.attempts) == ("running", "other", 2)
    assert verdicts == []


def test_message_that_comes_twice_does_nothing_more(sessions):
    assert jobs.perform_next(
        sessions, "one"
    )  # the analysis, which queues the detection
    assert jobs.perform_next(sessions, "one")
    assert not jobs.perform_next(sessions, "other")
