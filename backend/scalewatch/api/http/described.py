"""The OpenAPI description: titles by what routes say they do, schemas of problems."""

from collections.abc import Iterable
from copy import copy
from typing import Any

from fastapi.routing import APIRoute
from fastapi.utils import create_model_field
from starlette.routing import BaseRoute

from scalewatch.api.http import problems
from scalewatch.api.http.answers import KIND


def with_answers(routes: Iterable[BaseRoute]) -> list[BaseRoute]:
    """Return routes with the schemas of their answers, for the description alone.

    The schemas of all dataclasses take a twelfth of the time in which a server is
    imported, and no answer is checked by them.
    """
    return [
        _with_schemas(route) if isinstance(route, APIRoute) else route
        for route in routes
    ]


def complete(description: dict[str, Any]) -> dict[str, Any]:
    """Add the schemas of problems to a description, and the titles of operations.

    Titles are first sentences: the framework makes them of the names of functions, and
    of the names of routes where addresses are built from these: `Scaling-Error-Figure`.
    """
    description["components"]["schemas"].update(problems.schemas())
    for operations in description["paths"].values():
        for operation in operations.values():
            operation["summary"] = _title(operation["description"])
    return description


def _with_schemas(route: APIRoute) -> APIRoute:
    """Return a route with what the framework makes of `model` in its responses."""
    from scalewatch.api.http.derived import written_as  # noqa: PLC0415 - see above

    described = copy(route)
    described.responses = {
        status: {name: value for name, value in response.items() if name != KIND}
        for status, response in route.responses.items()
    }
    described.response_fields = route.response_fields | {
        status: create_model_field(
            name=f"Response_{status}_{route.unique_id}",
            type_=written_as(response[KIND]),
            mode="serialization",
        )
        for status, response in route.responses.items()
        if KIND in response
    }
    return described


def _title(description: str) -> str:
    """Return the first sentence, without what follows a colon or semicolon."""
    first = " ".join(description.split("\n\n", maxsplit=1)[0].split())
    for mark in (". ", "; ", ": "):
        first = first.partition(mark)[0]
    return first.removesuffix(".")
