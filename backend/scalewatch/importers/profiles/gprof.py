"""The flat profile that gprof prints: the time of each function by itself."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted, says_something

TITLE: Final = "Flat profile:"

_COLUMNS: Final = re.compile(r"\s*%\s+cumulative\s+self\b.*")
_HEADER: Final = re.compile(r"\s*+time\s++seconds\s++seconds\s.*\bname\s*+")
_FUNCTION: Final = re.compile(
    r"\s*+[\d.]++\s++[\d.]++\s++(?P<seconds>\d++\.\d++)"  # %, cumulative, own seconds
    r"(?:\s++\d++(?:\s++[\d.]++\s++[\d.]++)?)?"  # calls, own and total time of each
    r"\s++(?P<name>[^\s\d](?:.*\S)?)\s*+"
)


def recognises(head: str) -> bool:
    """Tell whether a text begins with a flat profile."""
    line = next(filter(says_something, head.splitlines()), "")
    return line.startswith(TITLE) or bool(_COLUMNS.fullmatch(line))


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the own seconds of each function; gprof does not know at which p.

    The profile ends at the first blank line: explanations and a call graph follow.
    """
    for line in source:
        if _HEADER.fullmatch(line):
            break
    else:
        raise source.malformed("the columns of a flat profile", "the end of the file")
    for line in source:
        if not line.strip("\f "):
            return
        function = _FUNCTION.fullmatch(line)
        if function is None:
            raise source.malformed("a function and its seconds", quoted(line.strip()))
        seconds = float(function["seconds"])
        name, origin = function["name"], source.origin
        yield series.measurement(name, "time", "s", seconds, {}, origin=origin)
