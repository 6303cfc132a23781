"""Post a file of another tool as it is, or a test case of ReFrame.

A reader process reads it, and what it makes is stored as runs.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

from anyio import to_thread
from fastapi import Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import TypeAdapter
from sqlalchemy.exc import DBAPIError

from scalewatch.api.http import answers, problems
from scalewatch.api.runs import bodies, posting
from scalewatch.api.runs.routes import Accepted
from scalewatch.errors import BadSetting, NotFound, TooBusy
from scalewatch.importers.formats import FORMATS
from scalewatch.services.files import imports, kept_files, posted_files, stated_settings
from scalewatch.services.files.reader_processes import ReaderProcesses
from scalewatch.services.runs.record import prepare
from scalewatch.web.sessions import DoorDep, RequestSessions
from scalewatch.wire import RunReport

router = answers.api_router("runs")

EXAMPLE: Final = (
    "# OSU MPI Allreduce Latency Test v5.6.3\n# Size  Avg Latency(us)\n4  1.5\n"
)

BODY: Final[dict[str, Any]] = {
    "required": True,
    "description": (
        "The file as it is: text, JSON, a table, or a zip or tar archive of such; or "
        "with Content-Encoding gzip or zstd. At most 32 MiB, unpacked too."
    ),
    "content": {
        "application/octet-stream": {
            "schema": {"type": "string", "format": "binary"},
            "example": EXAMPLE,
        },
        "text/plain": {"schema": {"type": "string"}, "example": EXAMPLE},
    },
}


@dataclass(frozen=True)
class Stated:
    """Statements of the query about a file, as the options of `scalewatch import`."""

    project: Annotated[str, Query(examples=["lulesh"])]
    commit: Annotated[
        str | None, Query(description="Where the file does not say it.")
    ] = None
    machine: Annotated[
        str | None, Query(description="Where the file does not say it.")
    ] = None
    branch: str | None = None
    parent: Annotated[list[str], Query()] = ()  # type: ignore[assignment]
    committed_at: datetime | None = None
    message: str | None = None
    author: str | None = None
    repository: Annotated[
        str | None, Query(description="Where the code lies, without credentials.")
    ] = None
    suite: str = imports.SUITE
    file: Annotated[
        str, Query(description="Its path, of which `path` may tell settings.")
    ] = posted_files.UNNAMED
    name: Annotated[
        str | None, Query(description="Pattern of regions, such as {region}/{n}.")
    ] = None
    path: Annotated[
        str | None, Query(description="Pattern of paths, such as run-{p}.out.")
    ] = None
    at: Annotated[str | None, Query(description="Such as p=8,n=1000.")] = None
    derive: Annotated[
        list[str], Query(description="Such as p = nodes * taskspernode.")
    ] = ()  # type: ignore[assignment]
    scan: Annotated[
        list[str], Query(description="Numbers that are parameters: message_bytes.")
    ] = ()  # type: ignore[assignment]
    across: Annotated[
        str | None, Query(description="Of processes in a profile: max, sum or mean.")
    ] = None
    line: Annotated[
        list[str], Query(description="Of a log: ExecutionTime = {time:last} s.")
    ] = ()  # type: ignore[assignment]
    skip_first: Annotated[
        int, Query(ge=0, description="Repetitions of each setting left out: warm-ups.")
    ] = 0
    better: Annotated[str, Query(description="Such as higher, or FOM=higher.")] = ""
    column: Annotated[
        list[str], Query(description="Of a table: MEANING=NAME, as p=ranks.")
    ] = ()  # type: ignore[assignment]
    skip_unmatched: Annotated[
        bool, Query(description="Leave out what no pattern or format matches.")
    ] = False
    profile: Annotated[
        bool, Query(description="Regions are functions, their times a profile.")
    ] = False

    def origin(self) -> imports.ImportOrigin:
        """Return whose measurements the file holds."""
        moment = self.committed_at
        stated = {
            "sha": self.commit,
            "branch": self.branch,
            "parents": list(self.parent) or None,
            "committed_at": moment and moment.isoformat(),
            "message": self.message,
            "author": self.author,
            "repository": self.repository,
        }
        commit = {key: value for key, value in stated.items() if value is not None}
        return imports.ImportOrigin(
            self.project,
            self.machine,
            commit if self.commit else None,
            self.suite,
            stated_settings.directions_of(self.better),
        )

    def of(self, body: bytes, file_format: str) -> posted_files.PostedFile:
        """Return a file of which this is said.

        Raises
        ------
        BadSetting
            If the meaning of a column cannot be read.
        """
        columns: dict[str, list[str]] = {}
        for text in self.column:
            meaning, _, name = map(str.strip, text.partition("="))
            if not (meaning and name):
                raise BadSetting("column", text, "like p=ranks")
            columns.setdefault(meaning, []).append(name)
        settings = {
            "name": self.name,
            "path": self.path,
            "at": self.at,
            "derive": list(self.derive),
            "scan": list(self.scan),
            "across": self.across,
            "line": list(self.line),
            "skip_first": self.skip_first,
        }
        return posted_files.PostedFile(
            body,
            self.origin(),
            self.file,
            file_format,
            columns=columns,
            settings={key: value for key, value in settings.items() if value},
            skips_unmatched=self.skip_unmatched,
            is_profile=self.profile,
        )


@router.post(
    "/import/{file_format}",
    status_code=202,
    openapi_extra={"requestBody": BODY},
    responses={
        200: {
            answers.KIND: list[Accepted] | posted_files.FilePreview,
            "description": "All of it had been posted before; or what it holds.",
        },
        202: {answers.KIND: list[Accepted] | posted_files.FilePreview},
        **problems.of(400, 403, 404, 409, 413, 415, 422, 429, 503),
    },
)
async def post_file(
    request: Request,
    door: DoorDep,
    file_format: Annotated[
        str, Path(description="auto looks at the content.", examples=["auto"])
    ],
    stated: Annotated[Stated, Depends()],
    *,
    dry_run: Annotated[
        bool, Query(description="Tell what it holds, and store nothing.")
    ] = False,
) -> Response:
    """Store what a file of another tool tells as runs, or tell what it holds.

    The file is kept as it is, to be read again; posting it twice changes nothing. All
    of it is stored or nothing: what cannot be read is named with its line.
    """
    if file_format not in FORMATS:
        raise NotFound("format", file_format)
    async with decoded_body(request, door, stated.project) as body:
        file = stated.of(body, file_format)
        if not dry_run:
            return await stored_runs(request, door, file)
        preview = await read(request, posted_files.preview_json, file)
        return Response(preview, media_type="application/json")


REFRAME: Final = "reframe"
FORMAT: Final = "reframe-json"
POST: Final = "post"
"""How errors call the body."""

CASE: Final[dict[str, Any]] = {
    "required": True,
    "description": "The flat object that ReFrame posts of a test case.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"check_name": {"type": "string", "minLength": 1}},
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
    openapi_extra={"requestBody": CASE},
    responses={
        200: {"model": list[Accepted], "description": "It had been posted before."},
        **problems.of(400, 403, 409, 413, 415, 422),
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
    known = {"sha": commit, "branch": branch}
    origin = imports.ImportOrigin(
        project,
        machine,
        {key: text for key, text in known.items() if text} if commit else None,
        REFRAME,
    )
    try:
        async with decoded_body(request, door, project) as body:
            file = posted_files.PostedFile(
                body, origin, POST, FORMAT, may_be_empty=True
            )
            return await stored_runs(request, door, file)
    except DBAPIError as error:
        # ReFrame comes back after a 429, and gives up after anything else.
        raise TooBusy from error


_RUNS: Final = TypeAdapter(tuple[tuple[RunReport, ...], tuple[str, ...]])


@asynccontextmanager
async def decoded_body(
    request: Request, door: RequestSessions, project: str
) -> AsyncIterator[bytes]:
    """Receive and decode the body of who may post to a project, once it can be read.

    Reader processes are few: who may not post takes none, and others wait their turn,
    which ends with the block.
    """
    async with posting.received_body(request, door) as sent:
        caller = await run_in_threadpool(posting.admit, door, project)
        async with posting.reading(_readers(request).places, caller, project):
            encoding = request.headers.get("content-encoding", "")
            yield await run_in_threadpool(bodies.decoded, sent, encoding)


async def read(
    request: Request,
    function: Callable[[posted_files.PostedFile, int], bytes],
    file: posted_files.PostedFile,
) -> bytes:
    """Return the runs or the preview of a file, by a function of `posted_files`."""
    return await run_in_threadpool(_readers(request).read, function, file, bodies.LIMIT)


async def stored_runs(
    request: Request, door: RequestSessions, file: posted_files.PostedFile
) -> Response:
    """Store the runs that a file makes, and acknowledge them."""
    runs = await read(request, posted_files.runs_json, file)
    return await to_thread.run_sync(
        partial(_stored, door, file, runs), limiter=posting.storing_turn(len(runs))
    )


def _readers(request: Request) -> ReaderProcesses:
    readers: ReaderProcesses = request.app.state.readers
    return readers


def _stored(
    door: RequestSessions, file: posted_files.PostedFile, runs: bytes
) -> Response:
    reports, notes = _RUNS.validate_json(runs)
    prepared = [prepare(report) for report in reports]
    record = partial(kept_files.record_file, file=file, prepared=prepared)
    receipts = posting.recorded(door, [file.origin.project], record)
    return posting.acknowledged(receipts, [notes] * len(receipts), is_single=False)
