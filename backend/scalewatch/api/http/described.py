"""The OpenAPI description: titles by what routes say they do, schemas of problems."""

from typing import Any

from scalewatch.api.http import problems


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


def _title(description: str) -> str:
    """Return the first sentence, without what follows a colon or semicolon."""
    first = " ".join(description.split("\n\n", maxsplit=1)[0].split())
    for mark in (". ", "; ", ": "):
        first = first.partition(mark)[0]
    return first.removesuffix(".")
