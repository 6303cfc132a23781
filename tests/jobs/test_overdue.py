"""Jobs beyond their time: ended with their process, tried again, then given up."""

import subprocess
import sys
from functools import partial

import pytest
from sqlalchemy import update

from scalewatch.services import jobs
from scalewatch.services.jobs import MAX_OVERDUE, JobKind
from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import sessions_of, transact
from scalewatch.storage.tables import now
from support.endless_webhook import (
    PATIENCE,
    endless_webhook,
    eventually,
    queue_endless_job,
)
from support.servers.processes import running


@pytest.fixture
def dialect():
    return "sqlite"


@pytest.fixture
def migrated_sessions(blank):
    schema.upgrade(blank)
    return sessions_of(blank)


def state_of(sessions, job_id):
    with sessions.reading() as session:
        found = session.get_one(tables.Job, job_id)
    return found.state, found.attempts, found.reason


def let_pause_end(sessions):
    """Let a job that waits for its next attempt be due."""
    waiting = update(tables.Job).where(tables.Job.state == "queued")
    with sessions.writing.begin() as session:
        session.execute(waiting.values(due_at=now()))


@pytest.fixture(params=["embedded", "celery"])
def worker(request, blank):
    """A worker that may take a second for a job."""
    settings = {
        "SCALEWATCH_DATABASE_URL": blank.url.render_as_string(hide_password=False),
        "SCALEWATCH_JOB_SECONDS": "1",
        "SCALEWATCH_LEASE_SECONDS": "30",
    }
    command = ["worker"]
    if request.param == "celery":
        broker = request.getfixturevalue("broker_server")
        broker.empty()
        settings["SCALEWATCH_BROKER_URL"] = broker.url
        command += ["--processes", "1"]
    return command, settings


def test_endless_job_is_ended_with_its_process_and_given_up_after_some_attempts(
    worker, migrated_sessions
):
    with endless_webhook() as hook:
        job_id = transact(migrated_sessions, partial(queue_endless_job, hook=hook))
        with running(*worker) as process:
            for attempt in range(1, MAX_OVERDUE + 1):
                eventually(lambda attempt=attempt: hook.begun == attempt)
                eventually(lambda: not hook.open)
                let_pause_end(migrated_sessions)
            transact(migrated_sessions, lambda s: jobs.enqueue(s, JobKind.WATCH, 1))
            eventually(lambda: state_of(migrated_sessions, job_id + 1)[0] == "done")

            assert process.poll() is None

    assert hook.begun == MAX_OVERDUE
    state, attempts, reason = state_of(migrated_sessions, job_id)
    assert (state, attempts) == ("failed", MAX_OVERDUE)
    assert "longer than 1 s" in reason


DEAF = """
import gc, re, sys
gc.disable()  # or importing takes longer
from datetime import timedelta
from scalewatch import jobs
from scalewatch.services.jobs import JobKind, JobTerms
from scalewatch.storage.database.session import connect, sessions_of

def deaf(_session, _subject):
    re.match("(a+)+$", "a" * 60 + "b")  # holds the interpreter's lock for ever

jobs.KINDS = {JobKind.WATCH: deaf}
terms = JobTerms(timedelta(seconds=1), timedelta(seconds=1))
sessions = sessions_of(connect(sys.argv[1]))
jobs.perform_next(sessions, "deaf", terms, overdue=lambda: None)
"""


def test_job_that_lets_no_other_thread_run_is_ended_too(migrated_sessions, blank):
    transact(migrated_sessions, lambda s: jobs.enqueue(s, JobKind.WATCH, 1))

    done = subprocess.run(
        [sys.executable, "-c", DEAF, str(blank.url)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 1
    assert "Timeout (0:00:02)!" in done.stderr
    assert "in deaf" in done.stderr
