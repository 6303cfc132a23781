"""The OpenAPI description: titles of routes, and schemas of answers and problems.

The schemas of all dataclasses take a twelfth of the time in which a server is imported,
and no answer is checked by them: this module is imported once somebody asks.

`exporters.documents` writes a dataclass as an object of its fields. Its schema has the
same fields, described by its docstring: the first paragraph, and what the section
`Parameters` says of each field. JSON has neither None nor NaN but null.
"""

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from enum import EnumType
from fractions import Fraction
from functools import cache, reduce
from inspect import cleandoc
from operator import or_
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import numpy as np
from fastapi.routing import APIRoute
from fastapi.utils import create_model_field
from numpy.typing import NDArray
from pydantic import BaseModel, Field, create_model
from starlette.routing import BaseRoute

from scalewatch.api.http import answers, problems, schemas
from scalewatch.modelling import (
    Finding,
    Forecast,
    Growth,
    Interaction,
    Line,
    Model,
    ScalingErrors,
    SideBySide,
    SpeedUp,
)
from scalewatch.services.commits.find import Commit, Scanned
from scalewatch.services.confirmations.requests import Confirmation
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.files.posted_files import FilePreview
from scalewatch.services.gates import findings, gate
from scalewatch.services.operations.status import Status, Worker
from scalewatch.services.regions.models import SeriesModel
from scalewatch.services.regressions import regressions, webhooks
from scalewatch.services.runs.show import RecordedRun
from scalewatch.services.series.standing import Standing
from scalewatch.texts.scales import Scale

Numbers = list[float | None]

WRITTEN: Final[Mapping[Any, Any]] = {
    Any: schemas.Setting,
    ComposedExpectation: schemas.Composition,
    Expectation: schemas.Expectation,
    Finding: dict[str, Any],
    Fraction: str,
    Growth: str,
    Model: schemas.Model,
    Scale: str,
    NDArray[np.bool_]: list[bool],
    NDArray[np.float64]: list[float],
    Standing: schemas.Standing,
}
"""Schemas of types that are written otherwise than by their fields."""

FIELDS: Final[Mapping[type, Mapping[str, Any]]] = {
    FilePreview: {"runs": list[dict[str, Any]]},
    Interaction: {"means": list[Numbers]},
    Line: {"covariance": list[Numbers]},
    RecordedRun: {"job": dict[str, Any]},
    regressions.Regressions: {"detection": dict[str, Any] | None},
    ScalingErrors: {"errors": list[Numbers], "is_extrapolated": list[list[bool]]},
    SpeedUp: dict.fromkeys(("speed_up", "efficiency", "serial_fraction"), Numbers),
}
"""Fields whose annotation tells less: nested objects, two axes, missing values."""

WITHOUT_NUL: Final = r"^[^\x00]*$"

_PARAMETERS: Final = re.compile(r"^(\w+(?:, \w+)*)\n((?: {4}.+\n?)+)", re.MULTILINE)
_NULL: Final = re.compile(r"\b(None|NaN)\b")


def with_answers(routes: Iterable[BaseRoute]) -> list[BaseRoute]:
    """Return routes with the schemas of their answers, for the description alone."""
    return [
        _with_schemas(route) if isinstance(route, APIRoute) else route
        for route in routes
    ]


def complete(description: dict[str, Any]) -> dict[str, Any]:
    """Add schemas of problems, titles of operations, and that a token is optional.

    Titles are first sentences, without what follows a colon or semicolon: the framework
    makes them of the names of functions, and of the names of routes where addresses are
    built from these: `Scaling-Error-Figure`. No operation needs a token everywhere: a
    server without any asks for none, and public projects are read without one.
    """
    description["components"]["schemas"].update(problems.schemas())
    for operations in description["paths"].values():
        for operation in operations.values():
            title = " ".join(operation["description"].partition("\n\n")[0].split())
            for mark in (". ", "; ", ": "):
                title = title.partition(mark)[0]
            operation["summary"] = title.removesuffix(".")
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    _refuse_nul(parameter["schema"])
            if "security" in operation:
                operation["security"] = [{}, *operation["security"]]
    return description


def _refuse_nul(schema: dict[str, Any]) -> None:
    """Say of the texts of a parameter that none holds a NUL, see `web.protection`."""
    if schema.get("type") == "string" and not {"enum", "const"} & {*schema}:
        schema.setdefault("pattern", WITHOUT_NUL)
    for part in (*schema.get("anyOf", ()), schema.get("items")):
        if part:
            _refuse_nul(part)


def _with_schemas(route: APIRoute) -> APIRoute:
    """Return a route with what the framework makes of `model` in its responses."""
    described = copy(route)
    described.responses = {
        status: {
            name: value for name, value in response.items() if name != answers.KIND
        }
        for status, response in route.responses.items()
    }
    described.response_fields = route.response_fields | {
        status: create_model_field(
            name=f"Response_{status}_{route.unique_id}",
            type_=written_as(response[answers.KIND]),
            mode="serialization",
        )
        for status, response in route.responses.items()
        if answers.KIND in response
    }
    return described


def written_as(annotation: Any) -> Any:
    """Return the type that is described in place of that of an answer or a field.

    Raises
    ------
    TypeError
        If a dataclass is written otherwise, and `WRITTEN` does not say how.
    """
    if annotation in WRITTEN:
        return WRITTEN[annotation]
    if hasattr(annotation, "as_json"):
        raise TypeError(annotation)
    if isinstance(annotation, type) and is_dataclass(annotation):
        return schema_of(annotation)
    if isinstance(annotation, EnumType):
        return Literal[tuple(map(str, annotation))]
    parts = tuple(map(written_as, get_args(annotation)))
    if isinstance(annotation, UnionType):
        return reduce(or_, parts)
    return get_origin(annotation)[parts] if parts else annotation


@cache
def schema_of(kind: type[Any]) -> type[BaseModel]:
    """Return the schema of what a dataclass is written as."""
    written, examples = _inherited(FIELDS, kind), _inherited(EXAMPLES, kind)
    descriptions = _descriptions(kind)
    members: dict[str, Any] = {
        name: (
            written.get(name) or written_as(annotation),
            Field(description=descriptions.get(name), examples=examples.get(name)),
        )
        for name, annotation in get_type_hints(kind).items()
        if name in {field.name for field in fields(kind) if field.repr}
    }
    return create_model(
        kind.__name__,
        __base__=schemas.Schema,
        __doc__=_in_json(cleandoc(kind.__doc__ or "").partition("\n\n")[0]),
        __module__=kind.__module__,
        **members,
    )


def _inherited(
    table: Mapping[type, Mapping[str, Any]], kind: type[Any]
) -> dict[str, Any]:
    """Return the entries of a class and of its bases."""
    entries = [table[base] for base in reversed(kind.__mro__) if base in table]
    return {name: entry for each in entries for name, entry in each.items()}


def _descriptions(kind: type[Any]) -> dict[str, str]:
    """Return what the docstrings of a class and of its bases say of its fields."""
    return {
        name: _in_json(f"{names}: {text}" if ", " in names else text)
        for base in reversed(kind.__mro__)
        for names, text in _PARAMETERS.findall(cleandoc(base.__doc__ or ""))
        for name in names.split(", ")
    }


def _in_json(text: str) -> str:
    return _NULL.sub("null", " ".join(text.split()))


EXAMPLES: Final[Mapping[type, Mapping[str, Any]]] = {
    Commit: {"sha": ["v5.0.2"]},
    Confirmation: {"reason": ["MPI_Bcast (time) grows like p instead of log p"]},
    findings.GateFinding: {"commits": ["v5.0.8..v5.0.11"]},
    Forecast: {"at": [{"p": 65536}], "level": [0.9]},
    gate.Gate: {"relation": ["merge base"]},
    regressions.Regression: {"kind": ["growth"]},
    Scanned: {"name": ["jureca"], "coordinates": [[{"p": 2}, {"p": 4}]]},
    SeriesModel: {"region": ["MPI_Bcast"], "metric": ["time"], "unit": ["s"]},
    SideBySide: {"growth": ["p / log p"]},
    Status: {"version": ["0.1.0"], "database": ["sqlite"]},
    webhooks.Webhook: {
        "host": ["chat.example.org"],
        "last_answer": ["answered 204"],
    },
    Worker: {"kind": ["embedded"]},
}
