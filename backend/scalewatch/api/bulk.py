"""All measurements of a project, or its models, as streams of rows."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from scalewatch.api.http import answers, problems
from scalewatch.errors import NotAcceptable
from scalewatch.exporters.streams import MEDIA_TYPES, STREAMS, Rows, TypedColumns
from scalewatch.services.files import bulk
from scalewatch.services.selection.view import View
from scalewatch.web import queries, sessions

CURSOR: Final = "Scalewatch-Next-Cursor"
"""The header that names the next page, if there is one."""

router = answers.api_router("projects", "/projects")


class BulkFormat(StrEnum):
    """In which form rows are answered."""

    CSV = "csv"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"


EXAMPLE: Final = (
    "project,commit,machine,region,metric,unit,p,message_bytes,run,repetition,value\n"
    "mpich,v5.0.2,jureca,MPI_Bcast,time,s,64.0,256,6ba7b810-…,0,1.1e-05\n"
)
CONTENT: Final[Mapping[str, Any]] = {
    MEDIA_TYPES["csv"]: {"schema": {"type": "string"}, "example": EXAMPLE},
    **{
        kind: {"schema": {"type": "string", "format": "binary"}}
        for kind in MEDIA_TYPES.values()
        if kind != MEDIA_TYPES["csv"]
    },
}

Cursor = Annotated[
    str | None,
    Query(
        description=f"What the header {CURSOR} of a page named, or the `next` of JSON."
    ),
]


@router.get(
    "/{project}/measurements",
    response_class=Response,
    responses={
        200: {"description": "A row per repetition.", "content": dict(CONTENT)},
        **problems.of(404, 406, 409, 422, 501),
    },
)
def read_measurements(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    request: Request,
    door: sessions.DoorDep,
    view: queries.ViewDep,
    region: Annotated[str | None, Query(description="All unless given.")] = None,
    wanted: Annotated[
        BulkFormat | None,
        Query(alias="format", description="Or by Accept; else JSON Lines."),
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[
        int | None, Query(ge=1, le=100_000, description="Runs of a page; else all.")
    ] = None,
) -> Response:
    """Return every repetition of a project, run by run, in the order of arrival.

    Of all commits, metrics and machines unless some are named. What is posted later
    comes behind it: the cursor of the last page goes on there.
    """
    kind = (
        wanted or accepted(request.headers.get("accept", "")) or BulkFormat.JSON_LINES
    )
    with door.reading() as session:
        page = bulk.bulk_page(session, view, region or None, cursor, limit)
    rows = bulk.bulk_rows(door.reading, page)
    return streamed(kind, page.columns, rows, page.next)


@router.get("/{project}/runs", responses=answers.of(bulk.PostedRuns, 404, 422))
def list_posted_runs(
    session: sessions.ReadingDep,
    project: str,
    after: Annotated[
        int, Query(ge=0, le=bulk.LARGEST_ID, description="`next` of the page before.")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="Runs of a page.")] = 100,
) -> Response:
    """Return runs as they were posted, to the letter, in the order of arrival.

    Each is a text in JSON that can be posted again.
    """
    return answers.answer(bulk.posted_runs(session, project, after, limit))


def read_models(
    door: sessions.RequestSessions,
    view: View,
    region: str | None,
    kind: BulkFormat,
    cursor: str | None,
) -> Response:
    """Return a row per model: of a commit or, if it is called `*`, of each."""
    with door.reading() as session:
        page = bulk.models_page(session, view, cursor, bulk.AT_ONCE)
    return streamed(
        kind,
        bulk.COLUMNS,
        bulk.model_rows(door.reading, view, region, page),
        page.next,
    )


def streamed(
    kind: BulkFormat, columns: TypedColumns, rows: Iterator[Rows], following: str | None
) -> Response:
    """Answer with rows, as they are read.

    Raises
    ------
    MissingExtra
        If the format needs a package that is not installed.
    """
    headers = {} if following is None else {CURSOR: following}
    parts = STREAMS[kind](columns, rows)
    return StreamingResponse(parts, media_type=MEDIA_TYPES[kind], headers=headers)


def accepted(accept: str) -> BulkFormat | None:
    """Return the first format that a client takes; None if any will do.

    Raises
    ------
    NotAcceptable
        If it takes others alone.
    """
    names = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    known = {kind: BulkFormat(name) for name, kind in MEDIA_TYPES.items()}
    first = next((known[name] for name in names if name in known), None)
    is_any = not any(names) or {"*/*", "application/*", "text/*"} & {*names}
    if first is None and not (is_any or "application/json" in names):
        raise NotAcceptable(accept, MEDIA_TYPES.values())
    return first
