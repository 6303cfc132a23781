"""Extra-P's text format: PARAMETER, POINTS, METRIC, REGION and DATA lines."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted, says_something

KEYWORDS: Final = ("PARAMETER", "POINTS", "METRIC", "REGION", "DATA")

_WORDS: Final = re.compile(r"[()]|[^\s()]+")
_DEPTH: Final = {"(": 1, ")": -1}


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the measurements of a file in the order of its DATA lines.

    The first DATA line of a region belongs to the first point, and so on; hence
    their number must be that of the points.
    """
    return _Reader(source).measurements()


class _Reader:
    """The state of the file at the line that is being read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parameters: tuple[str, ...] = ()
        self.points: list[tuple[float, ...]] = []
        self.metric = series.VALUE
        self.region = series.WHOLE_PROGRAM
        self.point = 0
        self.subject: series.SeriesIdentity | None = None
        self.declarations: Mapping[str, Callable[[str], None]] = {
            "PARAMETER": self.declare_parameters,
            "POINTS": self.declare_points,
            "METRIC": self.start_metric,
            "REGION": self.start_region,
        }

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        for line in self.source:
            if not says_something(line):
                continue
            keyword, *rest = line.split(maxsplit=1)
            text = rest[0].strip() if rest else ""
            if keyword == "DATA":
                yield self.measurement(text)
            elif keyword in self.declarations:
                self.declarations[keyword](text)
            else:
                expected = f"one of {', '.join(KEYWORDS)}"
                raise self.source.malformed(expected, quoted(keyword))
        self.finish_region()

    def declare_parameters(self, text: str) -> None:
        names = tuple(text.split())
        if not names:
            raise self.source.malformed("a name behind PARAMETER", "nothing")
        if self.points:
            raise self.source.malformed("PARAMETER lines before POINTS", "PARAMETER")
        for name in names:
            if name in self.parameters:
                raise self.source.malformed("each parameter once", quoted(name))
            self.parameters += (name,)

    def declare_points(self, text: str) -> None:
        if not self.parameters:
            raise self.source.malformed("PARAMETER before POINTS", "POINTS")
        if self.point:
            raise self.source.malformed("POINTS before DATA", "POINTS")
        for words in self.braced(text):
            if len(words) != len(self.parameters):
                expected = f"points ( {' '.join(self.parameters)} )"
                raise self.source.malformed(expected, f"( {' '.join(words)[:40]} )")
            point = tuple(numbers(words, self.source))
            if not all(map(math.isfinite, point)):
                raise self.source.malformed("finite settings", str(point))
            self.points.append(point)

    def braced(self, text: str) -> Iterator[list[str]]:
        """Yield the words of each point; braces may nest, a bare word is a point."""
        depth, words = 0, list[str]()
        for word in _WORDS.findall(text):
            depth += _DEPTH.get(word, 0)
            if depth < 0:
                raise self.source.malformed("'(' before ')'", quoted(text))
            if word not in _DEPTH:
                words.append(word)
            if depth == 0:
                yield words
                words = []
        if depth:
            raise self.source.malformed("')'", "the end of the line")

    def start_metric(self, text: str) -> None:
        self.finish_region()
        self.metric = text or series.VALUE

    def start_region(self, text: str) -> None:
        self.finish_region()
        self.region = text or series.WHOLE_PROGRAM

    def finish_region(self) -> None:
        if self.point not in {0, len(self.points)}:
            expected = f"{len(self.points)} DATA lines, as many as points"
            actual = f"{self.point} for {quoted(self.region)}"
            raise self.source.malformed(expected, actual)
        self.point = 0
        self.subject = None

    def measurement(self, text: str) -> series.ImportedMeasurement:
        if not self.points:
            raise self.source.malformed("POINTS before DATA", "DATA")
        if self.point == len(self.points):
            expected = f"{len(self.points)} DATA lines, as many as points"
            raise self.source.malformed(expected, "one more")
        if self.subject is None:
            self.subject = series.SeriesIdentity(
                self.region, self.metric, None, (), self.parameters, self.source.origin
            )
        values = numbers(text.split(), self.source)
        if not values or any(map(math.isinf, values)):
            raise self.source.malformed("finite numbers", quoted(text))
        coordinate = self.points[self.point]
        self.point += 1
        return series.ImportedMeasurement(self.subject, coordinate, values)


def numbers(words: Sequence[str], source: Source) -> list[float]:
    """Return `words` as numbers, NaN included."""
    values = []
    for word in words:
        try:
            values.append(series.written_number(word))
        except ValueError:
            raise source.malformed("a number", quoted(word)) from None
    return values
