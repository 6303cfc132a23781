from functools import partial

import pytest

from scalewatch.errors import JobNotFailed
from scalewatch.services import jobs
from scalewatch.services.access import audit, tokens
from scalewatch.services.access.callers import Role
from scalewatch.services.jobs import JobKind
from scalewatch.services.operations.status import retry, status
from scalewatch.storage import tables
from scalewatch.storage.database.session import transact
from support.builders import sweep_reports
from support.recorded import record_runs

REASON = "it took longer than 600 s and was ended"


@pytest.fixture
def failed(sessions):
    """The id of an analysis that was given up."""

    def give_up(session):
        claim = jobs.claim(session, "worker")
        jobs.fail(session, claim, REASON, for_good=True)
        return claim.id

    transact(sessions, partial(record_runs, reports=sweep_reports()))
    return transact(sessions, give_up)


def state(sessions, job_id):
    with sessions.reading() as session:
        job = session.get_one(tables.Job, job_id)
    return job.state, job.attempts, job.reason


def test_status_says_what_a_failed_job_was_about_and_why_it_failed(sessions, failed):
    with sessions.reading() as session:
        (job,) = status(session).failed_jobs

    assert (job.id, job.kind, job.project) == (failed, "analyse", "mpich")
    assert (job.about, job.attempts, job.reason) == ("v5.0.2 on jureca", 1, REASON)
    assert job.failed_at is not None


def test_failed_job_that_is_tried_again_is_done_as_if_it_were_new(
    sessions, failed, work_off
):
    transact(sessions, partial(retry, job_id=failed))

    queued = state(sessions, failed)
    work_off()

    assert queued == ("queued", 0, None)
    assert state(sessions, failed)[0] == "done"
    with sessions.reading() as session:
        assert status(session).failed_jobs == ()
        (entry,) = audit.entries(session, "mpich", limit=10)
    assert (entry.action, entry.subject) == ("job tried again", str(failed))


def test_failed_job_whose_equal_waits_is_superseded(sessions, failed):
    with sessions.writing.begin() as session:
        job = session.get_one(tables.Job, failed)
        jobs.enqueue(session, JobKind.ANALYSE, job.project_id, job.subject)

    transact(sessions, partial(retry, job_id=failed))

    assert state(sessions, failed)[0] == "superseded"


def test_job_that_has_not_failed_is_not_tried_again(sessions, failed):
    transact(sessions, partial(retry, job_id=failed))

    with pytest.raises(JobNotFailed, match="it is queued"):
        transact(sessions, partial(retry, job_id=failed))


def test_status_page_has_a_button_that_tries_again(client, sessions, failed):
    page = client.get("/status").text
    told = client.get("/api/v1/status").json()["failed_jobs"]
    pressed = client.post(
        "/status/retry", data={"job": failed}, headers={"Sec-Fetch-Site": "same-origin"}
    )

    assert REASON in page
    assert told[0]["reason"] == REASON
    assert f"Try job {failed} again" in page
    assert pressed.status_code == 200
    assert state(sessions, failed)[0] == "queued"
    assert client.post(f"/api/v1/jobs/{failed}/retry").status_code == 409


def test_only_who_administers_the_project_may_try_again(client, sessions, failed):
    with sessions.writing.begin() as session:
        _, secret = tokens.create(session, "ci", Role.INGEST, "mpich")
    ingest = {"Authorization": f"Bearer {secret}"}

    page = client.get("/status").text
    stranger = client.post(f"/api/v1/jobs/{failed}/retry")
    lesser = client.post(f"/api/v1/jobs/{failed}/retry", headers=ingest)

    assert "Try job" not in page
    assert (stranger.status_code, lesser.status_code) == (401, 403)
    assert state(sessions, failed)[0] == "failed"
