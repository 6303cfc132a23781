import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from functools import partial
from threading import Barrier

import pytest
from sqlalchemy import update
from sqlalchemy.exc import DBAPIError

from scalewatch.services import jobs as queue
from scalewatch.services.jobs import JobKind
from scalewatch.storage import tables
from scalewatch.storage.database import session as database
from scalewatch.storage.database.session import transact
from support.endless_webhook import eventually

WORKERS = 4
JOBS = 24


def test_workers_that_claim_at_once_share_the_jobs(sessions):
    with sessions.writing.begin() as session:
        for number in range(JOBS):
            queue.enqueue(session, JobKind.ANALYSE, 1, f"{number}/1")
    together = Barrier(WORKERS)

    def work(worker):
        own = []
        together.wait()
        while claim := transact(sessions, partial(queue.claim, owner=worker)):
            own.append(claim.id)
            transact(sessions, partial(queue.finish, claim=claim))
        return own

    with ThreadPoolExecutor(WORKERS) as pool:
        claimed = [job for own in pool.map(work, "abcd") for job in own]

    assert Counter(claimed) == dict.fromkeys(claimed, 1)
    with sessions.reading() as session:
        assert queue.queue(session).open == 0
    assert len(claimed) == JOBS


def test_workers_that_claim_one_job_at_once_give_it_to_one(sessions):
    with sessions.writing.begin() as session:
        queue.enqueue(session, JobKind.ANALYSE, 1, "1/1")
    together = Barrier(WORKERS)

    def claim(worker):
        together.wait()
        return transact(sessions, partial(queue.claim, owner=worker))

    with ThreadPoolExecutor(WORKERS) as pool:
        claims = list(pool.map(claim, "abcd"))

    assert sum(claim is not None for claim in claims) == 1


def test_project_with_thousands_of_jobs_leaves_every_second_turn_to_another(sessions):
    with sessions.writing.begin() as session:
        for number in range(2_000):
            queue.enqueue(session, JobKind.ANALYSE, 1, f"{number}/1")
    for _ in range(3):
        assert performed(sessions) == 1
    with sessions.writing.begin() as session:
        for number in range(3):
            queue.enqueue(session, JobKind.ANALYSE, 2, f"{number}/2")

    order = [performed(sessions) for _ in range(8)]

    assert order == [2, 1, 2, 1, 2, 1, 1, 1]


def test_project_that_comes_again_and_again_leaves_turns_to_those_that_wait(sessions):
    with sessions.writing.begin() as session:
        for number in range(4):
            queue.enqueue(session, JobKind.ANALYSE, 1, f"{number}/1")
    order = []
    for number in range(6):
        with sessions.writing.begin() as session:
            queue.enqueue(session, JobKind.ANALYSE, 2, f"{number}/2")
        order.append(performed(sessions))

    assert order == [1, 2, 1, 2, 1, 2]


def test_jobs_that_fail_and_come_again_take_no_more_turns_than_others(sessions):
    with sessions.writing.begin() as session:
        for number in range(20):
            queue.enqueue(session, JobKind.ANALYSE, 1, f"{number}/1")
        queue.enqueue(session, JobKind.ANALYSE, 2, "1/2")
        queue.enqueue(session, JobKind.ANALYSE, 2, "2/2")

    order = [performed(sessions, fails=True) for _ in range(4)]

    assert order == [1, 2, 1, 2]


def test_clock_that_was_set_back_takes_no_turns_away(sessions):
    """A turn that was noted in the future is as if it had not been."""
    with sessions.writing.begin() as session:
        for project in (1, 2):
            for number in range(4):
                queue.enqueue(session, JobKind.ANALYSE, project, f"{number}/{project}")
    performed(sessions)
    with sessions.writing.begin() as session:
        later = tables.now() + timedelta(hours=1)
        session.execute(update(tables.Job).values(begun_at=later))

    order = [performed(sessions) for _ in range(4)]

    assert order == [1, 2, 1, 2]


def performed(sessions, *, fails=False):
    """Claim the next job and end it at once; return its project."""
    claim = transact(sessions, partial(queue.claim, owner="worker"))
    end = partial(queue.fail, reason="busy", for_good=False) if fails else queue.finish
    transact(sessions, partial(end, claim=claim))
    with sessions.reading() as session:
        return session.get_one(tables.Job, claim.id).project_id


@pytest.mark.parametrize("dialect", ["postgresql"])
def test_job_of_a_worker_that_hangs_while_it_claims_is_given_to_another(
    sessions, monkeypatch
):
    monkeypatch.setattr(database, "SILENT_SECONDS", 1)
    with sessions.writing.begin() as session:
        job_id = queue.enqueue(session, JobKind.ANALYSE, 1, "1/1")

    hanging = sessions.writing()
    assert queue.claim(hanging, "hanging").id == job_id
    claim = partial(queue.claim, owner="other")
    eventually(lambda: transact(sessions, claim))
    with pytest.raises(DBAPIError):
        hanging.commit()
    with suppress(DBAPIError):  # its connection is gone
        hanging.close()


@pytest.mark.parametrize("dialect", ["postgresql"])
def test_transaction_of_whoever_hung_for_too_long_is_done_anew(sessions, monkeypatch):
    monkeypatch.setattr(database, "SILENT_SECONDS", 1)
    silences, begun = [1.5], []

    def enqueue(session):
        job_id = queue.enqueue(session, JobKind.ANALYSE, 1, "1/1")
        begun.append(job_id)
        time.sleep(silences.pop() if silences else 0)
        return session.get(tables.Job, job_id).subject

    assert transact(sessions, enqueue) == "1/1"
    assert len(begun) > 1
