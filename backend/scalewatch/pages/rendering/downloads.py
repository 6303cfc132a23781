"""Every page's data for programs: `?format=json`, `csv`, `md` or `tex`."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Annotated, Final, TypeVar
from urllib.parse import quote

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from scalewatch.exporters.documents import json_text
from scalewatch.exporters.listing import (
    Listing,
    csv_lines,
    latex_lines,
    markdown_lines,
    markdown_text,
)
from scalewatch.exporters.markdown import plain
from scalewatch.services.selection.pages import InPages, part_of

Shown = TypeVar("Shown")


class Format(StrEnum):
    """Formats in which a page's data is served."""

    HTML = "html"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "md"
    LATEX = "tex"


FormatQuery = Annotated[
    Format, Query(alias="format", description="The page, or its data for programs.")
]


def download(  # noqa: PLR0913, PLR0917 - parts of an answer
    wanted: Format,
    name: str,
    shown: Shown,
    listing: Callable[[Shown], Listing],
    overview: Callable[[Shown], Listing] | None = None,
    following: Callable[[str], Shown] | None = None,
    cursor: str | None = None,
) -> Response:
    """Answer with the data of a page.

    Parameters
    ----------
    listing, overview
        Return what CSV shows, for programs, and Markdown and LaTeX, for people, by
        default the same.
    following
        Returns what a cursor names. JSON shows one page of something in pages, with
        the cursor of the next; the others show all pages, one
        after the other.
    cursor
        Names the page that JSON shows of what was read whole.
    """
    disposition = f"inline; filename*=UTF-8''{quote(f'{name}.{wanted}', safe='')}"
    headers = {"Content-Disposition": disposition}
    if wanted not in WRITERS:
        part = part_of(shown, cursor)[0] if isinstance(shown, InPages) else shown
        return Response(json_text(part), media_type=JSON, headers=headers)
    media_type, write = WRITERS[wanted]
    rows_of = listing if wanted is Format.CSV or overview is None else overview
    content = rows_of(shown)
    if following is None or _next(shown) is None:
        body = "".join(write(content))
        return Response(body, media_type=media_type, headers=headers)
    others = map(rows_of, _pages_after(shown, following))
    return StreamingResponse(
        _joined(write(content.followed_by(others))),
        media_type=media_type,
        headers=headers,
    )


JSON: Final = "application/json"

WRITERS: Final[Mapping[Format, tuple[str, Callable[[Listing], Iterator[str]]]]] = {
    Format.CSV: ("text/csv", csv_lines),
    Format.MARKDOWN: ("text/markdown", markdown_lines),
    Format.LATEX: ("application/x-tex", latex_lines),
}
"""Media types of listings, and how their lines are written."""

LINES: Final = 500
"""Lines that are sent at once."""


def _next(shown: object) -> str | None:
    """Return the cursor of the next page, if there is one."""
    following: str | None = getattr(shown, "next", None)
    return following


def _pages_after(shown: Shown, following: Callable[[str], Shown]) -> Iterator[Shown]:
    while (cursor := _next(shown)) is not None:
        shown = following(cursor)
        yield shown


def _joined(lines: Iterator[str]) -> Iterator[str]:
    while some := "".join(islice(lines, LINES)):
        yield some


def markdown(listing: Listing, lead: str) -> str:
    """Return a sentence, and a table if any, as Markdown to copy."""
    said = plain(lead)
    return f"{said}\n\n{markdown_text(listing)}" if listing.rows else f"{said}\n"
