"""Addresses of pages and figures; names are encoded as path segments."""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, unquote

from fastapi import FastAPI, Request

from scalewatch.pages.wording.formats import number
from scalewatch.services.selection.view import View

Query = Mapping[str, str | list[str] | None]


def path_to(
    request: Request, route: str, query: Query | None = None, **names: str
) -> str:
    """Return the path of a route with its names encoded.

    What is None in the query is left out.
    """
    quoted = {key: encoded(name) for key, name in names.items()}
    form = _form(request.app, route, tuple(names))
    path = str(request.scope.get("root_path", "")) + form.format_map(quoted)
    stated = {key: value for key, value in (query or {}).items() if value}
    return f"{path}?{_encoded(stated)}" if stated else path


def stated_view(view: View) -> Query:
    """Return a view as an address states it; what was not asked for is left out."""
    return {
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
    }


def stated_question(question: Any, **names: str) -> Query:
    """Return a question as an address states it; what is as by default is left out.

    Parameters
    ----------
    question
        A dataclass of which each field has a default.
    names
        By field, its name in the address where that is another one.
    """
    stated = {}
    for field in fields(question):
        value = getattr(question, field.name)
        is_default = value == field.default
        if isinstance(value, Mapping):
            value = [f"{name}={'|'.join(levels)}" for name, levels in value.items()]
        elif isinstance(value, float | int):
            value = number(value)
        stated[names.get(field.name, field.name)] = None if is_default else value
    return stated


def embed_of(request: Request, figure: str) -> str:
    """Return the path of the embeddable page of a figure."""
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


def picture_of(figure: str) -> str:
    """Return the path of the picture of a figure, which needs no script."""
    return f"{figure}{'&' if '?' in figure else '?'}format=svg"


def address_of(request: Request, path: str) -> str:
    """Return the absolute URL of a path, for feeds and badges."""
    return f"{request.url.scheme}://{request.url.netloc}{path}"


def _encoded(stated: Mapping[str, str | list[str]]) -> str:
    """Return an encoded query, cached: hundreds of addresses share its names."""
    return "&".join(
        f"{_quoted_plus(key)}={_quoted_plus(str(each))}"
        for key, value in stated.items()
        for each in (value if isinstance(value, list | tuple) else [value])
    )


@lru_cache(maxsize=4096)
def encoded(name: str) -> str:
    """Return a name as a segment of a path or a value of a query, cached for tables."""
    return quote(name, safe="")


@lru_cache(maxsize=4096)
def _quoted_plus(text: str) -> str:
    return quote_plus(text)


@lru_cache(maxsize=1024)
def _form(app: FastAPI, route: str, names: tuple[str, ...]) -> str:
    """Return the format string of a route's path, cached for tables of cells."""
    marks = {name: f"\N{PER MILLE SIGN}{name}\N{PER MILLE SIGN}" for name in names}
    form = str(app.url_path_for(route, **marks)).replace("{", "{{").replace("}", "}}")
    for name, mark in marks.items():
        form = form.replace(mark, f"{{{name}}}")
    return form
