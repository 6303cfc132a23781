"""The inbox: what became worse over all projects, its lines, its feed, and triage."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.exporters.listing import Listing
from scalewatch.pages import regressions
from scalewatch.pages.match_table.pictures import line_symbol
from scalewatch.pages.rendering import navigation, sheets, templates
from scalewatch.pages.rendering.addresses import path_to, stated_question
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.services.access.callers import Role, caller_of, may
from scalewatch.services.regressions.inbox import (
    NOBODY,
    Inbox,
    Period,
    inbox_of,
    lines_of,
)
from scalewatch.services.regressions.regressions import RegressionKind, RegressionState
from scalewatch.services.selection.pages import part_of
from scalewatch.web.protection.origins import FormDep
from scalewatch.web.queries import CursorQuery, InboxQuestionDep
from scalewatch.web.sessions import ReadingDep, WritingDep

PERIODS = {
    Period.WEEK: "7 days",
    Period.MONTH: "30 days",
    Period.QUARTER: "90 days",
    Period.HALF_YEAR: "6 months",
    Period.YEAR: "1 year",
    Period.YEARS: "2 years",
    Period.ALL: "all time",
}

SIZES = ("1.05", "1.1", "1.25", "1.5", "2", "10")
"""Factors that are offered: any other can stand in the address."""

MOST = 50
"""Entries of the feed."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/inbox", name="inbox")
def show_inbox(
    request: Request,
    session: ReadingDep,
    question: InboxQuestionDep,
    cursor: CursorQuery = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show what became worse over all projects, one line per cause, worst first."""
    whole = inbox_of(session, question)
    if wanted is not Format.HTML:
        return download(wanted, "inbox", whole, causes_of, overview_of, cursor=cursor)
    shown, page = part_of(whole, cursor)
    query = dict(stated_question(question))
    return templates.render(
        request,
        "regressions/inbox.html",
        shown=shown,
        page=page,
        question=question,
        query=query,
        cursor=cursor,
        sheet=path_to(request, "inbox-lines", {**query, "cursor": cursor}),
        headline=regressions.headline,
        paths=regressions.paths_of(request, session, shown.regressions),
        periods=PERIODS,
        kinds=list(RegressionKind),
        states=[each for each in RegressionState if each != RegressionState.IMPROVED],
        sizes=SIZES,
        nobody=NOBODY,
        me=caller_of(session).name,
        may_treat=any(may(session, Role.ADMIN, each) for each in shown.projects),
    )


def causes_of(inbox: Inbox) -> Listing:
    """Return the regressions of an inbox, with one line per series."""
    return regressions.causes(inbox.regressions)


def overview_of(inbox: Inbox) -> Listing:
    """Return the same as the page shows it."""
    return regressions.overview(inbox.regressions)


@router.post("/inbox", name="treat-inbox")
def treat_inbox(
    request: Request,
    session: WritingDep,
    form: FormDep,
    question: InboxQuestionDep,
    cursor: CursorQuery = None,
) -> Response:
    """Treat all that were ticked alike, in whichever projects they are."""
    regressions.treat_ticked(session, form)
    query = {**stated_question(question), "cursor": cursor}
    return RedirectResponse(path_to(request, "inbox", query), 303)


@router.get("/inbox/lines.svg", name="inbox-lines")
def show_lines(
    session: ReadingDep,
    question: InboxQuestionDep,
    cursor: CursorQuery = None,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """Return the lines of a page of the inbox, each under the id of its regression."""
    shown, _ = part_of(inbox_of(session, question), cursor)
    lines = lines_of(session, shown.regressions)
    symbols = (
        line_symbol(key, dict(enumerate(line)), len(line))
        for key, line in lines.items()
    )
    return sheets.sheet(symbols, if_none_match)


@router.get("/inbox.atom", name="inbox-feed")
def show_feed(
    request: Request,
    session: ReadingDep,
    question: InboxQuestionDep,
) -> Response:
    """Return what became worse over all projects as an Atom feed, newest news first."""
    rows = inbox_of(session, question).regressions
    newest = sorted(rows, key=lambda cause: cause.changed_at, reverse=True)[:MOST]
    return regressions.feed(
        request,
        session,
        "Scalewatch: inbox",
        "inbox",
        "inbox-feed",
        newest,
        stated_question(question),
    )
