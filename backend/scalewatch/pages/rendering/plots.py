"""Plots: the figures of a page, embedded in it or fetched by the browser."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from fastapi import Request
from markupsafe import Markup

from scalewatch.figures.figure import Figure
from scalewatch.pages.rendering.addresses import Query, path_to

MARKUP: Final = "'&<>"
"""Characters that are markup."""

Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure of a page.

    Parameters
    ----------
    address
        Where the API has it, for downloads, frames and other programs.
    draw
        Makes it of what the page has read anyway; None where that does not suffice:
        a browser asks for it while it lays out the page.
    """

    address: str
    draw: Callable[[], Figure] | None = None

    @property
    def document(self) -> Markup:
        """Return the figure as JSON within single quotes, where nothing ends them."""
        if self.draw is None:
            return Markup()
        return Markup(quoted(self.draw().json().decode()))  # noqa: S704


def quoted(document: str) -> str:
    """Return JSON in which nothing is markup, or ends single quotes."""
    for mark in MARKUP:
        document = document.replace(mark, f"\\u{ord(mark):04x}")
    return document


def plots_of(
    request: Request,
    route: str,
    figures: Mapping[str, Callable[[Shown], Figure]],
    shown: Shown,
    query: Query,
) -> dict[str, Plot]:
    """Return the plots of a page, by name."""
    return {
        name: Plot(path_to(request, route, query, figure=name), partial(draw, shown))
        for name, draw in figures.items()
    }
