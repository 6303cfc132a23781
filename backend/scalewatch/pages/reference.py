"""The glossary: the words of the product."""

from fastapi import APIRouter, Request, Response

from scalewatch.pages.rendering.templates import render
from scalewatch.pages.rendering.vocabulary import TOPICS

router = APIRouter(include_in_schema=False)


@router.get("/glossary", name="glossary")
def show_glossary(request: Request) -> Response:
    """Show what each word means."""
    return render(request, "glossary/show.html", topics=TOPICS)


@router.get("/docs", name="docs")
def show_docs(request: Request) -> Response:
    """Show all routes with examples; nothing is loaded from elsewhere."""
    root = str(request.scope.get("root_path", ""))
    return render(request, "docs/show.html", openapi=root + request.app.openapi_url)
