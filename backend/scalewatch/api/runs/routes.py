"""Runs: post them, read them, ask for their verdicts."""

import asyncio
from time import monotonic
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from scalewatch.api.http import answers, problems, schemas
from scalewatch.api.runs import posting, request_body
from scalewatch.services.runs import show
from scalewatch.web.sessions import DoorDep, ReadingDep, RequestSessions

LONGEST_WAIT: Final = 60.0
"""Seconds that a verdict may be waited for; whoever needs longer asks again."""

PAUSE: Final = 0.1
"""Seconds between two looks at how far an analysis has come."""

router = answers.api_router("runs", "/runs")


class Accepted(schemas.Schema):
    """A run is stored for good, and will be analysed."""

    id: UUID
    run: str = Field(examples=["/api/v1/runs/6ba7b810-9dad-11d1-80b4-00c04fd430c8"])
    job: str = Field(examples=["/api/v1/jobs/17"])
    state: Literal["accepted", "known"] = Field(
        description="`known`: the same run had been posted before."
    )


@router.post(
    "",
    status_code=202,
    response_model=Accepted | list[Accepted],
    openapi_extra={"requestBody": request_body.request_body()},
    responses={
        200: {
            "model": Accepted | list[Accepted],
            "description": "All of it had been posted before.",
        },
        **problems.problems(400, 403, 409, 413, 415, 422),
    },
)
async def post_runs(request: Request, door: DoorDep) -> Response:
    """Store a run, or several: all of them or none; the answer precedes any fit.

    The id of a run makes posting idempotent: the same run again is known, another
    one under the same id is a conflict.
    """
    async with posting.receiving(request, door) as body:
        return await posting.post(door, body)


@router.get("/{run}", responses=answers.answers(show.RecordedRun, 404, 422))
def show_run(session: ReadingDep, run: UUID) -> Response:
    """Return what a run measured, where and how."""
    return answers.answer(show.recorded_run(session, run))


@router.get("/{run}/verdict", responses=answers.answers(show.RunVerdict, 404, 422))
async def show_verdict(
    request: Request,
    door: DoorDep,
    run: UUID,
    wait: Annotated[
        float,
        Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the analysis."),
    ] = 0.0,
) -> Response:
    """Return what the analysis says of a run, or that it is pending."""
    deadline = monotonic() + wait
    while (left := deadline - monotonic()) > 0:
        progress = await run_in_threadpool(_progress, door, run)
        if (
            progress is not show.AnalysisProgress.PENDING
            or await request.is_disconnected()
        ):
            break
        await asyncio.sleep(min(PAUSE, left))
    return answers.answer(await run_in_threadpool(_verdict, door, run))


def _progress(door: RequestSessions, run: UUID) -> show.AnalysisProgress:
    with door.reading() as session:
        return show.progress_of(session, run)[0]


def _verdict(door: RequestSessions, run: UUID) -> show.RunVerdict:
    with door.reading() as session:
        return show.verdict_of_run(session, run)
