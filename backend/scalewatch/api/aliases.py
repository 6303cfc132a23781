"""Former names of regions."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.http.schemas import Schema
from scalewatch.services.selection import renamed_regions
from scalewatch.web.sessions import AdminDep, ReadingDep

router = APIRouter(prefix="/projects/{project}/aliases", tags=["history"])

Names = Annotated[
    dict[wire.Name, wire.Name | None],
    Field(max_length=10_000, examples=[{"bcast": "MPI_Bcast"}]),
]


class Alias(Schema):
    """A former name of a region, and its present one."""

    former: str
    name: str


class Aliases(Schema):
    """The former names of a project's regions."""

    aliases: list[Alias]


class Renaming(Schema):
    """Present names by former ones; null takes one back, and others stay."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = None
    aliases: Names


@router.get("", responses=answers(Aliases, 404, 422))
def list_aliases(session: ReadingDep, project: str) -> Response:
    """Return the former names of a project's regions."""
    return answer({"aliases": renamed_regions.aliases_of(session, project)})


@router.put("", responses=answers(Aliases, 403, 404, 422))
def rename_regions(session: AdminDep, project: str, renaming: Renaming) -> Response:
    """Let the histories of regions go on under other names."""
    return answer(
        {"aliases": renamed_regions.rename(session, project, renaming.aliases)}
    )
