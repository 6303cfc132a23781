"""Histories, and the regressions found in them."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.confirmations import Confirmation
from scalewatch.api.gates import NextStep
from scalewatch.api.http import schemas
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.http.problems import problems
from scalewatch.services.histories.paging import Window
from scalewatch.services.histories.region import history_of
from scalewatch.services.regressions import show
from scalewatch.services.regressions.series_histories import MOST_COMMITS
from scalewatch.services.regressions.triage import Triage, triage
from scalewatch.services.regressions.values import RegressionState
from scalewatch.web.sessions import AdminDep, ReadingDep

router = APIRouter(prefix="/projects/{project}", tags=["history"])


class TriageRequest(schemas.Schema):
    """What somebody says about a regression; what is left out stays as it is."""

    author: wire.Name = Field(examples=["ada"])
    state: Literal["open", "acknowledged", "expected"] | None = Field(
        None, description="`expected`: the new level becomes the baseline."
    )
    owner: wire.Name | None = None
    note: wire.Text | None = Field(None, examples=["known, fixed by !42"])
    link: wire.Text | None = Field(None, examples=["https://example.org/issues/42"])


class RegressionSummary(schemas.Schema):
    """A regression in a sentence; the route of its id tells all of it."""

    id: int
    is_worse: bool
    state: RegressionState
    sentence: str


class History(schemas.Schema):
    """The history of a region's metric on its machines."""

    project: str
    region: str
    metric: str
    regions: list[str]
    metrics: list[str]
    machines: list[str]
    commits: list[dict[str, Any]] = Field(description="The line, oldest first.")
    remarks: list[str]
    series: list[dict[str, Any]] = Field(
        description="Steps, segments and changes, by position on the line."
    )
    regressions: list[RegressionSummary] = Field(description="Of these series.")
    more: int = Field(description="Series that are not shown.")
    next: str | None = Field(description="`before` of what is older, if anything is.")


class Regression(schemas.Schema):
    """A cause, with the series that it changed, worst first."""

    id: int
    kind: str = Field(examples=["growth"])
    is_worse: bool
    is_sure: bool
    state: RegressionState
    first: dict[str, Any]
    last: dict[str, Any]
    fixed_by: dict[str, Any] | None
    suspect: str | None
    sentence: str
    owner: str | None
    link: str | None
    opened_at: str
    changed_at: str
    members: list[dict[str, Any]]
    next_step: NextStep | None = Field(description="While it is only suspected.")
    events: list[dict[str, Any]]


class Regressions(schemas.Schema):
    """The regressions of a project, and how far they can be trusted."""

    project: str
    states: list[RegressionState]
    regressions: list[Regression]
    counts: dict[str, int]
    confirmations: list[Confirmation]
    detection: dict[str, Any] | None = Field(
        description="Series measured, false changes to expect, new baselines."
    )


@router.get("/history", responses=answers(History, 404, 409, 422))
def show_history(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: ReadingDep,
    project: str,
    region: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_COMMITS, description="Commits.")] = 50,
) -> Response:
    """Return the history of a region: growth per commit, and where it changed.

    It is that of the newest commits, or of those before one.
    """
    window = Window(before or None, limit)
    return answer(history_of(session, project, region, metric, machine, window=window))


@router.get("/regressions", responses=answers(Regressions, 404, 422))
def list_regressions(
    session: ReadingDep,
    project: str,
    state: Annotated[
        list[RegressionState] | None, Query(description="All unless given.")
    ] = None,
) -> Response:
    """Return regressions, one per cause, newest first."""
    return answer(show.regressions_of(session, project, state or ()))


@router.get("/regressions/{regression}", responses=answers(Regression, 404, 422))
def show_regression(session: ReadingDep, project: str, regression: int) -> Response:
    """Return a regression with all that happened to it."""
    return answer(show.regression_of(session, project, regression))


@router.patch("/regressions/{regression}", responses=problems(403, 404, 422))
def treat_regression(
    session: AdminDep, project: str, regression: int, said: TriageRequest
) -> Response:
    """Give a regression a state, an owner, a note or a link; its history is kept."""
    treatment = Triage(
        state=RegressionState(said.state) if said.state else None,
        owner=said.owner,
        note=said.note,
        link=said.link,
    )
    return answer(triage(session, project, regression, treatment, said.author))
