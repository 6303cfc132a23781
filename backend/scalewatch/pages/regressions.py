"""The pages of regressions: all of a project, and the evidence of each."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.pages.histories.sentences import FEWEST_COMMITS
from scalewatch.pages.regressions_listing import causes
from scalewatch.pages.regressions_sentences import growth_words, headline, verdict_words
from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import Plot
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.wording.factors import scale_words
from scalewatch.pages.wording.intervals import bounded_words
from scalewatch.services.access.callers import Role, caller_of, may
from scalewatch.services.commits.forges import forge_of
from scalewatch.services.regressions.evidence import FIGURES
from scalewatch.services.regressions.regressions import (
    SETTABLE,
    RegressionState,
    regression_of,
    regressions_of,
)
from scalewatch.services.regressions.triage import Triage, rerun, triage
from scalewatch.web.protection.forms import Form, FormDep
from scalewatch.web.queries import RegressionId
from scalewatch.web.sessions import AdminDep, ReadingDep

RERUN: Final = "rerun"
"""The action that is no state: to measure once more."""

TREATED: Final = (RegressionState.OPEN, RegressionState.ACKNOWLEDGED)
"""What somebody is to look at: the others are folded."""

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/regressions", name="regressions")
def show_regressions(
    request: Request,
    session: ReadingDep,
    project: str,
    state: Annotated[list[RegressionState] | None, Query()] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one line per cause, the worst first."""
    found = regressions_of(session, project, state or ())
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regressions",
            found,
            lambda found: causes(found.regressions),
        )
    ordered = sorted(found.regressions, key=lambda each: each.urgency)
    unfolded = {*TREATED, *(state or ())}
    folded = {
        str(one): [each for each in ordered if each.state is one]
        for one in RegressionState
        if one not in unfolded
    }
    return render(
        request,
        "regressions/show.html",
        found=found,
        shown=[
            each
            for each in ordered
            if each.state in TREATED or each.state in (state or ())
        ],
        folded={name: each for name, each in folded.items() if each},
        headline=headline,
        fewest_commits=FEWEST_COMMITS,
        is_short=found.detection and found.detection["commits"] < FEWEST_COMMITS,
        states=list(RegressionState),
        may_treat=may(session, Role.ADMIN, found.project),
        query={"state": [str(each) for each in state or ()]},
    )


@router.get("/p/{project}/regressions/{number}", name="regression")
def show_regression(  # noqa: PLR0913, PLR0917 - one per part of the address
    request: Request,
    session: ReadingDep,
    project: str,
    number: RegressionId,
    series: Annotated[int, Query(ge=0)] = 0,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one cause: its evidence, all series that it changed, and what was done."""
    found = regression_of(session, project, number)
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regression-{number}",
            found,
            lambda found: causes([found]),
        )
    place = min(series, max(len(found.members) - 1, 0))
    asked = {"project": project, "regression": str(number), "series": str(place)}
    return render(
        request,
        "regressions/one.html",
        project=project,
        each=found,
        place=place,
        plots={
            name: Plot(path_to(request, "regression-figure", asked, figure=name))
            for name in (FIGURES if found.members else ())
        },
        forge=forge_of(session, project),
        headline=headline(found),
        growth_words=growth_words,
        bounded_words=bounded_words,
        verdict_words=verdict_words,
        scale_words=scale_words,
        settable=SETTABLE,
        may_treat=may(session, Role.ADMIN, project),
        query={},
    )


@router.post("/p/{project}/regressions", name="treat-regressions")
def treat_regressions(
    request: Request, session: AdminDep, project: str, form: FormDep
) -> Response:
    """Give all regressions that were ticked a state, or ask for runs of them."""
    for number in form.texts("regression"):
        if number.isdecimal():
            _treat(session, project, int(number), form)
    return RedirectResponse(path_to(request, "regressions", project=project), 303)


@router.post("/p/{project}/regressions/{number}", name="treat-regression")
def treat_regression(
    request: Request,
    session: AdminDep,
    project: str,
    number: RegressionId,
    form: FormDep,
) -> Response:
    """Give a regression a state, an owner, a note or a link, or ask for a run."""
    _treat(session, project, number, form)
    path = path_to(request, "regression", project=project, number=str(number))
    return RedirectResponse(path, 303)


def _treat(session: AdminDep, project: str, number: int, form: Form) -> None:
    author = caller_of(session).name
    state = form.text("state")
    if state == RERUN:
        rerun(session, project, number, author)
        return
    said = Triage(
        state=RegressionState(state)
        if state in {str(each) for each in SETTABLE}
        else None,
        owner=form.text("owner"),
        note=form.text("note"),
        link=form.text("link"),
    )
    triage(session, project, number, said, author)
