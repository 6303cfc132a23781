"""What is wrong with a report, field by field."""

from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError


def wrong(message: str, field: str = "") -> PydanticCustomError:
    """Return an error about `field` below the object that is validated."""
    evidence = {"message": message, "field": field}
    return PydanticCustomError("refused", "{message}", evidence)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one field, such as `results.0.values`."""

    field: str
    message: str


def faults(error: ValidationError) -> list[Fault]:
    """Return what is wrong with a refused report, field by field."""
    return [
        Fault(
            field=".".join(
                str(part) for part in (*one["loc"], _below(one)) if part != ""
            ),
            message=one["msg"],
        )
        for one in error.errors(include_url=False, include_input=False)
    ]


def _below(one: ErrorDetails) -> str:
    """Return the field that `wrong` named below the location."""
    return str(one.get("ctx", {}).get("field", "")) if one["type"] == "refused" else ""
