"""The glossary: the words of the product."""

from fastapi import APIRouter, Request, Response

from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.rendering.vocabulary import SEEN_ON, TOPICS
from scalewatch.services.searches import any_project
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False)


@router.get("/glossary", name="glossary")
def show_glossary(request: Request, session: ReadingDep) -> Response:
    """Show what each word means, and where words of its topic are to be seen."""
    project = any_project(session)
    seen = {
        topic: path_to(request, route, project=project)
        for topic, route in SEEN_ON.items()
        if project is not None
    }
    return render(
        request, "glossary/show.html", topics=TOPICS, seen=seen, project=project
    )


@router.get("/docs", name="docs")
def show_docs(request: Request) -> Response:
    """Show all routes with examples; nothing is loaded from elsewhere."""
    root = str(request.scope.get("root_path", ""))
    return render(request, "docs/show.html", openapi=root + request.app.openapi_url)
