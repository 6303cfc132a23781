"""Menus: the pages of a project, and those of the server."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session
from starlette.routing import NoMatchFound

from scalewatch.pages.rendering.addresses import path_to
from scalewatch.services.operations.status import is_behind
from scalewatch.services.projects import news, progress
from scalewatch.services.traces.traces import has_traces
from scalewatch.web.sessions import CALLER, SESSION

SCALED: Final = (progress.Lack.SETTINGS,)
"""Nothing scales where all is measured at one setting."""

TRACED: Final = (progress.Lack.TRACES,)


@dataclass(frozen=True, slots=True)
class Tab:
    """A page behind an entry of the menu.

    Parameters
    ----------
    lacks
        It is left out where a project lacks one of these.
    carried
        Names in the address of a page beside it that hold for it as well.
    within
        Routes of pages that have no tab of their own and belong here.
    """

    name: str
    route: str
    lacks: tuple[progress.Lack, ...] = ()
    carried: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


VIEW: Final = ("commit", "metric", "machine", "configuration")
REGION: Final = ("region", *VIEW)
TIMES: Final = (*SCALED, progress.Lack.TIMES)

OF_REGIONS: Final = ("machine", "run", "region", "preview")
"""Pages that belong to the match table, unless there is a tab of theirs."""

ENTRIES: Final[Mapping[str, tuple[Tab, ...]]] = {
    "Overview": (Tab("Match table", "report", within=OF_REGIONS),),
    "Changes": (
        Tab("Regressions", "regressions", within=("regression", "cause")),
        Tab("History", "history", carried=("region", "metric", "machine")),
        Tab("Commit", "commit", carried=("commit",), within=("commit-report",)),
    ),
    "Scaling": (
        Tab("Efficiency", "scaling", SCALED, (*REGION, "kind")),
        Tab("Curve", "region", SCALED, VIEW, within=("preview",)),
        Tab("Contours", "scaling-errors", TIMES, (*REGION, "kind")),
        Tab("Serial fraction", "serial-fraction", TIMES, REGION),
        Tab("Problem size", "machine-lines", (*TIMES, progress.Lack.SIZES), REGION),
        Tab(
            "Configurations",
            "configurations",
            (*TIMES, progress.Lack.CONFIGURATIONS),
            REGION,
        ),
    ),
    "Compare": (
        Tab("Machines and commits", "comparisons", within=("comparison",)),
        Tab("Guidelines", "guidelines", carried=("commit",)),
    ),
    "Time": (
        Tab("Cost", "cost", SCALED, ("commit",)),
        Tab("Hotspots", "hotspots", (progress.Lack.PROFILES,), ("commit",)),
        Tab("Traces", "traces", TRACED, ("commit",)),
    ),
    "Settings": (
        Tab("General", "settings"),
        Tab("Expectations", "settings-expectations", within=("acceptances",)),
        Tab("Gate", "settings-gate"),
        Tab("Machines", "settings-machines"),
        Tab("Status", "settings-status"),
        Tab("Tokens", "settings-tokens"),
        Tab("Webhooks", "settings-webhooks"),
        Tab("Audit", "settings-audit"),
    ),
}
"""Pages of a project by the entry of its menu; the first with data is behind it.

A page that the application does not have is left out.
"""

SITE_ENTRIES: Final[Mapping[str, tuple[Tab, ...]]] = {
    "Inbox": (Tab("Inbox", "inbox"),),
    "Add data": (Tab("Add data", "start"),),
    "Help": (Tab("Glossary", "glossary"), Tab("API", "docs")),
    "Account": (
        Tab("Account", "account", within=("login",)),
        Tab("Settings", "site-settings"),
        Tab("Status", "status"),
    ),
}
"""Pages of the server, likewise."""

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
        "cause",
        "regression",
        "regressions",
        "report",
    }
)
"""Pages of a project that name the parts of them that change, see `live.js`."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of a menu, or a tab behind one.

    Parameters
    ----------
    within
        The entry that a tab is behind.
    """

    name: str
    path: str
    is_current: bool
    within: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The entries of a project or of the server, and the tabs of the current one."""

    entries: tuple[Link, ...] = ()
    tabs: tuple[Link, ...] = ()
    name: str = ""


def project_menu(request: Request, query: Mapping[str, Any]) -> Menu:
    """Return the menu of the project that the address names; empty if it names none.

    Parameters
    ----------
    query
        The state of the page that is shown, of which tabs take what holds for them.
    """
    if getattr(request.state, FAILED, False):
        project = getattr(request.state, FAILED_WITHIN, None)
    else:
        project = request.path_params.get("project")
    return Menu() if project is None else _menu(request, str(project), query)


def site_menu(request: Request) -> Menu:
    """Return the menu of the server."""
    return _menu(request, None, {})


def pages_of(request: Request, project: str | None) -> list[Link]:
    """Return all pages of a project, or of the server, that have something to show."""
    return [
        Link(
            entry if len(tabs) == 1 else tab.name,
            _path(request, project, tab, {}),
            is_current=False,
            within=entry,
        )
        for entry, tabs in _entries(request, project).items()
        for tab in tabs
        if tab.route != "region"
    ]


def _menu(request: Request, project: str | None, query: Mapping[str, Any]) -> Menu:
    route = str(getattr(request.scope.get("route"), "name", ""))
    by_entry = _entries(request, project, route)
    here = next(
        (
            (entry, tab)
            for entry, tabs in reversed(by_entry.items())
            for tab in tabs
            if tab.route == route or route in tab.within
        ),
        ("", None),
    )
    state = {
        **request.query_params,
        "configuration": request.query_params.getlist("configuration"),
        **request.path_params,
        **{name: value for name, value in query.items() if value},
    }
    if "sha" in request.path_params:
        state["commit"] = request.path_params["sha"]
    tabs = tuple(
        Link(tab.name, _path(request, project, tab, state), tab is here[1], here[0])
        for tab in by_entry.get(here[0], ())
        if tab.route != "region" or state.get("region")
    )
    entries = tuple(
        Link(entry, _path(request, project, tabs[0], {}), entry == here[0])
        for entry, tabs in by_entry.items()
    )
    return Menu(entries, tabs if len(tabs) > 1 else (), here[0])


def _entries(
    request: Request, project: str | None, route: str = ""
) -> dict[str, list[Tab]]:
    """Return the tabs with something to show, and the current one, by entry.

    An entry of which all is lacking keeps its first page, which says what to measure;
    but nothing tells of scales where all is measured at one setting. Files have the
    pages alone that are frozen and have something to show.
    """
    session: Session | None = getattr(request.state, SESSION, None)
    # A page of an error knows of nothing that a project has.
    is_known = session is not None and not getattr(request.state, FAILED, False)
    lacks: Collection[progress.Lack] = ()
    if project is not None and session is not None and is_known:
        lacks = progress.lacking(session, project)
        if not has_traces(session, project):
            lacks = {*lacks, progress.Lack.TRACES}
    elif project is not None:
        lacks = (progress.Lack.TRACES,)
    by_entry = {}
    for entry, tabs in (SITE_ENTRIES if project is None else ENTRIES).items():
        there = [tab for tab in tabs if _is_there(request.app, tab, project is None)]
        if frozen := request.app.state.frozen:
            there = [tab for tab in there if tab.route in frozen]
        shown = [
            tab
            for tab in there
            if (tab.route == route != "region")
            or not any(lack in lacks for lack in tab.lacks)
        ]
        if not shown and not frozen and progress.Lack.SETTINGS not in lacks:
            shown = there[:1]
        if shown:
            by_entry[entry] = shown
    return by_entry


def _path(
    request: Request, project: str | None, tab: Tab, state: Mapping[str, Any]
) -> str:
    names = {} if project is None else {"project": project}
    route = tab.route
    frozen = request.app.state.frozen
    kept = frozen[route] if frozen else tab.carried
    carried = {name: state.get(name) for name in tab.carried if name in kept}
    if route == "region":
        names["region"] = str(state["region"])
    elif route == "commit" and (commit := carried.pop("commit", None)):
        route, names["sha"] = "commit-report", str(commit)
    return path_to(request, route, carried, **names)


@lru_cache(maxsize=256)
def _is_there(app: FastAPI, tab: Tab, is_site: bool) -> bool:  # noqa: FBT001 - cached
    """Tell whether the application has a page."""
    names = {} if is_site else {"project": "any"}
    if tab.route == "region":
        names["region"] = "any"
    try:
        app.url_path_for(tab.route, **names)
    except NoMatchFound:
        return False
    return True


def is_frozen(request: Request) -> bool:
    """Tell whether a page becomes a file, and offers nothing that needs a server."""
    return bool(request.app.state.frozen)


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
    is_failed = getattr(request.state, FAILED, False)
    if is_failed or session is None or is_frozen(request):
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
