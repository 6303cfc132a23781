"""The OpenAPI description: operations are titled by what their routes say they do."""

from collections.abc import Callable
from typing import Any

Describe = Callable[[], dict[str, Any]]


def with_titles(describe: Describe) -> Describe:
    """Return a description in which first sentences are the titles of operations.

    The framework makes titles of the names of functions, and of the names of routes
    where addresses are built from these: `Scaling-Error-Figure`.
    """

    def titled() -> dict[str, Any]:
        description = describe()
        for operations in description["paths"].values():
            for operation in operations.values():
                operation["summary"] = _title(operation["description"])
        return description

    return titled


def _title(description: str) -> str:
    """Return the first sentence, without what follows a colon or semicolon."""
    first = " ".join(description.split("\n\n", maxsplit=1)[0].split())
    for mark in (". ", "; ", ": "):
        first = first.partition(mark)[0]
    return first.removesuffix(".")
