"""Post a file of another tool as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Depends, Path, Query, Request, Response

from scalewatch.api.files import reading
from scalewatch.api.http import answers, problems
from scalewatch.api.runs.routes import Accepted
from scalewatch.errors import BadSetting, NotFound
from scalewatch.importers.formats import FORMATS
from scalewatch.services.files import imports, posted_files, stated_settings
from scalewatch.web.sessions import DoorDep

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
        """Return a file of which this is said."""
        settings = {
            "name": self.name,
            "path": self.path,
            "at": self.at,
            "derive": list(self.derive),
            "scan": list(self.scan),
            "across": self.across,
        }
        return posted_files.PostedFile(
            body,
            self.origin(),
            self.file,
            file_format,
            columns=_columns(self.column),
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
        **problems.problems(400, 403, 404, 409, 413, 415, 422, 429, 503),
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
    async with reading.decoded_body(request, door) as body:
        file = stated.of(body, file_format)
        if not dry_run:
            return await reading.stored(request, door, file)
        preview = await reading.read(request, posted_files.preview_json, file)
        return Response(preview, media_type="application/json")


def _columns(stated: Sequence[str]) -> Mapping[str, Sequence[str]]:
    columns: dict[str, list[str]] = {}
    for text in stated:
        meaning, _, name = text.partition("=")
        if not (meaning.strip() and name.strip()):
            raise BadSetting("column", text, "like p=ranks")
        columns.setdefault(meaning.strip(), []).append(name.strip())
    return columns
