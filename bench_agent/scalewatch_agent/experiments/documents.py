"""Documents of experiments: YAML with the line of each key, and kinds of values."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Any, Final

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
)

from scalewatch.wire import wrong
from scalewatch_agent.errors import BadExpression, ExperimentInvalid, Flaw
from scalewatch_agent.experiments.expressions import Expression, parse_expression

MOST_NODES: Final = 100_000
"""Values that a file may hold, aliases written out."""

LONGEST: Final = 500
"""Letters of a message, which may quote what a file holds."""

Position = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ExperimentDocument:
    """The content of a file, and the line of each place in it."""

    path: Path
    content: Any
    lines: Mapping[Position, int | None]

    def flaw(self, place: Sequence[str | int], message: str) -> Flaw:
        """Return what is wrong at a place, with its line.

        A place that is not in the file stands where its nearest parent does; parts
        that only a validator knows, as the kind of a value, are passed over.
        """
        known: Position = ()
        for part in place:
            if (*known, part) in self.lines:
                known = (*known, part)
        named = known or tuple(place[:1])
        if message == MISSING and known[-1:] != tuple(place[-1:]):
            named = (*known, *place[-1:])
        if len(message) > LONGEST:
            message = f"{message[:LONGEST]}…"
        return Flaw(self.lines[known], ".".join(map(str, named)), message)


MISSING: Final = "this key is missing"


def read_document(path: Path) -> ExperimentDocument:
    """Return the content of the YAML file at `path`.

    Raises
    ------
    ExperimentInvalid
        If it cannot be read, is no YAML, or has a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ExperimentInvalid(path, [Flaw(None, "", reason)]) from error
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise ExperimentInvalid(path, [Flaw(1, "", "the file is empty")])
        walk = _Walk(loader, path)
        return ExperimentDocument(path, walk.value(node, ()), walk.lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"this is no YAML: {error.problem or error.context}"
        flaw = Flaw(mark.line + 1 if mark else None, "", message)
        raise ExperimentInvalid(path, [flaw]) from error
    except yaml.YAMLError as error:
        message = f"this is no YAML: {' '.join(str(error).split())}"
        raise ExperimentInvalid(path, [Flaw(None, "", message)]) from error
    except RecursionError as error:
        message = "it is nested too deeply to be read; no key needs so many levels"
        raise ExperimentInvalid(path, [Flaw(None, "", message)]) from error
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """Scalars as in YAML 1.2: no `yes`, no dates, and 1e-3 is a number."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as in the base class


for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", ["~", "n", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?",
        "-+0123456789.",
    ),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first)
    )


def _whole_number(loader: yaml.SafeLoader, node: yaml.Node) -> int:
    """Return a number without octal ones: 010 is ten."""
    assert isinstance(node, yaml.ScalarNode)
    return int(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole_number)


class _Walk:
    """Builds the content of a document, and notes where each value stands."""

    def __init__(self, loader: _Loader, path: Path) -> None:
        self.loader = loader
        self.path = path
        self.lines: dict[Position, int] = {}
        self.above: list[yaml.Node] = []

    def value(self, node: yaml.Node, place: Position) -> Any:
        """Return the content of a node."""
        self.lines.setdefault(place, node.start_mark.line + 1)
        if node in self.above or len(self.lines) > MOST_NODES:
            self.refuse(node, place, "an alias makes this endless, or nearly so")
        self.above.append(node)
        try:
            match node:
                case yaml.MappingNode():
                    return self.mapping(node, place)
                case yaml.SequenceNode():
                    return [
                        self.value(item, (*place, position))
                        for position, item in enumerate(node.value)
                    ]
                case _:
                    return self.scalar(node, place)
        finally:
            self.above.pop()

    def mapping(self, node: yaml.MappingNode, place: Position) -> dict[Hashable, Any]:
        """Return the content of a mapping, each key at its own line."""
        content: dict[Hashable, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.refuse(key, place, "a key is a single word")
            name = str(key.value)
            inner = (*place, name)
            if name in content:
                self.refuse(key, inner, "this key is there twice")
            self.lines[inner] = key.start_mark.line + 1
            content[name] = self.value(value, inner)
        return content

    def scalar(self, node: yaml.Node, place: Position) -> Any:
        """Return a text, a number, true, false or nothing."""
        try:
            content = self.loader.construct_object(node)
            if isinstance(content, int):
                float(content)
        except OverflowError:
            return self.refuse(node, place, "this number is larger than any can be")
        except ValueError as error:
            return self.refuse(node, place, str(error))
        return content

    def refuse(self, node: yaml.Node, place: Position, message: str) -> Any:
        """End reading with what is wrong at a node."""
        line = node.start_mark.line + 1
        flaw = Flaw(line, ".".join(map(str, place)), message)
        raise ExperimentInvalid(self.path, [flaw])


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
