"""Jobs: how far the work has come that a request has caused."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.api.http.schemas import Schema
from scalewatch.services import jobs
from scalewatch.services.operations import failed_jobs
from scalewatch.web.queries import JobId
from scalewatch.web.sessions import ReadingDep, WritingDep

router = api_router("jobs", "/jobs")


class Job(Schema):
    """Something to be done after the answer."""

    id: int
    kind: str = Field(examples=["analyse"])
    state: Literal["queued", "running", "done", "failed", "superseded"]
    attempts: int
    reason: str | None = Field(description="Why it failed, in words.")
    created_at: datetime
    finished_at: datetime | None


@router.get("/{job}", response_model=Job, responses=problems(404, 422))
def show_job(session: ReadingDep, job: JobId) -> jobs.Job:
    """Return a job."""
    return jobs.job_of(session, job)


@router.post("/{job}/retry", status_code=202, responses=problems(403, 404, 409, 422))
def retry_job(session: WritingDep, job: JobId) -> None:
    """Try a failed job again, as if it were new; for who administers its project."""
    failed_jobs.retry(session, job)
