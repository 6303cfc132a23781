"""The pages of histories and of regressions."""

from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.errors import NotMeasured
from scalewatch.exporters.listing import Listing
from scalewatch.pages.addresses import path_to
from scalewatch.pages.dependencies import AdminDep, SessionDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.formats import assignments
from scalewatch.pages.history_charts import HEIGHT, LEFT, WIDTH, charts
from scalewatch.pages.templates import render
from scalewatch.services.access import caller_of
from scalewatch.services.histories import History, history_of
from scalewatch.services.overviews import overview_of
from scalewatch.services.regressions import (
    SETTABLE,
    Regressions,
    State,
    regressions_of,
)
from scalewatch.services.treatments import Treatment, treat
from scalewatch.web.forms import FormDep

NEWEST: Final = 10
"""Commits of each machine that the table on the page lists."""

router = APIRouter(include_in_schema=False)


class Axis(StrEnum):
    """What the commits are spaced by."""

    COMMIT = "commit"
    DATE = "date"


@router.get("/p/{project}/history", name="history")
def show_history(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    request: Request,
    session: SessionDep,
    project: str,
    region: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    axis: Axis = Axis.COMMIT,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the growth of a region at every commit, or how all regions changed."""
    try:
        history = (
            history_of(
                session,
                project,
                region,
                metric or None,
                machine or None,
                newest=NEWEST if wanted is Format.HTML else None,
            )
            if region
            else overview_of(session, project, metric or None, machine or None)
        )
    except NotMeasured:
        if region or metric or machine or wanted is not Format.HTML:
            raise
        return render(request, "histories/empty.html", project=project)
    if wanted is not Format.HTML:
        name = f"{project}-{history.region or 'all'}-{history.metric}-history"
        listing = steps(history) if history.region else eras(history)
        return download(wanted, name, history, listing, changes(history))
    return render(
        request,
        "histories/show.html",
        history=history,
        charts=charts(history, by_date=axis is Axis.DATE),
        axis=axis,
        size={"width": WIDTH, "height": HEIGHT, "left": LEFT},
        query={
            "region": history.region,
            "metric": history.metric,
            "machine": machine or (None if region else history.tracks[0].machine),
            "axis": axis if axis is not Axis.COMMIT else None,
        },
    )


@router.get("/p/{project}/regressions", name="regressions")
def show_regressions(
    request: Request,
    session: SessionDep,
    project: str,
    state: Annotated[list[State] | None, Query()] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one row per cause, the newest first."""
    found = regressions_of(session, project, state or ())
    if wanted is not Format.HTML:
        listing = causes(found)
        return download(wanted, f"{project}-regressions", found, listing, listing)
    return render(
        request,
        "regressions/show.html",
        found=found,
        states=list(State),
        settable=SETTABLE,
        query={"state": [str(each) for each in state or ()]},
    )


@router.post("/p/{project}/regressions/{number}", name="treat-regression")
def treat_regression(
    request: Request, session: AdminDep, project: str, number: int, form: FormDep
) -> Response:
    """Give a regression a state, an owner, a note or a link."""
    state = form.text("state")
    said = Treatment(
        state=State(state) if state in {str(each) for each in SETTABLE} else None,
        owner=form.text("owner"),
        note=form.text("note"),
        link=form.text("link"),
    )
    treat(session, project, number, said, caller_of(session).name)
    path = path_to(request, "regressions", project=project)
    return RedirectResponse(f"{path}#regression-{number}", 303)


def steps(history: History) -> Listing:
    """Return a history with one line per series and commit."""
    return Listing(
        (
            "machine",
            "configuration",
            "commit",
            "sha",
            "growth",
            "exponent",
            "constant",
            "coefficient",
            "at_target",
            "target",
            "verdict",
            "expectation_version",
        ),
        [
            (
                track.machine,
                assignments(track.configuration),
                history.commits[step.place].label,
                history.commits[step.place].sha,
                step.growth,
                step.exponent,
                step.constant,
                step.coefficient,
                step.at_target,
                track.target,
                step.verdict,
                step.expectation_version,
            )
            for track in history.tracks
            for step in track.steps
        ],
    )


def eras(history: History) -> Listing:
    """Return a history with one line per series and era."""
    return Listing(
        ("region", "machine", "configuration", "first", "last", "growth"),
        [
            (
                track.region,
                track.machine,
                assignments(track.configuration),
                history.commits[era.first].label,
                history.commits[era.last].label,
                era.growth,
            )
            for track in history.tracks
            for era in track.eras
        ],
    )


def changes(history: History) -> Listing:
    """Return the changes of a history."""
    return Listing(
        ("Region", "Machine", "Change", "First", "Last", "Factor", "Probability"),
        [
            (
                track.region,
                track.machine,
                change.kind,
                history.commits[change.first].label,
                history.commits[change.last].label,
                change.factor,
                change.probability,
            )
            for track in history.tracks
            for change in track.changes
        ],
    )


def causes(found: Regressions) -> Listing:
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
                member.details.get("growth_before"),
                member.details.get("growth_after"),
                member.details["largest_factor"],
                (member.details.get("at_target") or {}).get("value"),
                member.details["q_value"],
                each.suspect,
                each.owner,
            )
            for each in found.regressions
            for member in each.members
        ],
    )
