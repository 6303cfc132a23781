"""Post a test case of ReFrame, as its handler `httpjson` does."""

from typing import Annotated, Any, Final

from fastapi import Query, Request, Response
from sqlalchemy.exc import DBAPIError

from scalewatch.api.files import reading
from scalewatch.api.http import answers, problems
from scalewatch.api.runs import turns
from scalewatch.api.runs.routes import Accepted
from scalewatch.errors import TooBusy
from scalewatch.services.files.imports import ImportOrigin
from scalewatch.services.files.posted_files import PostedFile
from scalewatch.web.sessions import DoorDep

router = answers.api_router("runs")

SUITE: Final = "reframe"
FORMAT: Final = "reframe-json"
POST: Final = "post"
"""How errors call the body."""

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
        **problems.problems(400, 403, 409, 413, 415, 422),
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
    turns.refuse_if_many_wait(turns.storing())
    known = {"sha": commit, "branch": branch}
    origin = ImportOrigin(
        project,
        machine,
        {key: text for key, text in known.items() if text} if commit else None,
        SUITE,
    )
    try:
        async with reading.decoded_body(request, door) as body:
            file = PostedFile(body, origin, POST, FORMAT, may_be_empty=True)
            return await reading.stored(request, door, file)
    except DBAPIError as error:
        # ReFrame comes back after a 429, and gives up after anything else.
        raise TooBusy from error
