"""The glossary: the words of the product."""

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.rendering.vocabulary import MEANINGS, TOPICS
from scalewatch.services.searches import examples
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False)


@router.get("/glossary", name="glossary")
def show_glossary(request: Request, session: ReadingDep) -> Response:
    """Show what each word means, and a page where it is seen."""
    names = examples(session)
    routes = {word.seen for word in MEANINGS.values()} if names else set()
    if frozen := request.app.state.frozen:
        routes &= frozen.keys()
    pages = {
        route: path_to(
            request, route, None, project=names["project"], **_more(route, names)
        )
        for route in routes
    }
    return render(request, "glossary/show.html", topics=TOPICS, pages=pages)


def _more(route: str, names: Mapping[str, str]) -> Mapping[str, str]:
    """Return what the address of a page names beside its project."""
    return {route: names[route]} if route in {"region", "machine"} else {}


@router.get("/docs", name="docs")
def show_docs(request: Request) -> Response:
    """Show all routes with examples; nothing is loaded from elsewhere."""
    root = str(request.scope.get("root_path", ""))
    return render(request, "docs/show.html", openapi=root + request.app.openapi_url)
