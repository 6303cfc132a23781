"""Expectations: what the authors of a code promise."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.api.http.problems import problems
from scalewatch.api.http.schemas import Expectation, Schema
from scalewatch.errors import BadExpression
from scalewatch.modelling import parse_declared
from scalewatch.services.expectations import declarations, in_force
from scalewatch.services.regions import status_quo
from scalewatch.web.sessions import AdminDep, ReadingDep

router = APIRouter(prefix="/projects/{project}/expectations", tags=["expectations"])


def _readable(expression: str) -> str:
    try:
        parse_declared(expression)
    except BadExpression as error:
        evidence = {"message": str(error), "position": error.position}
        kind = "bad_expression"
        raise PydanticCustomError(kind, "{message}", evidence) from None
    return expression


Expression = Annotated[str, AfterValidator(_readable), Field(examples=["O(log p)"])]


class RegionExpectation(Expectation):
    """A promise in force for a region's metric, in its normal form."""

    region: str = Field(examples=["MPI_Bcast"])
    metric: str = Field(examples=["time"])


class Expectations(Schema):
    """All promises of a project that are in force."""

    expectations: list[RegionExpectation]
    job: str | None = Field(
        None,
        description="The job that judges by what has changed.",
        examples=["/api/v1/jobs/17"],
    )


class Declaration(Schema):
    """What one promises for a region's metric."""

    region: wire.Name = Field(examples=["MPI_Bcast"])
    metric: wire.Name = "time"
    growth: Expression | None = Field(description="null withdraws the expectation.")
    deviation_limit: Expression | None = Field(
        None, description="By default half the leading exponent of the growth."
    )


class StatusQuo(Schema):
    """Growths that are promised because they are what is measured."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = Field(None, examples=["first report; all reviewed"])
    commit: wire.Name | None = Field(None, description="The newest unless given.")
    regions: list[wire.Name] = Field([], max_length=10_000, description="Empty: all.")
    metric: wire.Name | None = Field(None, description="All unless given.")


class Declarations(Schema):
    """Promises to be declared; regions that are not named keep theirs."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = Field(None, examples=["tree broadcast since v2"])
    expectations: Annotated[list[Declaration], Field(min_length=1, max_length=10_000)]


@router.get("", response_model=Expectations, responses=problems(404, 422))
def list_expectations(
    session: ReadingDep, project: str
) -> dict[str, list[dict[str, object]]]:
    """Return what is expected of a project, by region and metric."""
    return {"expectations": in_force.listed(session, project)}


@router.put("", responses=problems(400, 403, 404, 422))
def declare_expectations(
    session: AdminDep, project: str, declared: Declarations
) -> Expectations:
    """Declare expectations, as new versions where they differ from those in force.

    All models they concern are judged anew, by a job.
    """
    job = declarations.declare(
        session,
        project,
        [declarations.Declaration(**one.model_dump()) for one in declared.expectations],
        author=declared.author,
        reason=declared.reason,
    )
    return _answer(session, project, job)


@router.post("/status-quo", responses=problems(400, 403, 404, 409, 422))
def accept_status_quo(
    session: AdminDep, project: str, accepted: StatusQuo
) -> Expectations:
    """Declare the growths found at a commit, the fastest where machines differ."""
    job = status_quo.accept(
        session,
        project,
        accepted.commit,
        author=accepted.author,
        reason=accepted.reason,
        regions=accepted.regions,
        metric=accepted.metric,
    )
    return _answer(session, project, job)


def _answer(session: Session, project: str, job: int | None) -> Expectations:
    return Expectations.model_validate(
        {
            "expectations": in_force.listed(session, project),
            "job": None if job is None else f"/api/v1/jobs/{job}",
        }
    )
