"""Addresses of pages: any name can stand in them, however it is spelled."""

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qs, quote, quote_plus, unquote

from fastapi import FastAPI, Request

Query = Mapping[str, str | list[str] | None]


def path_to(
    request: Request, route: str, query: Query | None = None, **names: str
) -> str:
    """Return the path of a route; any name can stand in it, however it is spelled.

    What is None in the query is left out.
    """
    quoted = {key: _quoted(name) for key, name in names.items()}
    form = _form(request.app, route, tuple(names))
    path = str(request.scope.get("root_path", "")) + form.format_map(quoted)
    stated = {key: value for key, value in (query or {}).items() if value}
    return f"{path}?{_encoded(stated)}" if stated else path


def embed_of(request: Request, figure: str) -> str:
    """Return the page that shows nothing but the figure at a path of the API."""
    path, _, query = figure.partition("?")
    stated = parse_qs(query, keep_blank_values=True)
    named = stated.pop("project", [str(request.path_params["project"])])
    return path_to(
        request,
        "embed",
        stated,
        project=named[0],
        figure=unquote(path.rpartition("/")[2]),
    )


def address_of(request: Request, path: str) -> str:
    """Return a path as a whole address, for what leaves the site."""
    return f"{request.url.scheme}://{request.url.netloc}{path}"


def _encoded(stated: Mapping[str, str | list[str]]) -> str:
    """Return a query; the names in it are those of hundreds of other addresses."""
    return "&".join(
        f"{_quoted_plus(key)}={_quoted_plus(str(each))}"
        for key, value in stated.items()
        for each in (value if isinstance(value, list | tuple) else [value])
    )


@lru_cache(maxsize=4096)
def _quoted(name: str) -> str:
    return quote(name, safe="")


@lru_cache(maxsize=4096)
def _quoted_plus(text: str) -> str:
    return quote_plus(text)


@lru_cache(maxsize=1024)
def _form(app: FastAPI, route: str, names: tuple[str, ...]) -> str:
    """Return a route's path with fields; a table of cells asks for it at each."""
    marks = {name: f"\N{PER MILLE SIGN}{name}\N{PER MILLE SIGN}" for name in names}
    form = str(app.url_path_for(route, **marks)).replace("{", "{{").replace("}", "}}")
    for name, mark in marks.items():
        form = form.replace(mark, f"{{{name}}}")
    return form
