"""PETSc's -log_view: times of events by stage, of the slowest process."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted

TITLE: Final = "PETSc Performance Summary:"

_BEGINNING: Final = re.compile(rf"^-+ {TITLE} -+\s*$", re.MULTILINE)
_PROCESSES: Final = re.compile(r".* with (?P<count>\d{1,18}) process(or|ors|es)?\b")
_TOTAL: Final = re.compile(r"Time \(sec\):\s+(?P<seconds>\S+)\s+\S+\s+\S+\s*")
_SUMMARY: Final = re.compile(
    r"\s*+\d++:\s++(?P<stage>\S.*?): (?P<seconds>\S++)\s++\S+%"
)
_STAGE: Final = re.compile(r"--- Event Stage \d+: (?P<stage>(?:.*\S)?)\s*+")
_STAGE_TITLE: Final = "--- Event Stage"
_LIKE_SUMMARY: Final = re.compile(r"\s*+\S++(?<=\S:)\s++\S.*?: ++\S++\s++\S+%")
_EVENT: Final = re.compile(
    r"(?P<name>\S++(?:\s++\S++)*?)\s++\d++\s++\S++"
    r"\s++(?P<seconds>\d\.\d++e[+-]\d\d)\s*+\S++\s"  # 1.8187e-0221.1 has a ratio
)
_END: Final = re.compile(r"Object Type .*|Memory usage is given in bytes:.*")
_OPTION: Final = re.compile(r"-(?P<key>[A-Za-z][\w-]*+)(?P<rest>(?:\s.*)?)")
_ORIGIN: Final = re.compile(r"(?<!\s)\s++(?:#\s*+)?\(source: ")
"""Beginning of the remark where an option comes from, which ends the line."""

_PRINTED: Final = re.compile("log_|options_|malloc_|.*view|.*monitor|help")
"""Options that say what is printed, and not what is computed."""

_LONGEST_OPTION: Final = 64


def recognises(head: str) -> bool:
    """Tell whether a text has the title of a summary."""
    return _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the times of each summary, behind whatever the program printed.

    Events nest, hence their times are no profile. Several files make one scan.
    """
    summary: _Summary | None = None
    for line in source:
        if TITLE in line and line.startswith("-"):
            if summary is not None:
                yield from summary.measurements()
            summary = _Summary(source)
        elif summary is not None:
            summary.read(line)
    if summary is None:
        raise source.malformed(f"the title {TITLE!r}", "the end of the file")
    yield from summary.measurements()


class _Summary:
    """The summary that is being read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.processes: int | None = None
        self.stage: str | None = None
        self.is_complete, self.has_options = False, False
        self.options: dict[str, series.Setting] = {}
        self.times: list[tuple[str, float, str]] = []

    def read(self, line: str) -> None:
        """Take what a line behind the title says."""
        if self.is_complete:
            self.read_option(line)
        elif _END.fullmatch(line):
            self.is_complete = True
        elif self.stage is not None:
            self.read_event(line)
        elif stage := _STAGE.fullmatch(line):
            self.stage = stage["stage"]
        elif self.processes is None and (processes := _PROCESSES.match(line)):
            self.processes = int(processes["count"])
        elif total := _TOTAL.fullmatch(line):
            self.add(series.WHOLE_PROGRAM, total["seconds"], "")
        elif summary := _SUMMARY.match(line):
            self.add(summary["stage"], summary["seconds"], "avg")
        elif line.startswith(_STAGE_TITLE) or _LIKE_SUMMARY.match(line):
            raise self.source.malformed("a stage and its times", quoted(line))

    def read_event(self, line: str) -> None:
        """Take an event of a stage, or the title of the next."""
        if stage := _STAGE.fullmatch(line):
            self.stage = stage["stage"]
        elif event := _EVENT.match(line):
            self.source.require_whole_line()
            self.add(f"{self.stage}->{event['name']}", event["seconds"], "")
        elif line.strip("- "):
            raise self.source.malformed("an event and its times", quoted(line))

    def read_option(self, line: str) -> None:
        """Take an option of the table of options, which configures the run."""
        if line.startswith("#") and "PETSc Option Table entries" in line:
            self.has_options = not line.startswith("#End")
        elif self.has_options and (option := _OPTION.fullmatch(line)):
            value = option["rest"].rstrip()
            if value.endswith(")") and (origin := _ORIGIN.search(value)):
                value = value[: origin.start()]
            value = value.strip()
            if value.startswith(("#", "(")) or _PRINTED.match(option["key"]):
                return
            if len(value) <= _LONGEST_OPTION:
                self.options[option["key"]] = series.plain_setting(value or "true")

    def add(self, region: str, cell: str, statistic: str) -> None:
        self.times.append((region, self.source.number(cell), statistic))

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        """Yield all times, once the summary is known to be whole."""
        if self.processes is None or not self.is_complete:
            expected = "the processes and all events of a summary"
            raise self.source.malformed(expected, "its end")
        at = {"p": self.processes}
        for region, seconds, statistic in self.times:
            held = self.options | ({"statistic": statistic} if statistic else {})
            yield series.measurement(region, "time", "s", seconds, at, held)
