"""Faults of a report, field by field."""

from dataclasses import dataclass

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


def _below(details: ErrorDetails) -> str:
    """Return the field that `wrong` named below the location."""
    is_ours = details["type"] == "refused"
    return str(details.get("ctx", {}).get("field", "")) if is_ours else ""
