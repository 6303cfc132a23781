"""The gate: may a commit pass."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from scalewatch.api import schemas
from scalewatch.api.answers import answer, answers
from scalewatch.api.confirmations import Confirmation
from scalewatch.api.dependencies import ReadingDep
from scalewatch.services.gates import Outcome, gate_of

router = APIRouter(prefix="/projects/{project}/gate", tags=["history"])


class Finding(schemas.Schema):
    """A series that is worse or may be."""

    region: str
    metric: str
    machine: str
    configuration: schemas.Settings
    kind: str
    is_sure: bool
    sentence: str
    todo: str | None = Field(description="What would settle it.")


class Gate(schemas.Schema):
    """Whether a commit may pass."""

    project: str
    commit: dict[str, Any]
    baseline: dict[str, Any] | None
    relation: str | None = Field(examples=["merge base"])
    outcome: Outcome
    sentence: str
    findings: list[Finding]
    regressions: list[int]
    confirmations: list[Confirmation]
    counts: dict[str, int]


@router.get("", responses=answers(Gate, 404, 409, 422))
def show_gate(
    session: ReadingDep,
    project: str,
    commit: str,
    baseline: Annotated[
        str | None, Query(description="By default the merge base, or the parent.")
    ] = None,
) -> Response:
    """Return whether a commit may pass; `pending` until all of it is analysed."""
    return answer(gate_of(session, project, commit, baseline))
