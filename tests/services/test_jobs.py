from datetime import timedelta

import pytest

from scalewatch.errors import LeaseLost, NotFound
from scalewatch.services import jobs
from scalewatch.services.jobs import MAX_ATTEMPTS, AnalysedCommit, JobKind
from scalewatch.storage import tables
from scalewatch.storage.tables import now


def enqueue(session, subject="1/1"):
    return jobs.enqueue(session, JobKind.ANALYSE, 1, subject)


def row(session, job_id):
    session.expire_all()
    return session.get_one(tables.Job, job_id)


def let_time_pass(session, job_id, seconds=1):
    """Let a job be due since some seconds ago."""
    row(session, job_id).due_at = now() - timedelta(seconds=seconds)
    session.flush()


def test_subject_survives_its_text():
    assert AnalysedCommit.read(str(AnalysedCommit(3, 14))) == AnalysedCommit(3, 14)


def test_equal_jobs_that_wait_are_one(session):
    assert enqueue(session) == enqueue(session)
    assert enqueue(session) != enqueue(session, "2/1")


def test_job_that_is_being_done_does_not_swallow_a_new_one(session):
    first = enqueue(session)
    jobs.claim(session, "worker")

    assert enqueue(session) != first


def test_job_that_is_queued_again_keeps_its_place(session):
    """What is posted about all the time would otherwise never be analysed."""
    busy = enqueue(session, "1/1")
    let_time_pass(session, busy, 9)
    let_time_pass(session, enqueue(session, "2/1"), 5)

    enqueue(session, "1/1")

    assert jobs.claim(session, "worker").id == busy


def test_pausing_job_is_due_at_once_when_it_is_queued_again(session):
    pausing = enqueue(session)
    let_time_pass(session, pausing, -60)

    enqueue(session)

    assert jobs.claim(session, "worker").id == pausing


def test_job_is_claimed_once(session):
    job_id = enqueue(session)

    claim = jobs.claim(session, "one")

    assert (claim.id, claim.attempts) == (job_id, 1)
    assert jobs.claim(session, "other") is None


def test_the_longest_due_is_claimed_first(session):
    for subject, seconds in (("1/1", 5), ("2/1", 9), ("3/1", 1)):
        let_time_pass(session, enqueue(session, subject), seconds)

    claims = [jobs.claim(session, "worker").subject for _ in range(3)]

    assert claims == ["2/1", "1/1", "3/1"]


def test_jobs_that_are_due_are_told_longest_due_first(session):
    later = enqueue(session, "1/1")
    first = enqueue(session, "2/1")
    let_time_pass(session, first, 9)
    let_time_pass(session, later, 2)
    pausing = enqueue(session, "3/1")
    let_time_pass(session, pausing, -60)

    assert jobs.due(session, 10) == [first, later]
    assert jobs.due(session, 1) == [first]


def test_equal_job_waits_until_the_first_is_done(session):
    enqueue(session)
    first = jobs.claim(session, "one")
    enqueue(session)

    assert jobs.claim(session, "other") is None
    jobs.finish(session, first)
    assert jobs.claim(session, "other") is not None


def test_job_of_a_lost_worker_is_taken_over(session):
    job_id = enqueue(session)
    jobs.claim(session, "lost")
    let_time_pass(session, job_id)

    claim = jobs.claim(session, "other")

    assert (claim.id, claim.owner, claim.attempts) == (job_id, "other", 2)


def test_lost_worker_cannot_finish(session):
    job_id = enqueue(session)
    lost = jobs.claim(session, "lost")
    let_time_pass(session, job_id)

    with pytest.raises(LeaseLost):
        jobs.finish(session, lost)


def test_extended_lease_lasts(session):
    job_id = enqueue(session)
    claim = jobs.claim(session, "one", lease=timedelta(seconds=1))

    jobs.extend(session, claim, timedelta(minutes=5))
    row(session, job_id).due_at -= timedelta(seconds=60)
    session.flush()

    assert jobs.claim(session, "other") is None
    jobs.finish(session, claim)


def test_lease_that_ended_cannot_be_extended(session):
    job_id = enqueue(session)
    claim = jobs.claim(session, "one")
    let_time_pass(session, job_id)

    with pytest.raises(LeaseLost):
        jobs.extend(session, claim, timedelta(minutes=5))


def test_second_attempt_of_the_same_worker_fences_the_first(session):
    job_id = enqueue(session)
    first = jobs.claim(session, "one")
    let_time_pass(session, job_id)
    jobs.claim(session, "one")

    with pytest.raises(LeaseLost):
        jobs.finish(session, first)


@pytest.mark.parametrize("state", ["queued", "running"])
def test_job_is_not_delayed_by_a_clock_that_is_set_back(session, state):
    """What was written before lies further ahead than any pause or lease."""
    job_id = enqueue(session)
    if state == "running":
        jobs.claim(session, "lost")
    let_time_pass(session, job_id, -3600)

    assert jobs.is_due(session)
    assert jobs.claim(session, "other").id == job_id


def test_job_is_done_once_though_a_clock_was_set_forward(session):
    job_id = enqueue(session)
    first = jobs.claim(session, "one")
    let_time_pass(session, job_id, 3600)
    second = jobs.claim(session, "other")

    jobs.finish(session, second)

    with pytest.raises(LeaseLost):
        jobs.finish(session, first)
    assert jobs.job_of(session, job_id).state == "done"


def test_worker_cannot_finish_what_another_has_taken_over(session):
    job_id = enqueue(session)
    lost = jobs.claim(session, "lost")
    let_time_pass(session, job_id)
    jobs.claim(session, "other")

    with pytest.raises(LeaseLost):
        jobs.finish(session, lost)


def test_finished_job_is_done_for_good(session):
    job_id = enqueue(session)

    jobs.finish(session, jobs.claim(session, "worker"))

    assert (row(session, job_id).state, row(session, job_id).due_at) == ("done", None)
    assert jobs.claim(session, "worker") is None


def test_failed_attempts_pause_ever_longer_and_end_with_the_reason(session):
    job_id = enqueue(session)

    pauses = []
    for _ in range(MAX_ATTEMPTS - 1):
        let_time_pass(session, job_id)
        jobs.fail(session, jobs.claim(session, "w"), "no memory", for_good=False)
        assert row(session, job_id).state == "queued"
        pauses.append(row(session, job_id).due_at - now())
    let_time_pass(session, job_id)
    jobs.fail(session, jobs.claim(session, "w"), "no memory", for_good=False)

    assert pauses == sorted(pauses)
    job = jobs.job_of(session, job_id)
    assert (job.state, job.reason) == ("failed", "no memory")
    assert (job.attempts, row(session, job_id).due_at) == (MAX_ATTEMPTS, None)


def test_hopeless_job_fails_at_once(session):
    job_id = enqueue(session)

    jobs.fail(session, jobs.claim(session, "w"), "no such machine", for_good=True)

    assert jobs.job_of(session, job_id).state == "failed"


def test_failed_attempt_gives_way_to_an_equal_job_that_waits(session):
    job_id = enqueue(session)
    claim = jobs.claim(session, "w")
    later = enqueue(session)

    jobs.fail(session, claim, "no memory", for_good=False)

    assert jobs.job_of(session, job_id).state == "superseded"
    assert jobs.claim(session, "w").id == later


def test_worker_that_dies_each_time_does_not_try_for_ever(session):
    job_id = enqueue(session)
    for _ in range(MAX_ATTEMPTS):
        jobs.claim(session, "dies")
        let_time_pass(session, job_id)

    assert jobs.claim(session, "survives") is None
    job = jobs.job_of(session, job_id)
    assert job.state == "failed"
    assert "lost" in job.reason


def test_queue_tells_what_is_open(session):
    for subject in ("1/1", "2/1", "3/1"):
        enqueue(session, subject)
    jobs.finish(session, jobs.claim(session, "w"))
    jobs.fail(session, jobs.claim(session, "w"), "broken", for_good=True)

    queue = jobs.queue(session)

    assert (queue.open, queue.failed) == (1, 1)
    assert queue.oldest_open_at <= now()


def test_unknown_job_is_not_found(session):
    with pytest.raises(NotFound):
        jobs.job_of(session, 42)
