"""Logs of LAMMPS: loop time, breakdown and rates of every run in them."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted

_BEGINNING: Final = re.compile(r"^LAMMPS \(|^Loop time of \S+ on", re.MULTILINE)
_LOOP_BEGINS: Final = "Loop time of "
_LOOP: Final = re.compile(
    _LOOP_BEGINS + r"(?P<seconds>\S+) on (?P<procs>\d{1,18}) procs"
    r"(?: \(\S+ MPI x \d+ OpenMP\))?"
    r" for (?P<steps>\d{1,18}) steps with (?P<atoms>\d{1,18}) atoms.*"
)
_TASKS: Final = re.compile(
    r".*CPU use with (?P<tasks>\d{1,18}) MPI tasks? x (?P<threads>\d{1,18}|no) OpenMP"
    r" thread"
)
_SECTION: Final = re.compile(
    r"(?P<name>[A-Z]\w*)\s*\|(?P<cells>[^|]*\|[^|]*\|[^|]*\|.*)"
)
_LIKE_SECTION: Final = re.compile(r"[A-Z]\w*\s*\|")
_OLD_SECTION: Final = re.compile(
    r"(?P<name>[A-Z]\w*)\s+time \(%\) = (?P<seconds>\S+) \(\S+\)\s*"
)
"""A part in versions before 2014, the average over processes, which had no threads."""

_THREADS_OF_ONE: Final = "Thread timing breakdown"
"""The title of a table that repeats the parts, of the threads of the first task."""

_RATE: Final = re.compile(r"(?<!\S)(?P<value>\S++) (?P<unit>[\w-]++/(?:day|s|sec|ns))")
_METRICS: Final = {"ns/day": "rate", "tau/day": "rate", "hours/ns": "time_per_ns"}
_AVERAGE, _MAXIMUM = 1, 2


def recognises(head: str) -> bool:
    """Tell whether a text begins like a log."""
    return _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield times in seconds and rates of each run.

    Processes and threads are those of the line on the use of the CPU: the loop line
    counts their product. A run without it is not complete and is refused.
    """
    run: _Run | None = None
    for line in source:
        if line.startswith(_LOOP_BEGINS) and (loop := _LOOP.fullmatch(line)):
            if run is not None:
                yield from run.measurements()
            run = _Run(source, loop)
        elif run is not None:
            run.read(line)
    if run is None:
        raise source.malformed("a line 'Loop time of …'", "the end of the file")
    yield from run.measurements()


class _Run:
    """A run whose lines are being read."""

    def __init__(self, source: Source, loop: re.Match[str]) -> None:
        self.source, self.line = source, source.line
        self.procs = int(loop["procs"])
        self.has_parts = True
        self.atoms, self.steps = int(loop["atoms"]), int(loop["steps"])
        self.tasks: tuple[int, int] | None = None
        self.measured = [("loop", "time", "s", self.source.number(loop["seconds"]), "")]

    def read(self, line: str) -> None:
        """Take what a line behind the loop line says."""
        if tasks := _TASKS.match(line):
            threads = 1 if tasks["threads"] == "no" else int(tasks["threads"])
            self.tasks = int(tasks["tasks"]), threads
        elif line.startswith("Performance:"):
            rates = line.partition(":")[2]
            if _RATE.sub("", rates).strip(" ,"):
                raise self.source.malformed("rates, each with its unit", quoted(rates))
            for rate in _RATE.finditer(rates):
                unit = rate["unit"]
                metric = _METRICS.get(unit, unit.partition("/")[0])
                value = self.source.number(rate["value"])
                self.measured.append(("loop", metric, unit, value, ""))
        elif line.startswith(_THREADS_OF_ONE):
            self.has_parts = False
        elif self.tasks and self.has_parts and (section := _SECTION.fullmatch(line)):
            self.read_section(section)
        elif self.tasks and self.has_parts and _LIKE_SECTION.match(line):
            raise self.source.malformed("a part of the run and its times", quoted(line))
        elif old := _OLD_SECTION.fullmatch(line):
            self.tasks = self.tasks or (self.procs, 1)
            seconds = self.source.number(old["seconds"])
            self.measured.append((old["name"], "time", "s", seconds, "avg"))

    def read_section(self, section: re.Match[str]) -> None:
        """Take the slowest time of a part, or the average where it has no other."""
        if section["name"] == "Section":
            return
        cells = [cell.strip() for cell in section["cells"].split("|")]
        taken, statistic = cells[_MAXIMUM], "max"
        if not taken:
            taken, statistic = cells[_AVERAGE], "avg"
        if taken:
            value = self.source.number(taken)
            self.measured.append((section["name"], "time", "s", value, statistic))

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        """Yield what the run measured, on how many processes and threads."""
        if self.tasks is None:
            expected = "a line '… CPU use with … MPI tasks …' behind the loop time"
            raise self.source.malformed(expected, "none", self.line)
        tasks, threads = self.tasks
        at = {"p": tasks, "threads": threads, "n": self.atoms}
        for region, metric, unit, value, statistic in self.measured:
            held: dict[str, series.Setting] = {"steps": self.steps}
            held |= {"statistic": statistic} if statistic else {}
            yield series.measurement(region, metric, unit, value, at, held)
