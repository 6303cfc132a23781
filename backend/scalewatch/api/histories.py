"""Histories, and the regressions found in them."""

from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http import schemas
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.services.common_mode.project_history import MOST_COMMITS
from scalewatch.services.histories.paging import Window
from scalewatch.services.histories.region import History, history_of
from scalewatch.services.regressions import regressions
from scalewatch.services.regressions.regressions import (
    Regression,
    Regressions,
    RegressionState,
)
from scalewatch.services.regressions.triage import Triage, triage
from scalewatch.web.queries import RegressionId
from scalewatch.web.sessions import AdminDep, ReadingDep

router = api_router("history", "/projects/{project}")


class TriageRequest(schemas.Schema):
    """What somebody says about a regression; what is left out stays as it is."""

    author: wire.Name = Field(examples=["ada"])
    state: Literal["open", "acknowledged", "expected"] | None = Field(
        None, description="`expected`: the new level becomes the baseline."
    )
    owner: wire.Name | None = None
    note: wire.Text | None = Field(None, examples=["known, fixed by !42"])
    link: wire.Text | None = Field(None, examples=["https://example.org/issues/42"])


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
    return answer(regressions.regressions_of(session, project, state or ()))


@router.get("/regressions/{regression}", responses=answers(Regression, 404, 422))
def show_regression(
    session: ReadingDep, project: str, regression: RegressionId
) -> Response:
    """Return a regression with all that happened to it."""
    return answer(regressions.regression_of(session, project, regression))


@router.patch("/regressions/{regression}", responses=problems(400, 403, 404, 422))
def treat_regression(
    session: AdminDep, project: str, regression: RegressionId, said: TriageRequest
) -> Response:
    """Give a regression a state, an owner, a note or a link; its history is kept."""
    treatment = Triage(
        state=RegressionState(said.state) if said.state else None,
        owner=said.owner,
        note=said.note,
        link=said.link,
    )
    return answer(triage(session, project, regression, treatment, said.author))
