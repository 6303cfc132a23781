"""Guidelines: rules between regions, and how they hold."""

from typing import Annotated

from fastapi import Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http import answers, problems, schemas
from scalewatch.services import guidelines
from scalewatch.web import queries, sessions

router = answers.api_router("guidelines", "/projects/{project}/guidelines")


class Declaration(schemas.Schema):
    """Rules in place of those before; none at all lets nothing be checked."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = None
    guidelines: Annotated[
        list[wire.Text],
        Field(max_length=1000, examples=[["MPI_Allreduce <= MPI_Reduce + MPI_Bcast"]]),
    ]


class Declared(schemas.Schema):
    """The version that is in force now."""

    version: int


@router.get("", responses=answers.of(guidelines.GuidelineReport, 404, 409, 422))
def check_guidelines(session: sessions.ReadingDep, view: queries.ViewDep) -> Response:
    """Return how the guidelines of a project hold at a commit, worst first."""
    return answers.answer(guidelines.guidelines_at(session, view))


@router.put("", responses=problems.of(400, 403, 404, 422))
def declare_guidelines(
    session: sessions.AdminDep, project: str, declared: Declaration
) -> Declared:
    """State the guidelines of a project in place of those before."""
    version = guidelines.declare(
        session,
        project,
        declared.guidelines,
        author=declared.author,
        reason=declared.reason,
    )
    return Declared(version=version)
