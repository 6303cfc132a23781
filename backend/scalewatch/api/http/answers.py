"""Answers of reading routes: any value of the product as JSON."""

from typing import Any, Final

from fastapi import APIRouter, Response

from scalewatch.api.http import problems
from scalewatch.exporters.documents import json_text
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


def figure_answer(figure: Figure) -> Response:
    """Answer with a figure as plotly's JSON."""
    return Response(figure.json(), media_type="application/json")


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
