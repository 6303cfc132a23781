"""Logs of GROMACS: wall time, performance and the parts of the cycle table."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted

# The second banner was printed until 4.6.
_BANNER: Final = re.compile(r":-\) (GROMACS - .{0,200}mdrun| G  R  O  M  A  C  S )")
_SETTINGS: Final = {
    "p": re.compile(r"Using (\d{1,18}) MPI (?:process(?:es)?|threads?)\s*"),
    "threads": re.compile(r"Using (\d{1,18}) OpenMP threads?.*"),
    "atoms": re.compile(r"There are: (\d{1,18}) [Aa]toms\s*"),
    "steps": re.compile(r"\s*nsteps\s*=\s*(\d{1,18})\s*"),
}
_VARIED: Final = ("p", "threads")
_TIME: Final = re.compile(r"\s*Time:\s+\S+\s+(?P<wall>\S+)\s+\S+\s*")
_PERFORMANCE: Final = re.compile(r"Performance:\s+(?P<rate>\S+)\s+(?P<cost>\S+)\s*")
_PART: Final = re.compile(
    r" (?P<name>\S++(?:\s++\S++)*?)\s++\d++\s++\d++\s++\d++"
    r"\s++(?P<wall>\d++\.\d++)\s++\S++\s++\S++\s*+"
)

_REST: Final = re.compile(
    r" (?P<name>Rest)\s++(?P<wall>\d++\.\d++)\s++\S++\s++\S++\s*+"
)
"""All that no row counts, without which the rows do not add up."""

_UNCOUNTED: Final = re.compile(
    r" [A-Z][^\d?]*+(?<=\s\s)(?:\d++\s++)?\d++\.\d++\s++\S++\s++\S++\s*+"
)
"""A wait for other ranks, which is part of others."""

_RULE: Final = re.compile(r"-+\s*")


def recognises(head: str) -> bool:
    """Tell whether a text has the banner of a run."""
    return _BANNER.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield what the run measured; one that did not end has no performance.

    Molecular systems of other sizes are other programs: atoms are configuration.
    """
    settings: dict[str, int] = {}
    measured: list[tuple[str, str, str, str]] = []
    cycles, is_ended = _CycleTable(source), False
    for line in source:
        if part := cycles.part(line):
            # With ranks for them alone, parts have a mark and are the same parts.
            name = part["name"].removesuffix(" *")
            measured.append((name, "time", "s", part["wall"]))
        elif time := _TIME.fullmatch(line):
            measured.append((series.WHOLE_PROGRAM, "time", "s", time["wall"]))
        elif performance := _PERFORMANCE.fullmatch(line):
            source.require_whole_line()
            rate, cost = performance["rate"], performance["cost"]
            measured.append((series.WHOLE_PROGRAM, "rate", "ns/day", rate))
            measured.append((series.WHOLE_PROGRAM, "time_per_ns", "hours/ns", cost))
            is_ended = True
        for name, expression in _SETTINGS.items():
            if match := expression.fullmatch(line):
                settings.setdefault(name, int(match[1]))
    if not is_ended:
        raise source.malformed("a line 'Performance: …'", "the end of the file")
    at: dict[str, float] = {
        name: settings[name] for name in _VARIED if name in settings
    }
    held = {name: count for name, count in settings.items() if name not in _VARIED}
    for region, metric, unit, cell in measured:
        value = source.number(cell)
        yield series.measurement(region, metric, unit, value, at, held)


class _CycleTable:
    """The table of parts; a second one breaks one of them down and does not count."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.has_title, self.has_rows = False, False

    def part(self, line: str) -> re.Match[str] | None:
        """Return a part of the run if a line is a row of the table with counts."""
        if "R E A L   C Y C L E" in line:
            self.has_title = True
        elif line.startswith(" Total "):
            self.has_title = self.has_rows = False
        elif self.has_title and (
            part := _PART.fullmatch(line) or _REST.fullmatch(line)
        ):
            return part
        elif self.has_title and _RULE.fullmatch(line):
            self.has_rows = True
        elif self.has_rows and line.strip() and not _UNCOUNTED.fullmatch(line):
            raise self.source.malformed("a part of the run and its times", quoted(line))
        return None
