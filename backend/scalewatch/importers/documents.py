"""JSON documents: one, one a line, or the elements of one array."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Self

from scalewatch.errors import MalformedFile
from scalewatch.importers.formats import SCRIPT
from scalewatch.importers.source import Source, Surroundings, quoted, says_something
from scalewatch.outcomes import is_about_outcome, judge_cell

_DECODER: Final = json.JSONDecoder()

_BLANKS: Final = re.compile(r"\s*")
_KINDS: Final = {
    dict: "an object",
    list: "a list",
    type(None): "null",
    bool: "a boolean",
}


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value with its place in the file.

    The accessors return a part of it, or raise MalformedFile naming what they
    expected and where.

    Parameters
    ----------
    has_failed
        Whether a key beside or above it states an outcome that is no success, as
        `"status": "timeout"`: numbers that were measured there are NaN.
    notes
        Of its file: what is left out of it, and why.
    """

    value: Any
    source: str
    place: str
    surroundings: Surroundings | None = None
    has_failed: bool = False
    notes: list[str] = field(default_factory=list, repr=False, compare=False)

    @property
    def origin(self) -> tuple[tuple[str, str], ...]:
        """Where its measurements come from."""
        return (("file", self.source),)

    def malformed(self, expected: str) -> MalformedFile:
        """Return the error that this value is not what was expected."""
        actual = _KINDS.get(type(self.value)) or quoted(self.value)
        return MalformedFile(self.source, self.place, expected, actual)

    def part(self, key: str) -> Self:
        """Return what an object holds under `key`."""
        parts = self.object()
        if key not in parts:
            actual = f"only {quoted(', '.join(parts))}"
            raise MalformedFile(self.source, self.place, f"the key {key!r}", actual)
        return self._at(f".{key}", parts[key])

    def object(self) -> Mapping[str, Any]:
        """Return this object's values."""
        if not isinstance(self.value, dict):
            raise self.malformed("an object")
        return self.value

    def parts(self) -> Iterator[tuple[str, Self]]:
        """Yield the keys and values of an object."""
        for key, value in self.object().items():
            yield key, self._at(f".{key}", value)

    def elements(self) -> Iterator[Self]:
        """Yield the elements of a list."""
        if not isinstance(self.value, list):
            raise self.malformed("a list")
        for index, value in enumerate(self.value):
            yield self._at(f"[{index}]", value)

    def element(self, at: int) -> Self:
        """Return one element of a list, as `elements` yields it."""
        return self._at(f"[{at}]", self.value[at])

    def name(self) -> str:
        """Return this string, which is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.malformed("a name")
        return self.value

    def setting(self) -> float:
        """Return this number, which is finite."""
        number = self._number()
        if not math.isfinite(number):
            raise self.malformed("a finite number")
        return number

    def numbers(self) -> Sequence[float]:
        """Return these repetitions, be they a list or a single number."""
        if isinstance(self.value, list):
            return [element.number() for element in self.elements()]
        return [self.number()]

    def is_infinite(self) -> bool:
        """Tell whether this is what Python and C++ write where nothing is known."""
        return isinstance(self.value, float) and math.isinf(self.value)

    def number(self) -> float:
        """Return this measured number; null is NaN, infinity is none."""
        number = self._number()
        return math.nan if self.has_failed else number

    def _number(self) -> float:
        if self.value is None:
            return math.nan
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                number = float(self.value)
            except OverflowError:
                number = math.inf
            if not math.isinf(number):
                return number
        raise self.malformed("a finite number")

    def _at(self, step: str, value: Any) -> Self:
        place, failed = f"{self.place}{step}", self.has_failed or _has_failed(value)
        return replace(self, value=value, place=place, has_failed=failed)


def _has_failed(value: Any) -> bool:
    """Tell whether an object has a key for outcomes that states no success."""
    if not isinstance(value, dict):
        return False
    judged = (
        judge_cell(key, "" if stated is None else str(stated))
        for key, stated in value.items()
        if is_about_outcome(key) and not isinstance(stated, dict | list)
    )
    return any(
        outcome and not outcome.is_absent and outcome.has_succeeded is not True
        for outcome in judged
    )


def read_documents(source: Source) -> Iterator[Document]:
    """Yield the documents of a file; the elements of an array are documents.

    Where the first line is a document of its own, lines are read one by one.
    """
    source.peek()
    line = next(source)
    while not says_something(line):
        line = next(source)
    if line.lstrip().startswith(SCRIPT):
        yield from _assigned(line, source)
        return
    begins = ("{", "[")
    is_begun = line.lstrip().startswith(begins)
    if not is_begun and any(
        ahead.startswith(begins) for ahead in source.head().splitlines()
    ):
        # Processes print lines before a document.
        while not line.lstrip().startswith(begins):
            line = next(source)
    try:
        first = _parsed(line)
    except ValueError:
        yield from _concatenated(line, source)
        return
    yield from _flattened(_document(first, source, source.line))
    for line in source:
        if says_something(line):
            try:
                value = _parsed(line)
            except ValueError as error:
                raise source.malformed("JSON", _complaint(error, line)) from None
            yield from _flattened(_document(value, source, source.line))


def _assigned(first: str, source: Source) -> Iterator[Document]:
    """Yield the documents of a script that gives its JSON a name."""
    line = source.line
    text = "\n".join(chain([first.partition("=")[2]], source)).strip().rstrip(";")
    try:
        value = _parsed(text)
    except ValueError as error:
        wrong = line + getattr(error, "lineno", 1) - 1
        actual = _complaint(error, text[getattr(error, "pos", 0) :])
        raise source.malformed("JSON", actual, wrong) from None
    yield from _flattened(_document(value, source, line))


def _concatenated(first: str, source: Source) -> Iterator[Document]:
    """Yield documents that span lines, one behind the other."""
    start = source.line
    text = "\n".join(chain([first], source))
    position = 0
    while (position := _BLANKS.match(text, position).end()) < len(text):  # type: ignore[union-attr]
        line = start + text.count("\n", 0, position)
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", position)
            wrong = start + text.count("\n", 0, at)
            actual = _complaint(error, text[at:])
            raise source.malformed("JSON", actual, wrong) from None
        yield from _flattened(_document(value, source, line))


def _document(value: Any, source: Source, line: int) -> Document:
    place, failed = f"line {line}", _has_failed(value)
    around = source.surroundings
    return Document(value, source.name, place, around, failed, source.notes)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def _flattened(document: Document) -> Iterator[Document]:
    if isinstance(document.value, list):
        yield from document.elements()
    else:
        yield document


def _complaint(error: Exception, text: str) -> str:
    reason = getattr(error, "msg", str(error))
    return f"{quoted(text.partition(chr(10))[0])} ({reason[:1].lower()}{reason[1:]})"
