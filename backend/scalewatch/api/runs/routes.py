"""Runs: post them, read them, ask for their show.

Whoever may not post learns nothing of what is wrong with a body.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final, Literal, TypeVar
from uuid import UUID

from anyio import to_thread
from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field
from starlette.datastructures import Headers

from scalewatch.api.http import answers, problems, schemas
from scalewatch.api.runs import bodies, posting
from scalewatch.errors import BodyTooLarge, ScalewatchError
from scalewatch.services.runs import show
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.web import queries
from scalewatch.web.sessions import DoorDep, ReadingDep, RequestSessions
from scalewatch.wire import RunReport

Answer = TypeVar("Answer")

LONGEST_WAIT: Final = 60.0
"""Seconds that a verdict may be waited for; whoever needs longer asks again."""

PAUSE: Final = 0.1
"""Seconds between two looks at how far an analysis has come."""

router = answers.api_router("runs", "/runs")

EXAMPLE: Final = {
    "schema": 1,
    "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "project": "mpich",
    "suite": "mpi-collectives",
    "commit": {"sha": "v5.0.2", "committed_at": "2026-02-03T09:30:00Z"},
    "machine": {
        "name": "jureca",
        "fingerprint": {"cpu": "EPYC 7742", "cores": 128, "mpi": "MPICH 5.0.2"},
    },
    "coordinate": {"p": 64},
    "configuration": {"message_bytes": 256, "tasks_per_node": 8},
    "results": [
        {
            "region": "MPI_Allreduce",
            "metric": "time",
            "unit": "s",
            "values": [1.1e-5, 1.2e-5, 1.15e-5],
        }
    ],
}


def request_body() -> dict[str, Any]:
    """Return the OpenAPI description of one run, an array of runs, or JSON Lines."""
    run = _inlined(RunReport.model_json_schema())
    runs = {"type": "array", "items": run, "minItems": 1}
    lines = {"schema": {"type": "string"}}
    return {
        "required": True,
        "description": (
            "One run, an array of runs, or a run per line; as they are, or with "
            "Content-Encoding gzip or zstd. At most 32 MiB once decompressed."
        ),
        "content": {
            "application/json": {"schema": {"anyOf": [run, runs]}, "example": EXAMPLE},
            "application/x-ndjson": lines,
            "application/jsonl": lines,
        },
    }


def _inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema with its definitions in the place of references."""
    definitions = schema.get("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, list):
            return [resolved(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return resolved(definitions[part["$ref"].removeprefix("#/$defs/")])
        return {key: resolved(each) for key, each in part.items() if key != "$defs"}

    inlined: dict[str, Any] = resolved(dict(schema))
    return inlined


class Accepted(schemas.Schema):
    """A run is stored for good, and will be analysed."""

    id: UUID
    run: str = Field(examples=["/api/v1/runs/6ba7b810-9dad-11d1-80b4-00c04fd430c8"])
    job: str = Field(examples=["/api/v1/jobs/17"])
    state: Literal["accepted", "known"] = Field(
        description="`known`: the same run had been posted before."
    )
    notes: list[str] = Field(
        [],
        description="What of the commit could not be taken, and why; the rest was.",
        examples=[["commit.branch is left out: String should have at most 500 …"]],
    )


@router.post(
    "",
    status_code=202,
    response_model=Accepted | list[Accepted],
    openapi_extra={"requestBody": request_body()},
    responses={
        200: {
            "model": Accepted | list[Accepted],
            "description": "All of it had been posted before.",
        },
        **problems.of(400, 403, 409, 413, 415, 422),
    },
)
async def post_runs(request: Request, door: DoorDep) -> Response:
    """Store a run, or several: all of them or none; the answer precedes any fit.

    The id of a run makes posting idempotent: the same run again is known, another
    one under the same id is a conflict.
    """
    async with posting.received_body(request, door) as sent:
        try:
            return await to_thread.run_sync(
                partial(store_runs, door, request.headers, sent, posting.SMALL),
                limiter=posting.storing(),
            )
        except BodyTooLarge:
            return await to_thread.run_sync(
                partial(store_runs, door, request.headers, sent, bodies.LIMIT),
                limiter=posting.storing_large(),
            )


def store_runs(
    door: RequestSessions, headers: Headers, sent: bytes, limit: int
) -> Response:
    """Decode, prepare and record the runs of a body, and acknowledge them.

    Raises
    ------
    BodyTooLarge
        If the body holds more than `limit` bytes once it is decoded.
    ScalewatchError
        If it holds no runs, or who sends it may not post them.
    """
    try:
        text = bodies.decoded(sent, headers.get("content-encoding", ""), limit)
        posted, is_single = bodies.runs_in(text, headers.get("content-type", ""))
    except ScalewatchError:
        posting.admit(door)
        raise
    prepared = [prepare(run.report, run.text) for run in posted]
    projects = {run.report.project for run in posted}
    record = partial(record_prepared, prepared=prepared)
    receipts = posting.recorded(door, projects, record)
    notes = [run.notes for run in posted]
    return posting.acknowledged(receipts, notes, is_single=is_single)


@router.get("/{run}", responses=answers.of(show.RecordedRun, 404, 422))
def show_run(
    session: ReadingDep, run: UUID, cursor: queries.CursorQuery = None
) -> Response:
    """Return what a run measured, where and how."""
    return answers.answer(show.recorded_run(session, run), cursor)


@router.get("/{run}/verdict", responses=answers.of(show.RunVerdict, 404, 422))
async def show_verdict(
    request: Request,
    door: DoorDep,
    run: UUID,
    cursor: queries.CursorQuery = None,
    wait: Annotated[
        float,
        Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the analysis."),
    ] = 0.0,
) -> Response:
    """Return what the analysis says of a run, or that it is pending."""

    def looked_up(question: Callable[..., Answer], *cursor: str | None) -> Answer:
        with door.reading() as session:
            return question(session, run, *cursor)

    deadline = monotonic() + wait
    while (left := deadline - monotonic()) > 0:
        progress, _ = await run_in_threadpool(looked_up, show.progress_of)
        is_pending = progress is show.AnalysisProgress.PENDING
        if not is_pending or await request.is_disconnected():
            break
        await asyncio.sleep(min(PAUSE, left))
    verdict = await run_in_threadpool(looked_up, show.verdict_of_run, cursor)
    return answers.answer(verdict)
