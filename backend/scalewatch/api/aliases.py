"""Former names of regions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.http.routers import api_router
from scalewatch.api.http.schemas import Schema
from scalewatch.services.selection import renamed_regions
from scalewatch.services.selection.renamed_regions import Alias
from scalewatch.web.sessions import AdminDep, ReadingDep

router = api_router("history", "/projects/{project}/aliases")


@dataclass(frozen=True, slots=True)
class Aliases:
    """The former names of a project's regions."""

    aliases: Sequence[Alias]


Names = Annotated[
    dict[wire.Name, wire.Name | None],
    Field(max_length=10_000, examples=[{"bcast": "MPI_Bcast"}]),
]


class Renaming(Schema):
    """Present names by former ones; null takes one back, and others stay."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = None
    aliases: Names


@router.get("", responses=answers(Aliases, 404, 422))
def list_aliases(session: ReadingDep, project: str) -> Response:
    """Return the former names of a project's regions."""
    return answer(Aliases(renamed_regions.aliases_of(session, project)))


@router.put("", responses=answers(Aliases, 400, 403, 404, 422))
def rename_regions(session: AdminDep, project: str, renaming: Renaming) -> Response:
    """Let the histories of regions go on under other names."""
    return answer(Aliases(renamed_regions.rename(session, project, renaming.aliases)))
