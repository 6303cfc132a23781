"""Sentences that a log repeats with other numbers: the pattern of `--line` for them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scalewatch.quantities import is_time, parse_unit
from scalewatch.texts.patterns import as_literal
from scalewatch.texts.scales import scale_of

_NUMBER: Final = re.compile(
    r"(?<![\w.])(?:(?P<duration>\d++m\d++(?:\.\d++)?s|\d++:[0-5]\d:[0-5]\d(?:\.\d++)?)"
    r"|[+-]?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)(?=(?:[mµun]?s)?(?!\w))"
)
_PLURAL: Final = re.compile(r"(?<=ss)es\b|(?<=[a-rt-z])s\b")
_WORD_BEHIND: Final = re.compile(r"\s*+[\[(]?(?P<word>[A-Za-zµ#%][\w/%.-]*)")
_STATED: Final = re.compile(r"\w\s*[=:]\s*\Z")
_FEWEST: Final = 3
_MOST_LINES: Final = 400
_LONGEST: Final = 300
_LOOKED_BACK: Final = 40
_TIMED: Final = frozenset(
    {"time", "elapsed", "took", "runtime", "walltime", "duration"}
)


def sentence_of(head: str) -> tuple[str, float] | None:
    """Return the pattern of the sentence that most lines are, and their share.

    None if none is repeated with other numbers that says a scale and a value.
    """
    lines = [line.strip() for line in head.splitlines() if line.strip()][:_MOST_LINES]
    shapes = Counter(_shape(line) for line in lines if len(line) <= _LONGEST)
    for shape, count in shapes.most_common(3):
        if count < _FEWEST or "\0" not in shape:
            continue
        alike = [line for line in lines if _shape(line) == shape]
        pattern, values, scales = _pattern(alike[0])
        if values == 1 and scales:
            return _for_all(pattern, alike), count / len(lines)
    return None


def scale_line_of(lines: Iterable[str]) -> str | None:
    """Return the pattern of the first line that says a scale, and no value."""
    for line in lines:
        text, values, scales = _pattern(line[:_LONGEST])
        if scales and not values:
            return text
    return None


def _shape(line: str) -> str:
    return " ".join(_PLURAL.sub("", _NUMBER.sub("\0", line)).split())


def _for_all(pattern: str, lines: Sequence[str]) -> str:
    """Return a pattern of the first of lines as one of all, of `thread` and `threads`.

    A word that differs by more than a number is any.
    """
    words = zip(*(_NUMBER.sub("\0", line).split() for line in lines), strict=True)
    return " ".join(
        "{*}" if len({*column}) > 1 else word
        for word, column in zip(pattern.split(), words, strict=True)
    )


def _pattern(line: str) -> tuple[str, int, int]:
    """Return the pattern of a line, and how many values and scales it states."""
    names, parts, end = list[str](), list[str](), 0
    for number in _NUMBER.finditer(line):
        parts.append(as_literal(line[end : number.start()]))
        name = next((name for name in _names(line, number) if name not in names), "{*}")
        names.append(name)
        parts.append(name)
        end = number.end()
    parts.append(as_literal(line[end:]))
    values = [name for name in names if name in {"{time}", "{rate}"}]
    scales = [name for name in names if name not in {*values, "{*}"}]
    return " ".join("".join(parts).split()), len(values), len(scales)


def _names(line: str, number: re.Match[str]) -> Iterator[str]:
    """Yield what a number may be, by the words beside it."""
    if number["duration"]:
        yield "{time}"
        return
    behind = _WORD_BEHIND.match(line, number.end())
    text = line[max(0, number.start() - _LOOKED_BACK) : number.start()]
    *_, before = ["", *text.rstrip(" :=([,-").split()]
    word = behind["word"].rstrip(".:,") if behind else ""
    unit = parse_unit(word) if word else None
    is_whole = number[0].isdecimal()
    is_stated = _STATED.search(text) is not None
    if is_whole and word and not is_stated and (scale := scale_of(word)):
        yield f"{{{scale}}}"
    if is_whole and before and (scale := scale_of(before)):
        yield f"{{{scale}}}"
    if unit is not None and unit.is_known and is_time(unit.dimension):
        yield "{time}"
    elif unit is not None and unit.is_known and unit.is_rate:
        yield "{rate}"
    elif before and before.lower() in _TIMED:
        yield "{time}"
