"""Status: how the product is doing."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.schemas import Schema
from scalewatch.services import status

router = APIRouter(tags=["operations"])
health = APIRouter(tags=["operations"])


class Queue(Schema):
    """How much is to be done, and since when."""

    open: int
    failed: int
    oldest_open_at: datetime | None


class Status(Schema):
    """What is there and what is to be done."""

    version: str = Field(examples=["0.1.0"])
    database: str = Field(examples=["sqlite"])
    projects: int
    runs: int
    jobs: Queue


class Health(Schema):
    """The process answers."""

    status: str = Field(examples=["ok"])


@router.get("/status", response_model=Status)
def show_status(session: ReadingDep) -> status.Status:
    """Return what is there and what is to be done."""
    return status.status(session)


@health.get("/healthz")
def show_health() -> Health:
    """Tell that the process answers, whatever the database does."""
    return Health(status="ok")
