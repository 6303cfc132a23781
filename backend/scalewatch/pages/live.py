"""Badges, and feeds of commits and regressions."""

from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.modelling import Mark
from scalewatch.pages.rendering.addresses import address_of
from scalewatch.pages.rendering.templates import TEMPLATES, path_to
from scalewatch.services.projects.feed import Condition, condition_of, recent_changes
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.web.sessions import ReadingDep

COLOURS: Final = {
    Condition.FINE: "#007a5a",
    Condition.WORSE: "#b34f00",
    Condition.UNDECIDED: "#59616b",
    Condition.UNKNOWN: "#59616b",
}
"""Dark enough for white text."""

MOST: Final = 50
"""Entries of the feed of regressions."""

LETTER: Final = 6.6
"""Mean width of a letter of the badge, in pixels."""

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/badge.svg", name="badge")
def show_badge(request: Request, session: ReadingDep, project: str) -> Response:
    """Show in a picture whether the newest commit of a project scales as expected."""
    condition, counts = condition_of(session, project)
    text = str(condition)
    if condition is Condition.WORSE and counts[Mark.MISMATCH]:
        text = f"{counts[Mark.MISMATCH]} mismatch"
    widths = [round(10 + LETTER * len(part)) for part in ("scaling", text)]
    badge = TEMPLATES.get_template("live/badge.svg").render(
        text=text, widths=widths, colour=COLOURS[condition], request=request
    )
    headers = {"Cache-Control": "no-cache"}
    return Response(badge, media_type="image/svg+xml", headers=headers)


@router.get("/p/{project}/feed.atom", name="feed")
def show_feed(request: Request, session: ReadingDep, project: str) -> Response:
    """Return the newest commits and what each changed, as an Atom feed."""
    entries = recent_changes(session, project)
    home = address_of(request, path_to(request, "report", project=project))
    feed = TEMPLATES.get_template("live/commits.atom").render(
        request=request,
        project=project,
        home=home,
        own=address_of(request, path_to(request, "feed", project=project)),
        updated=entries[0].at if entries else datetime.now(UTC),
        entries=[
            (
                entry,
                address_of(
                    request,
                    path_to(
                        request,
                        "commit-report",
                        project=project,
                        sha=entry.commit.label,
                    ),
                ),
            )
            for entry in entries
        ],
    )
    return Response(feed, media_type="application/atom+xml")


@router.get("/p/{project}/regressions.atom", name="regressions-feed")
def show_regressions(request: Request, session: ReadingDep, project: str) -> Response:
    """Return what changed for the worse, the newest news first, as an Atom feed."""
    found = regressions_of(session, project)
    worse = [each for each in found.regressions if each.is_worse]
    newest = sorted(worse, key=lambda each: each.changed_at, reverse=True)[:MOST]
    feed = TEMPLATES.get_template("live/regressions.atom").render(
        request=request,
        project=project,
        home=address_of(request, path_to(request, "regressions", project=project)),
        own=address_of(request, path_to(request, "regressions-feed", project=project)),
        updated=newest[0].changed_at if newest else datetime.now(UTC),
        entries=newest,
    )
    return Response(feed, media_type="application/atom+xml")
