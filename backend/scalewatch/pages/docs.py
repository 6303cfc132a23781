"""The documentation of the API, drawn by Swagger UI from its OpenAPI description."""

from fastapi import APIRouter, Request, Response

from scalewatch.pages.rendering.templates import render

router = APIRouter(include_in_schema=False)


@router.get("/docs", name="docs")
def show_docs(request: Request) -> Response:
    """Show all routes with examples; nothing is loaded from elsewhere."""
    root = str(request.scope.get("root_path", ""))
    return render(request, "docs/show.html", openapi=root + request.app.openapi_url)
