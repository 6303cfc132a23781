"""The pages of regressions: all of a project, and each by itself."""

from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.exporters.listing import Listing
from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.wording.formats import assignments
from scalewatch.services.access.callers import caller_of
from scalewatch.services.regressions.show import regression_of, regressions_of
from scalewatch.services.regressions.triage import Triage, triage
from scalewatch.services.regressions.values import SETTABLE, Regression, RegressionState
from scalewatch.web.protection.forms import FormDep
from scalewatch.web.queries import RegressionId
from scalewatch.web.sessions import AdminDep, ReadingDep

MOST_MEMBERS: Final = 8
"""Series of a regression that the page of all of them lists."""

TREATED: Final = (RegressionState.OPEN, RegressionState.ACKNOWLEDGED)
"""What somebody is to look at: of others, that page says no more than a sentence."""

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/regressions", name="regressions")
def show_regressions(
    request: Request,
    session: ReadingDep,
    project: str,
    state: Annotated[list[RegressionState] | None, Query()] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one row per cause, the worst first."""
    found = regressions_of(session, project, state or ())
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regressions",
            found,
            lambda found: causes(found.regressions),
        )
    return render(
        request,
        "regressions/show.html",
        found=found,
        states=list(RegressionState),
        settable=SETTABLE,
        most=MOST_MEMBERS,
        treated=TREATED,
        query={"state": [str(each) for each in state or ()]},
    )


@router.get("/p/{project}/regressions/{number}", name="regression")
def show_regression(
    request: Request,
    session: ReadingDep,
    project: str,
    number: RegressionId,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one cause: all series that it changed, and what happened to it."""
    found = regression_of(session, project, number)
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regression-{number}",
            found,
            lambda found: causes([found]),
        )
    return render(
        request,
        "regressions/one.html",
        project=project,
        each=found,
        settable=SETTABLE,
        query={},
    )


@router.post("/p/{project}/regressions/{number}", name="treat-regression")
def treat_regression(
    request: Request,
    session: AdminDep,
    project: str,
    number: RegressionId,
    form: FormDep,
) -> Response:
    """Give a regression a state, an owner, a note or a link."""
    state = form.text("state")
    said = Triage(
        state=RegressionState(state)
        if state in {str(each) for each in SETTABLE}
        else None,
        owner=form.text("owner"),
        note=form.text("note"),
        link=form.text("link"),
    )
    triage(session, project, number, said, caller_of(session).name)
    path = path_to(request, "regression", project=project, number=str(number))
    return RedirectResponse(path, 303)


def causes(found: Sequence[Regression]) -> Listing:
    """Return regressions with one line per series."""
    return Listing(
        (
            "regression",
            "state",
            "kind",
            "worse",
            "sure",
            "first",
            "last",
            "region",
            "metric",
            "machine",
            "configuration",
            "growth_before",
            "growth_after",
            "factor",
            "factor_at_target",
            "q_value",
            "suspect",
            "owner",
        ),
        [
            (
                each.id,
                each.state,
                each.kind,
                each.is_worse,
                each.is_sure,
                each.first.label,
                each.last.label,
                member.region,
                member.metric,
                member.machine,
                assignments(member.configuration),
                member.details.growth_before,
                member.details.growth_after,
                member.details.largest_factor,
                member.details.at_target and member.details.at_target.value,
                member.details.q_value,
                each.suspect,
                each.owner,
            )
            for each in found
            for member in each.members
        ],
    )
