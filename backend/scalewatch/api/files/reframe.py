"""What ReFrame's handler `httpjson` posts: a test case at a time."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Query, Request, Response
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.api.runs import storing, turns
from scalewatch.api.runs.routes import Accepted
from scalewatch.errors import ScalewatchError, TooBusy
from scalewatch.services.files.imports import ImportOrigin
from scalewatch.services.files.kept_files import record_file
from scalewatch.services.files.posted_files import PostedFile, read_posted
from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import Receipt
from scalewatch.web.sessions import DoorDep, RequestSessions

router = api_router("runs")

SUITE: Final = "reframe"
FORMAT: Final = "reframe-json"
POST: Final = "post"
"""How errors call the body."""

MOST_WAITING: Final = 16
"""Posts that wait to be stored, beyond which others come back later."""

BODY: Final[dict[str, Any]] = {
    "required": True,
    "description": "The flat object that ReFrame posts of a test case.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"check_name": {"type": "string"}},
                "required": ["check_name"],
            },
            "example": {
                "check_name": "halo_test",
                "check_display_name": "halo_test %np=2 %n=1024",
                "check_system": "daint",
                "check_partition": "default",
                "check_environ": "builtin",
                "check_num_tasks": 2,
                "check_jobid": "4711",
                "check_job_completion_time_unix": 1764028800.0,
                "check_perf_step_value": 0.0125,
                "check_perf_step_unit": "s",
                "commit": "v1.2",
            },
        }
    },
}


@router.post(
    "/reframe",
    status_code=202,
    response_model=list[Accepted],
    openapi_extra={"requestBody": BODY},
    responses={
        200: {"model": list[Accepted], "description": "It had been posted before."},
        **problems(400, 403, 409, 413, 415, 422),
    },
)
async def post_case(  # noqa: PLR0913, PLR0917 - one per part of the query
    request: Request,
    door: DoorDep,
    project: Annotated[str, Query(examples=["lulesh"])],
    commit: Annotated[
        str | None, Query(description="Unless `commit` is among ReFrame's extras.")
    ] = None,
    machine: Annotated[
        str | None, Query(description="Where ReFrame names no system.")
    ] = None,
    branch: str | None = None,
) -> Response:
    """Store the performance of a test case: the URL of ReFrame's handler `httpjson`.

    Answers before any analysis. A case without performance stores nothing; the same
    case again is known. A busy server answers 429, after which ReFrame comes back.
    """
    if turns.storing().statistics().tasks_waiting >= MOST_WAITING:
        raise TooBusy
    known = {"sha": commit, "branch": branch}
    origin = ImportOrigin(
        project,
        machine,
        {key: text for key, text in known.items() if text} if commit else None,
        SUITE,
    )
    return await storing.stored(request, door, partial(_stored, door, origin))


def _stored(
    door: RequestSessions, origin: ImportOrigin, body: bytes, limit: int
) -> Response:
    file = PostedFile(body, origin, POST, FORMAT, may_be_empty=True)
    try:
        read = read_posted(file, limit)
    except ScalewatchError:
        storing.expected(door)
        raise
    prepared = [prepare(report) for report in read.runs.reports]

    def record(session: Session) -> Sequence[Receipt]:
        return record_file(session, file, prepared)

    try:
        receipts = storing.recorded(door, {origin.project}, record)
    except DBAPIError as error:
        # ReFrame comes back after a 429, and gives up after anything else.
        raise TooBusy from error
    return storing.acknowledged(receipts, is_single=False)
