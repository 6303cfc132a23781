"""Status: how the product is doing, for people, probes and Prometheus."""

import logging
from datetime import datetime
from typing import Final, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.api.http import answers, problems, schemas
from scalewatch.errors import NotReady
from scalewatch.services import jobs as queue
from scalewatch.services.operations import status
from scalewatch.storage.database import outages, schema
from scalewatch.web import queries, sessions
from scalewatch.web.process import DatabaseDisk
from scalewatch.web.requests import Gauges, Metrics

router = answers.api_router("operations")
health = APIRouter(tags=["operations"])

_LOG: Final = logging.getLogger(__name__)

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Health(schemas.Schema):
    """The process answers."""

    status: str = Field(examples=["ok"])


@router.get("/status", responses=answers.of(status.Status))
def show_status(session: sessions.ReadingDep) -> Response:
    """Return what is there and what is to be done."""
    return answers.answer(status.status(session))


@health.get("/healthz")
def show_health() -> Health:
    """Tell that the process answers, whatever the database does."""
    return Health(status="ok")


@health.get("/readyz", responses=problems.of(503))
def show_readiness(request: Request, door: sessions.DoorDep) -> Health:
    """Tell that the database answers, is migrated and has room for posts."""
    try:
        with door.sessions.reading() as session:
            schema.require_newest(session.connection().engine)
            status.is_behind(session)
    except SQLAlchemyError as error:
        _LOG.error("not ready: %s", " ".join(str(error).split()))
        raise NotReady(outages.reason(error)) from error
    disk: DatabaseDisk = request.app.state.disk
    if not disk.has_room:
        raise NotReady(outages.NO_ROOM)
    return Health(status="ok")


@health.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **problems.of(401)},
)
def show_metrics(request: Request, session: sessions.ReadingDep) -> Response:
    """Return numbers for Prometheus."""
    metrics: Metrics = request.app.state.metrics
    text = metrics.text(_gauges(status.status(session)))
    return Response(text, media_type=METRICS_TYPE)


def _gauges(now: status.Status) -> Gauges:
    oldest = now.jobs.oldest_open_at
    waited = (datetime.now(oldest.tzinfo) - oldest).total_seconds() if oldest else 0
    return [
        ("projects", "Projects.", now.projects),
        ("runs", "Runs that are stored.", now.runs),
        ("jobs_open", "Jobs to be done.", now.jobs.open),
        ("jobs_failed", "Jobs that were given up.", now.jobs.failed),
        ("jobs_oldest_seconds", "How long the oldest job waits.", waited),
        ("workers", "Workers that are there.", len(now.workers)),
        ("database_bytes", "What the database occupies.", now.database_bytes),
        ("ingest_runs_last_minute", "Runs.", now.ingest.runs_last_minute),
        (
            "ingest_measurements_last_minute",
            "Measurements.",
            now.ingest.measurements_last_minute,
        ),
    ]


jobs = answers.api_router("jobs", "/jobs")


class Job(schemas.Schema):
    """Something to be done after the answer."""

    id: int
    kind: str = Field(examples=["analyse"])
    state: Literal["queued", "running", "done", "failed", "superseded"]
    attempts: int
    reason: str | None = Field(description="Why it failed, in words.")
    created_at: datetime
    finished_at: datetime | None


@jobs.get("/{job}", response_model=Job, responses=problems.of(404, 422))
def show_job(session: sessions.ReadingDep, job: queries.JobId) -> queue.Job:
    """Return a job."""
    return queue.job_of(session, job)


@jobs.post("/{job}/retry", status_code=202, responses=problems.of(403, 404, 409, 422))
def retry_job(session: sessions.WritingDep, job: queries.JobId) -> None:
    """Try a failed job again, as if it were new; for who administers its project."""
    status.retry(session, job)
