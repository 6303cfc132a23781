"""Faults of a report, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError


def wrong(message: str, field: str = "") -> PydanticCustomError:
    """Return an error about `field` below the object that is validated."""
    evidence = {"message": message, "field": field}
    return PydanticCustomError("refused", "{message}", evidence)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one field, such as `results.0.values`."""

    field: str
    message: str


def faults(error: ValidationError) -> list[Fault]:
    """Return what is wrong with a refused report, field by field."""
    return [
        Fault(
            field=".".join(
                str(part) for part in (*details["loc"], _below(details)) if part != ""
            ),
            message=details["msg"],
        )
        for details in error.errors(include_url=False, include_input=False)
    ]


def first_fault(error: ValidationError) -> str:
    """Return the first thing that is wrong with a refused report, in one line."""
    fault = faults(error)[0]
    return ": ".join(filter(None, (fault.field, fault.message)))


METADATA: Final = frozenset({"branch", "tag", "message", "author", "repository"})
"""Fields of a commit on which no result and no order depends."""


def without_metadata(
    report: Mapping[str, Any], error: ValidationError
) -> tuple[dict[str, Any], list[str]] | None:
    """Return a report without the metadata that was refused, and what is left out.

    A name that cannot be taken loses itself alone; None if anything else is wrong.
    """
    refused: dict[str, str] = {}
    for details in error.errors(include_url=False, include_input=False):
        place, field, *_ = (*details["loc"], "", "")
        if place != "commit" or field not in METADATA:
            return None
        refused.setdefault(str(field), details["msg"])
    commit = {k: v for k, v in report["commit"].items() if k not in refused}
    notes = [f"commit.{name} is left out: {why}" for name, why in refused.items()]
    return {**report, "commit": commit}, notes


def _below(details: ErrorDetails) -> str:
    """Return the field that `wrong` named below the location."""
    is_ours = details["type"] == "refused"
    return str(details.get("ctx", {}).get("field", "")) if is_ours else ""
