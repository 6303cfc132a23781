"""Base of the sections of an experiment file, and the kinds of values they hold."""

from pathlib import PurePath
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
)

from scalewatch.wire import wrong
from scalewatch_agent.errors import BadExpression
from scalewatch_agent.experiments.expressions import Expression, parse_expression

Identifier = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)
]
Value = bool | int | float | str


def _expression(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong("a number or an expression is expected")
    try:
        return parse_expression(str(value))
    except BadExpression as error:
        raise wrong(str(error)) from error


Formula = Annotated[Expression, BeforeValidator(_expression)]
"""A number, or an expression such as `2 * p`."""


def _inside(path: str) -> str:
    if PurePath(path).is_absolute() or ".." in PurePath(path).parts:
        raise wrong("a file in the folder of the job is expected")
    return path


Output = Annotated[str, StringConstraints(min_length=1), AfterValidator(_inside)]
"""A file that the program writes, relative to the folder of its job."""


class FileSection(BaseModel):
    """Base of everything in an experiment file."""

    model_config = ConfigDict(
        arbitrary_types_allowed=True,
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        strict=True,
    )


def _lines(value: object) -> object:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value


Command = Annotated[
    str, BeforeValidator(_lines), StringConstraints(min_length=1, pattern=r"^[^\x00]+$")
]
"""A command line, or a list of them."""
