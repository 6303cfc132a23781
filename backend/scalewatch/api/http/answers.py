"""Answers of reading routes: any value of the product as JSON, figures also as SVG."""

from enum import StrEnum
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response

from scalewatch.api.http import problems
from scalewatch.exporters.documents import json_text
from scalewatch.figures.drawing import svg
from scalewatch.figures.figure import Figure
from scalewatch.services.selection.pages import InPages, part_of

Responses = dict[int | str, dict[str, Any]]

KIND: Final = "kind"
"""Where a route says what it answers; `described` makes the schema of it."""


def answer(value: object, cursor: str | None = None) -> Response:
    """Answer with a value, the same JSON as a page shows by `?format=json`.

    Of one that comes in pages, the page at the cursor.
    """
    if isinstance(value, InPages):
        value, _ = part_of(value, cursor)
    return Response(json_text(value), media_type="application/json")


class Drawn(StrEnum):
    """Formats of a figure."""

    JSON = "json"
    SVG = "svg"


DrawnQuery = Annotated[
    Drawn,
    Query(
        alias="format",
        description="Plotly's JSON, or a picture with its title, commit and machine.",
    ),
]


def figure_answer(figure: Figure, wanted: Drawn, *title: str, of: object) -> Response:
    """Answer with a figure.

    Parameters
    ----------
    title
        Words on what is drawn.
    of
        What it is drawn of, of which the picture names project, commit and machine.
    """
    if wanted is Drawn.JSON:
        return Response(figure.json(), media_type="application/json")
    commit = getattr(of, "commit", None)
    place = (getattr(of, name, None) for name in ("project", "machine"))
    named = [*place, getattr(commit, "label", commit)]
    words = [getattr(of, name, None) for name in ("region", "metric")]
    heading = " · ".join(filter(None, [*words, *title]))
    picture = svg(figure, heading, " · ".join(str(each) for each in named if each))
    return Response(picture, media_type="image/svg+xml")


def of(kind: Any, *statuses: int) -> Responses:
    """Document what a route answers: a dataclass or schema, or these problems."""
    return {200: {KIND: kind}, **problems.of(*statuses)}


PREFIX: Final = "/api/v1"


def api_router(tag: str, prefix: str = "") -> APIRouter:
    """Return a router below `PREFIX`, with the problems that all routes share.

    A prefix that comes with including it in another router would have the framework
    prepare each route a second time, a tenth of the time that a server takes to start.
    """
    return APIRouter(
        prefix=f"{PREFIX}{prefix}", tags=[tag], responses=problems.of(401, 429, 503)
    )
