"""Addresses of pages: any name can stand in them, however it is spelled."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from fastapi import Request

Query = Mapping[str, str | list[str] | None]


def path_to(
    request: Request, route: str, query: Query | None = None, **names: str
) -> str:
    """Return the path of a route; any name can stand in it, however it is spelled.

    What is None in the query is left out.
    """
    quoted = {key: quote(name, safe="") for key, name in names.items()}
    path = str(request.scope.get("root_path", "")) + str(
        request.app.url_path_for(route, **quoted)
    )
    stated = {key: value for key, value in (query or {}).items() if value}
    return f"{path}?{urlencode(stated, doseq=True)}" if stated else path


def address_of(request: Request, path: str) -> str:
    """Return a path as a whole address, for what leaves the site."""
    return f"{request.url.scheme}://{request.url.netloc}{path}"
