"""Menus: the pages of a project, and those of the server."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session
from starlette.routing import NoMatchFound

from scalewatch.pages.rendering.addresses import path_to
from scalewatch.services.operations.status import is_behind
from scalewatch.services.projects import news, progress
from scalewatch.services.traces.traces import has_traces
from scalewatch.web.sessions import CALLER, SESSION

WITHIN: Final = {
    "commit-report": "commit",
    "comparison": "comparisons",
    "preview": "report",
    "region": "report",
    "run": "report",
    "scaling-errors": "efficiency",
}
"""Pages that have no entry of their own, by the entry that they belong to."""

TRACES: Final = "Traces"
"""Only where some program was traced."""

LACKS: Final = {
    "efficiency": (progress.Lack.TIMES,),
    "machine-lines": (progress.Lack.TIMES, progress.Lack.SIZES),
    "configurations": (progress.Lack.TIMES, progress.Lack.CONFIGURATIONS),
    "hotspots": (progress.Lack.PROFILES,),
}
"""Pages of a project that have nothing to show without these, by route."""

OF_SCANS: Final = frozenset({"Problem size", "Scaling", "Cost", "Configurations"})
"""Entries that tell nothing where all is measured at one setting."""

PAGES: Final = (
    ("report", "Match table"),
    ("commit", "Commit"),
    ("history", "History"),
    ("regressions", "Regressions"),
    ("comparisons", "Compare"),
    ("machine-lines", "Problem size"),
    ("guidelines", "Guidelines"),
    ("efficiency", "Scaling"),
    ("cost", "Cost"),
    ("hotspots", "Hotspots"),
    ("configurations", "Configurations"),
    ("traces", TRACES),
    ("settings", "Settings"),
)
"""Pages of a project by the name of their route, in the order of the menu.

A page that the application does not have is not in the menu.
"""

FAILED: Final = "failed"
"""Key in the state of a request that was answered by an error."""

FAILED_WITHIN: Final = "failed_within"
"""Key of the project of such an address, if the reader may see that."""

LIVE: Final = frozenset(
    {
        "commit-report",
        "comparison",
        "guidelines",
        "history",
        "machine",
        "region",
        "regression",
        "regressions",
        "report",
    }
)
"""Pages of a project that name the parts of them that change, see `live.js`."""

SITE_PAGES: Final = (
    ("start", "Start"),
    ("status", "Status"),
    ("site-settings", "Settings"),
    ("glossary", "Glossary"),
    ("docs", "API"),
)
"""Pages of the server."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of a menu.

    Parameters
    ----------
    lack
        Why there is nothing to see there yet, in words.
    """

    name: str
    path: str
    is_current: bool
    lack: str | None = None


def project_links(request: Request) -> list[Link]:
    """Return the menu of the project that the address names; empty if it names none."""
    if getattr(request.state, FAILED, False):
        project = getattr(request.state, FAILED_WITHIN, None)
    else:
        project = request.path_params.get("project")
    return [] if project is None else pages_of(request, str(project))


def pages_of(request: Request, project: str | None) -> list[Link]:
    """Return the pages of a project; of none there are none."""
    if project is None:
        return []
    session: Session | None = getattr(request.state, SESSION, None)
    lacks: frozenset[progress.Lack] = frozenset()
    # A page of an error knows of nothing that a project has.
    if session is None or getattr(request.state, FAILED, False):
        links = _links(request, PAGES, project=project)
        has_any = False
    else:
        lacks = progress.lacking(session, project)
        links = _links(request, PAGES, lacks, project=project)
        has_any = has_traces(session, project)
    hidden = frozenset() if has_any else frozenset({TRACES})
    if progress.Lack.SETTINGS in lacks:
        hidden |= OF_SCANS
    return [link for link in links if link.name not in hidden or link.is_current]


def login_path(request: Request) -> str | None:
    """Return the path of the login page, empty for a known caller."""
    caller = getattr(request.state, CALLER, None)
    if caller is None or caller.role is not None:
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    return path_to(request, "login", {"goal": f"{request.url.path}{query}"})


def live_events(request: Request) -> str | None:
    """Return the path of what happens after a page was read, if it listens to that."""
    route = getattr(request.scope.get("route"), "name", None)
    session: Session | None = getattr(request.state, SESSION, None)
    if getattr(request.state, FAILED, False) or session is None:
        return None
    if route in {"home", "start"}:
        return path_to(request, "all-events", _since(session))
    if route not in LIVE:
        return None
    project = str(request.path_params["project"])
    return path_to(request, "events", _since(session), project=project)


def _since(session: Session) -> dict[str, str]:
    """Return the position of what a page shows: of the same snapshot as the page."""
    return {"since": str(news.position_now(session))}


def site_links(request: Request) -> list[Link]:
    """Return the menu of the server."""
    return _links(request, SITE_PAGES)


def _links(
    request: Request,
    pages: tuple[tuple[str, str], ...],
    lacks: Collection[progress.Lack] = (),
    **names: str,
) -> list[Link]:
    current = str(getattr(request.scope.get("route"), "name", ""))
    current = WITHIN.get(current, current)
    links = []
    for route, name in _existing(request.app, pages, tuple(names)):
        path = path_to(request, route, None, **names)
        lack = next((each for each in LACKS.get(route, ()) if each in lacks), None)
        links.append(Link(name, path, is_current=route == current, lack=lack))
    return links


@lru_cache(maxsize=256)
def _existing(
    app: FastAPI, pages: tuple[tuple[str, str], ...], names: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return the links whose routes the application has."""
    links = []
    for route, name in pages:
        with suppress(NoMatchFound):
            app.url_path_for(route, **dict.fromkeys(names, "any"))
            links.append((route, name))
    return tuple(links)


STATE: Final = "shows_analysis"


def note_delay(request: Request) -> None:
    """Note for the templates whether analysis is behind."""
    setattr(request.state, STATE, True)


DELAY: Final = [Depends(note_delay)]
"""For pages that show what jobs find."""


def has_delay(request: Request) -> bool:
    """Tell whether a page depends on jobs, and these are behind."""
    session: Session | None = getattr(request.state, SESSION, None)
    shows_analysis = getattr(request.state, STATE, False)
    return shows_analysis and session is not None and is_behind(session)
