"""Every page's data for programs: `?format=json`, `csv`, `md` or `tex`."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, TypeVar
from urllib.parse import quote

from fastapi import Query, Response

from scalewatch.exporters.documents import json_text
from scalewatch.exporters.listing import (
    Listing,
    csv_text,
    latex_text,
    markdown_text,
)
from scalewatch.exporters.markdown import plain

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


def download(
    wanted: Format,
    name: str,
    shown: Shown,
    listing: Callable[[Shown], Listing],
    overview: Callable[[Shown], Listing] | None = None,
) -> Response:
    """Answer with the data of a page.

    Parameters
    ----------
    listing, overview
        Return what CSV shows, for programs, and Markdown and LaTeX, for people, by
        default the same.
    """
    overview = overview or listing
    match wanted:
        case Format.CSV:
            body, media_type = csv_text(listing(shown)).encode(), "text/csv"
        case Format.MARKDOWN:
            body, media_type = markdown_text(overview(shown)).encode(), "text/markdown"
        case Format.LATEX:
            body, media_type = latex_text(overview(shown)).encode(), "application/x-tex"
        case _:
            body, media_type = json_text(shown), "application/json"
    disposition = f"inline; filename*=UTF-8''{quote(f'{name}.{wanted}', safe='')}"
    return Response(
        body, media_type=media_type, headers={"Content-Disposition": disposition}
    )


def markdown(listing: Listing, lead: str) -> str:
    """Return a sentence, and a table if any, as Markdown to copy."""
    said = plain(lead)
    return f"{said}\n\n{markdown_text(listing)}" if listing.rows else f"{said}\n"
