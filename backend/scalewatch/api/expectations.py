"""Expectations: the growths that the authors of a code declare."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.api.http import answers, problems, schemas
from scalewatch.errors import BadExpression
from scalewatch.modelling import parse_declared, parse_formula
from scalewatch.services.expectations import declarations, in_force
from scalewatch.services.regions import preview
from scalewatch.web.sessions import AdminDep, ReadingDep

router = answers.api_router("expectations", "/projects/{project}/expectations")


def _readable_by(parse: Callable[[str], object], expression: str) -> str:
    try:
        parse(expression)
    except BadExpression as error:
        evidence = {"message": str(error), "position": error.position}
        kind = "bad_expression"
        raise PydanticCustomError(kind, "{message}", evidence) from None
    return expression


Expression = Annotated[
    str,
    AfterValidator(partial(_readable_by, parse_declared)),
    Field(examples=["O(log p)"]),
]
FormulaText = Annotated[
    str,
    AfterValidator(partial(_readable_by, parse_formula)),
    Field(examples=["13*8*N/triad + 2*parallel + 2*reduction"]),
]


class RegionExpectation(schemas.Expectation):
    """An expectation in force for a region's metric, in its normal form."""

    region: str = Field(examples=["MPI_Bcast"])
    metric: str = Field(examples=["time"])


class RegionComposition(schemas.Composition):
    """A composed model in force for a region's metric."""

    region: str = Field(examples=["cg"])
    metric: str = Field(examples=["time"])


class Expectations(schemas.Schema):
    """All expectations of a project that are in force."""

    expectations: list[RegionExpectation]
    compositions: list[RegionComposition] = Field(
        [], description="Models composed of other regions."
    )
    job: str | None = Field(
        None,
        description="The job that judges by what has changed.",
        examples=["/api/v1/jobs/17"],
    )


class Declaration(schemas.Schema):
    """The expectation of a region's metric."""

    region: wire.Name = Field(examples=["MPI_Bcast"])
    metric: wire.Name = "time"
    growth: Expression | None = Field(
        description="null withdraws the expectation, unless there is a formula."
    )
    deviation_limit: Expression | None = Field(
        None, description="By default half the leading exponent of the growth."
    )
    formula: FormulaText | None = Field(
        None, description="A model composed of other regions, instead of a growth."
    )

    @field_validator("formula")
    @classmethod
    def _is_instead_of_a_growth(
        cls, formula: str | None, info: ValidationInfo
    ) -> str | None:
        others = [name for name in ("growth", "deviation_limit") if info.data.get(name)]
        if formula is not None and others:
            message = "a formula stands instead of a growth and its tolerance"
            raise PydanticCustomError("formula_beside_growth", message)
        return formula


class StatusQuo(schemas.Schema):
    """Growths that are expected because they are what is measured."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = Field(None, examples=["first report; all reviewed"])
    commit: wire.Name | None = Field(None, description="The newest unless given.")
    regions: list[wire.Name] = Field([], max_length=10_000, description="Empty: all.")
    metric: wire.Name | None = Field(None, description="All unless given.")


class Declarations(schemas.Schema):
    """Expectations to be declared; regions that are not named keep theirs."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = Field(None, examples=["tree broadcast since v2"])
    expectations: Annotated[list[Declaration], Field(min_length=1, max_length=10_000)]


@router.get("", response_model=Expectations, responses=problems.of(404, 422))
def list_expectations(session: ReadingDep, project: str) -> dict[str, Any]:
    """Return what is expected of a project, by region and metric."""
    return _listed(session, project)


@router.put("", responses=problems.of(400, 403, 404, 422))
def declare_expectations(
    session: AdminDep, project: str, declared: Declarations
) -> Expectations:
    """Declare expectations, as new versions where they differ from those in force.

    All models they concern are judged anew, by a job.
    """
    job = declarations.declare(
        session,
        project,
        [
            declarations.Declaration(**declaration.model_dump())
            for declaration in declared.expectations
        ],
        author=declared.author,
        reason=declared.reason,
    )
    return _answer(session, project, job)


@router.post("/status-quo", responses=problems.of(400, 403, 404, 409, 422))
def accept_status_quo(
    session: AdminDep, project: str, accepted: StatusQuo
) -> Expectations:
    """Declare the growths found at a commit, the fastest where machines differ."""
    job = preview.accept(
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
            **_listed(session, project),
            "job": None if job is None else f"/api/v1/jobs/{job}",
        }
    )


def _listed(session: Session, project: str) -> dict[str, Any]:
    return {
        "expectations": in_force.listed(session, project),
        "compositions": in_force.listed_compositions(session, project),
    }
