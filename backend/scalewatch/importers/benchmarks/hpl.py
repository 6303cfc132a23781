"""Output of HPL: a row per test, and whether its residual passed."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source

_BEGINNING: Final = re.compile(
    r"^(HPLinpack \d|T/V +N +NB +P +Q +Time +Gflops)", re.MULTILINE
)
_ROW: Final = re.compile(
    r"(?P<variant>W[RC]\w+)\s+(?P<n>\d{1,18})\s+(?P<nb>\d{1,18})"
    r"\s+(?P<P>\d{1,9})\s+(?P<Q>\d{1,9})"
    r"\s+(?P<time>\S+)\s+(?P<rate>\S+)(?:\s+\(\s*\S+\s*\))?\s*"
)
_RESIDUAL: Final = re.compile(r"\|\|Ax-b\|\|.*\s(?P<outcome>[A-Z]+)\s*")


def recognises(head: str) -> bool:
    """Tell whether a text has the banner, or the header of the results."""
    return _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield time and rate of each test, NaN where the residual did not pass.

    Processes are those of the grid; the file does not know threads.
    """
    row: re.Match[str] | None = None
    for line in source:
        if test := _ROW.fullmatch(line):
            source.require_whole_line()
            if row is not None:
                yield from _measured(source, row)
            row = test
        elif row is not None and (residual := _RESIDUAL.fullmatch(line)):
            yield from _measured(source, row, failed=residual["outcome"] != "PASSED")
            row = None
    if row is not None:
        yield from _measured(source, row)


def _measured(
    source: Source, row: re.Match[str], *, failed: bool = False
) -> Iterator[series.ImportedMeasurement]:
    at = {"p": int(row["P"]) * int(row["Q"]), "n": int(row["n"])}
    held = {"NB": int(row["nb"]), "variant": row["variant"]}
    for metric, unit in (("time", "s"), ("rate", "GFLOP/s")):
        value = source.number(row[metric])
        yield series.measurement(
            series.WHOLE_PROGRAM, metric, unit, value, at, held, failed=failed
        )
