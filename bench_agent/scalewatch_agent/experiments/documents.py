"""YAML files with the line of each key and value."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from scalewatch_agent.errors import ExperimentInvalid, Flaw

MOST_NODES: Final = 100_000
"""Values that a file may hold, aliases written out."""

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ExperimentDocument:
    """The content of a file, and the line of each place in it."""

    path: Path
    content: Any
    lines: Mapping[Place, int | None]

    def flaw(self, place: Sequence[str | int], message: str) -> Flaw:
        """Return what is wrong at a place, with its line.

        A place that is not in the file stands where its nearest parent does; parts
        that only a validator knows, as the kind of a value, are passed over.
        """
        known: Place = ()
        for part in place:
            if (*known, part) in self.lines:
                known = (*known, part)
        named = known or tuple(place[:1])
        if message == MISSING and known[-1:] != tuple(place[-1:]):
            named = (*known, *place[-1:])
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
        self.lines: dict[Place, int] = {}
        self.above: list[yaml.Node] = []

    def value(self, node: yaml.Node, place: Place) -> Any:
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

    def mapping(self, node: yaml.MappingNode, place: Place) -> dict[Hashable, Any]:
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

    def scalar(self, node: yaml.Node, place: Place) -> Any:
        """Return a text, a number, true, false or nothing."""
        try:
            return self.loader.construct_object(node)
        except ValueError as error:
            return self.refuse(node, place, str(error))

    def refuse(self, node: yaml.Node, place: Place, message: str) -> Any:
        """End reading with what is wrong at a node."""
        line = node.start_mark.line + 1
        flaw = Flaw(line, ".".join(map(str, place)), message)
        raise ExperimentInvalid(self.path, [flaw])
