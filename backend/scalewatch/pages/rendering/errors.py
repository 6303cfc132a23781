"""Error pages: what is wrong, what the address may mean, and where to go from there."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

from fastapi import BackgroundTasks, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.errors import NotFound, NoTimes, ScalewatchError
from scalewatch.pages.rendering import addresses, navigation, templates
from scalewatch.services import searches
from scalewatch.services.comparisons.compare import SEPARATOR
from scalewatch.services.selection.view import View
from scalewatch.web.sessions import RequestSessions

TITLES: Final = {
    404: "Not found",
    405: "This address only shows pages",
    422: "The address cannot be read",
    500: "Scalewatch failed",
}

NAVIGABLE: Final = frozenset({404, 405, 409, 422})
"""Errors of an address, after which there is a way on within the project."""

PROJECT_PAGES: Final = "/p/"
"""How the addresses of a project's pages begin, before its name."""


@dataclass(frozen=True, slots=True)
class WayOn:
    """A page that the address may mean."""

    name: str
    path: str


def show_error(
    request: Request, status: int, detail: str, error: Exception | None = None
) -> HTMLResponse:
    """Answer with a page that names the error and where to go from there.

    Parameters
    ----------
    error
        Whose evidence tells what the address may mean.
    """
    setattr(request.state, navigation.FAILED, True)
    project: str | None = None
    ways: tuple[WayOn, ...] = ()
    if status in NAVIGABLE:
        # A page of an error is shown, whatever else fails.
        with suppress(ScalewatchError, SQLAlchemyError):
            project, ways = _way_on(request, error)
    setattr(request.state, navigation.FAILED_WITHIN, project)
    return templates.render(
        request,
        "errors/show.html",
        status_code=status,
        status=status,
        title=TITLES.get(status, HTTPStatus(status).phrase),
        detail=detail[:1].upper() + detail[1:],
        project=project,
        ways=ways,
    )


def missing_page(request: Request) -> str:
    """Say that an address leads to no page."""
    return f"no page {request.url.path!r}"


def _way_on(
    request: Request, error: Exception | None
) -> tuple[str | None, tuple[WayOn, ...]]:
    """Return the project of an address, if the reader may see it, and pages near it."""
    # An address may lead to no page, and name a project nonetheless.
    _, _, rest = request.url.path.partition(PROJECT_PAGES)
    written = unquote(rest.partition("/")[0]) or None
    named: str | None = request.path_params.get("project", written)
    with RequestSessions(request, BackgroundTasks(), None).reading() as session:
        if named is None:
            return None, tuple(_pages_near(request, None))
        if not searches.is_project(session, named):
            ways = [
                WayOn(near, addresses.path_to(request, "report", project=near))
                for near in searches.near_projects(session, named)
            ]
            return None, tuple(ways)
        if isinstance(error, NotFound):
            names = searches.near_names(session, named, error.kind, str(error.key))
            return named, tuple(_renamed(request, str(error.key), names))
        is_page = "endpoint" in request.scope
        return named, () if is_page else tuple(_pages_near(request, named))


def _pages_near(request: Request, project: str | None) -> Iterator[WayOn]:
    """Yield pages whose addresses resemble the one that leads nowhere."""
    links = navigation.pages_of(request, project)
    by_word = {link.path.rstrip("/").rpartition("/")[2]: link for link in links}
    word_asked = request.url.path.rstrip("/").rpartition("/")[2]
    for word in searches.nearest(word_asked, by_word):
        yield WayOn(by_word[word].name, by_word[word].path)


def _renamed(request: Request, wrong: str, names: tuple[str, ...]) -> Iterator[WayOn]:
    """Yield the same address with other names in place of the wrong one."""
    route = str(getattr(request.scope.get("route"), "name", ""))
    for name in names:
        params = {
            key: SEPARATOR.join(
                name if part == wrong else part for part in str(text).split(SEPARATOR)
            )
            for key, text in request.path_params.items()
        }
        query = {
            key: [
                name if text == wrong else text
                for text in request.query_params.getlist(key)
            ]
            for key in request.query_params
        }
        yield WayOn(name, addresses.path_to(request, route, query, **params))


UNTIMED: Final = {
    "scaling": "Scaling",
    "serial-fraction": "Serial fraction",
    "scaling-errors": "Scaling error",
    "configurations": "Configurations",
    "machine-lines": "Problem size",
}

NEEDS: Final = {
    **dict.fromkeys(
        ("serial-fraction", "scaling", "scaling-errors"),
        "Efficiency compares the times of a region at different numbers of nodes, GPUs "
        "or processes.",
    ),
    "configurations": "The best configuration is the one whose times scale best, or "
    "are shortest.",
    "machine-lines": "Machines are compared by the time of a region over the problem "
    "size.",
}


def show_untimed(request: Request, view: View, route: str, error: NoTimes) -> Response:
    """Say what a page needs, what was measured instead, and what would bring it.

    Parameters
    ----------
    route
        Name of the page.
    """
    return templates.render(
        request,
        "untimed/show.html",
        project=view.project,
        route=route,
        title=UNTIMED[route],
        needs=NEEDS[route],
        error=error,
        query={"commit": view.commit, "machine": view.machine},
    )
