"""Logs read by patterns of their lines: `nProcs : {p}`, `ExecutionTime = {time} s`.

A *record* is what lines tell of one run. It ends where a line states a setting that the
record has already, once it has values; settings that stood before its first value hold
for the next record, too, unless that states its own.

Patterns are the user's, or those of `programs.toml`.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final, NamedTuple

from scalewatch.errors import BadDerivation, BadPattern, NoSuchLine
from scalewatch.importers import series
from scalewatch.importers.derivations import Derivation, derivation_of
from scalewatch.importers.guesses import sentence_of
from scalewatch.importers.source import Source, quoted
from scalewatch.importers.tables.columns import metric_and_unit
from scalewatch.outcomes import is_about_outcome, judge_cell
from scalewatch.quantities import factor_between
from scalewatch.texts.cells import Cell
from scalewatch.texts.patterns import TEXTS, LineHole, LinePattern, line_pattern_of

STATED: Final = "--line"
"""Name of the lines that are stated for all files."""

_KEYS: Final = frozenset({"title", "signature", "lines", "fails", "derive", "sections"})
_KEYS_OF_SECTION: Final = frozenset({"begins", "ends", "lines"})
_MOST_TRIED: Final = 100
"""Lines of a head that a signature is compared with, which hold a word of it."""

_RISING: Final = 5
"""Times of a record that rise from line to line are those of a clock that runs on."""


_STATISTICS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "last": lambda numbers: numbers[-1],
    "first": lambda numbers: numbers[0],
    "sum": sum,
    "max": max,
    "min": min,
}


@dataclass(frozen=True, slots=True)
class Section:
    """Rows of a table in a log: between two lines, or to a blank one."""

    begins: LinePattern
    ends: LinePattern | None
    lines: Sequence[LinePattern]


@dataclass(frozen=True, slots=True)
class Program:
    """Patterns of the lines of a program, and the lines by which it is known.

    One without a signature is known by any line that has a value.
    """

    name: str
    title: str
    signature: Sequence[LinePattern]
    lines: Sequence[LinePattern]
    fails: Sequence[LinePattern] = ()
    derive: Sequence[Derivation] = ()
    sections: Sequence[Section] = ()

    def recognises(self, head: str) -> bool:
        """Tell whether a text has every line of the signature."""
        if not self.signature:
            valued = [line for line in self.lines if _has_value(line)]
            return any(_is_in(pattern, head) for pattern in valued)
        return all(_is_in(pattern, head) for pattern in self.signature)


def program_of(name: str, stated: Mapping[str, Any]) -> Program:
    """Return the program that a table of patterns describes.

    Raises
    ------
    BadPattern, BadDerivation
        If a pattern or a key of it cannot be understood.
    """
    _refuse_unknown(name, stated, _KEYS)
    sections = stated.get("sections", ())
    for section in sections:
        _refuse_unknown(name, section, _KEYS_OF_SECTION)
    program = Program(
        name,
        str(stated.get("title", name)),
        _patterns(name, stated.get("signature", ())),
        _patterns(name, stated.get("lines", ())),
        _patterns(name, stated.get("fails", ())),
        [derivation_of(text) for text in stated.get("derive", ())],
        [
            Section(
                line_pattern_of(section.get("begins", "")),
                line_pattern_of(section["ends"]) if "ends" in section else None,
                _patterns(name, section.get("lines", ()), is_row=True),
            )
            for section in sections
        ],
    )
    of_sections = (line for section in program.sections for line in section.lines)
    if not any(map(_has_value, (*program.lines, *of_sections))):
        raise BadPattern(name, "has no line with a value, such as {time}")
    return program


@lru_cache(maxsize=1)
def shipped_programs() -> Sequence[Program]:
    """Return the programs of `programs.toml`."""
    text = files(__package__).joinpath("programs.toml").read_text("utf-8")
    return [program_of(name, table) for name, table in tomllib.loads(text).items()]


def recognises(head: str) -> bool:
    """Tell whether a text is what a program prints whose patterns are shipped."""
    return any(program.recognises(head) for program in shipped_programs())


def read(
    source: Source, programs: Sequence[Program] = ()
) -> Iterator[series.ImportedMeasurement]:
    """Yield what the lines of a log tell.

    Parameters
    ----------
    source
        The log.
    programs
        Those that the user states, which go before the shipped ones.

    Raises
    ------
    NoSuchLine
        If no line is like a pattern that has a value.
    """
    head = source.head()
    known = (each for each in (*programs, *shipped_programs()) if each.recognises(head))
    program = next(known, programs[0] if programs else None)
    if program is None and (sentence := sentence_of(head)) is not None:
        program = program_of(STATED, {"lines": [sentence[0]]})
        source.notes.append(f"its lines are read as `--line '{sentence[0]}'` says")
    if program is None:
        titles = ", ".join(each.title for each in shipped_programs())
        raise NoSuchLine(
            source.name, f"it is no output of {titles}; `--line` states what to read"
        )
    yield from _Log(source, program).measurements()


def _has_value(pattern: LinePattern) -> bool:
    return any(
        hole.kind == "value" and not is_about_outcome(hole.name.replace("_", " "))
        for hole in pattern.holes.values()
    )


def _is_in(pattern: LinePattern, head: str) -> bool:
    if pattern.literal not in head:
        return False
    lines = [line for line in head.splitlines() if pattern.literal in line]
    return any(pattern.match(line) is not None for line in lines[:_MOST_TRIED])


def _refuse_unknown(name: str, stated: object, known: frozenset[str]) -> None:
    if not isinstance(stated, Mapping):
        raise BadPattern(name, f"is no table of {', '.join(sorted(known))}")
    if unknown := sorted(stated.keys() - known):
        raise BadPattern(
            name, f"has a key {unknown[0]!r}; known are {', '.join(sorted(known))}"
        )


def _patterns(
    name: str, stated: object, *, is_row: bool = False
) -> Sequence[LinePattern]:
    texts = [stated] if isinstance(stated, str) else stated
    if not isinstance(texts, list | tuple) or not all(
        isinstance(text, str) for text in texts
    ):
        raise BadPattern(name, "has lines that are no list of texts")
    return [line_pattern_of(text, is_row=is_row) for text in texts]


class _Value(NamedTuple):
    """A value of a record, with the line where it stands."""

    number: float
    unit: str | None
    line: int
    hole: LineHole


@dataclass(slots=True)
class _Record:
    """The settings and values that lines of a run tell until now.

    `late` are settings that stand behind the first value.
    """

    settings: dict[str, float] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    values: dict[tuple[str, str], list[_Value]] = field(default_factory=dict)
    has_failed: bool = False

    def next(self) -> "_Record":
        """Return the record that follows, with the settings that hold on."""
        return _Record(
            {key: held for key, held in self.settings.items() if key not in self.late},
            {key: held for key, held in self.words.items() if key not in self.late},
        )


class _Log:
    """A log that is read line by line."""

    def __init__(self, source: Source, program: Program) -> None:
        self.source, self.program = source, program
        self.record = _Record()
        self.section: Section | None = None
        self.has_rows = False
        self.matched: set[str] = set()
        self.rising: dict[str, int] = {}

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        """Yield what each record holds, once it has ended."""
        for line in self.source:
            yield from self.of_line(line)
        yield from self.ended()
        self.tell_unmatched()

    def of_line(self, line: str) -> Iterator[series.ImportedMeasurement]:
        """Take a line, and yield what the record holds that it ends."""
        patterns = self.program.lines
        if self.section is not None:
            ends = self.section.ends
            is_end = ends.match(line) is not None if ends else not line.strip()
            if is_end and self.has_rows:
                self.section = None
            else:
                patterns = [*self.section.lines, *patterns]
        for section in self.program.sections:
            if section.begins.match(line) is not None:
                self.section, self.has_rows = section, False
                return
        for pattern in patterns:
            if (cells := pattern.match(line)) is not None:
                self.matched.add(pattern.text)
                self.has_rows = True
                yield from self.of_match(pattern, cells)
        if any(pattern.match(line) is not None for pattern in self.program.fails):
            self.record.has_failed = True
            self.source.notes.append(
                f"line {self.source.line} says that a run failed: "
                f"{quoted(line.strip())}"
            )

    def of_match(
        self, pattern: LinePattern, cells: Mapping[str, Cell | str]
    ) -> Iterator[series.ImportedMeasurement]:
        """Take what the holes of a line hold."""
        self.source.require_whole_line()
        region = cells.get("region")
        values = {
            name: cell
            for name, cell in cells.items()
            if isinstance(cell, Cell) and pattern.holes[name].kind == "value"
        }
        outcomes = {
            name: cells[name]
            for name in cells
            if is_about_outcome(name.replace("_", " "))
        }
        values = {name: cell for name, cell in values.items() if name not in outcomes}
        stated = {
            name: cell
            for name, cell in cells.items()
            if name not in {*values, *outcomes, *(["region"] if values else [])}
        }
        if self.ends_record(pattern, stated, values, region):
            yield from self.ended()
            self.record = self.record.next()
        for name, cell in stated.items():
            self.state(pattern.holes[name], cell)
        for name, cell in outcomes.items():
            self.judge(name, cell)
        for name, cell in values.items():
            hole = pattern.holes[name]
            metric, unit = metric_and_unit(name) or (name, None)
            its_region = region or self.record.words.get("region", "")
            self.record.values.setdefault((str(its_region), metric), []).append(
                self.value(hole, cell, unit)
            )

    def ends_record(
        self,
        pattern: LinePattern,
        stated: Mapping[str, Cell | str],
        values: Mapping[str, Cell],
        region: Cell | str | None,
    ) -> bool:
        """Tell whether a line is of the next record."""
        record = self.record
        if not record.values:
            return False
        known = record.settings.keys() | record.words.keys()
        if any(
            name in known and pattern.holes[name].taken != "count" for name in stated
        ):
            return True
        names = {
            (str(region or record.words.get("region", "")), name) for name in values
        }
        return bool(record.late) and not names.isdisjoint(record.values)

    def state(self, hole: LineHole, cell: Cell | str) -> None:
        """Take a setting or a text."""
        record = self.record
        if record.values and hole.name not in record.settings:
            record.late.add(hole.name)
        if isinstance(cell, str):
            record.words[hole.name] = cell
        elif hole.taken == "count":
            record.settings[hole.name] = record.settings.get(hole.name, 0.0) + 1
        elif cell.number is None:
            raise self.source.malformed(f"the setting {hole.name}", "none")
        else:
            record.settings[hole.name] = cell.number

    def judge(self, name: str, cell: Cell | str) -> None:
        """Take how a run ended; a word that is not understood is refused."""
        text = (
            cell
            if isinstance(cell, str)
            else ""
            if cell.number is None
            else f"{cell.number:g}"
        )
        outcome = judge_cell(name.replace("_", " "), text)
        if outcome is not None and outcome.has_succeeded is False:
            self.record.has_failed = True
        elif outcome is not None and outcome.has_succeeded is None and text:
            raise self.source.malformed("how the run ended", quoted(outcome.words))

    def value(self, hole: LineHole, cell: Cell, unit: str | None) -> _Value:
        """Return a value in the unit of its pattern, or else in that of its cell."""
        unit = hole.unit or unit
        number = float("nan") if cell.number is None else cell.number
        if cell.unit is not None and unit is not None:
            factor = factor_between(cell.unit, unit)
            if factor is None:
                raise self.source.malformed(f"a value in {unit}", cell.unit)
            number *= factor
        return _Value(number, unit or cell.unit, self.source.line, hole)

    def ended(self) -> Iterator[series.ImportedMeasurement]:
        """Yield what the record holds."""
        record = self.record
        settings = dict(record.settings)
        for derivation in self.program.derive:
            if derivation.needs <= settings.keys():
                try:
                    settings[derivation.name] = derivation.value(settings)
                except BadDerivation as error:
                    stated = f"settings for {derivation.text}"
                    raise self.source.malformed(stated, str(error)) from None
                for name in derivation.needs:
                    del settings[name]
        words = {key: word for key, word in record.words.items() if key not in TEXTS}
        known: dict[str, Any] = {
            "repetition" if key == "rep" else key: word
            for key, word in record.words.items()
            if key in TEXTS - {"region"}
        }
        for (region, metric), values in record.values.items():
            taken = self.taken(metric, values)
            measurement = series.measurement(
                region,
                metric,
                values[0].unit,
                taken,
                settings,
                {key: series.plain_setting(word) for key, word in words.items()},
                (),
                series.Provenance(**known),
                failed=record.has_failed,
            )
            yield measurement

    def taken(self, metric: str, values: Sequence[_Value]) -> Sequence[float]:
        """Return the values of a record that count."""
        numbers = [value.number for value in values]
        taken = values[0].hole.taken
        if taken in _STATISTICS:
            return [_STATISTICS[taken](numbers)]
        rises = all(before < after for before, after in pairwise(numbers))
        if len(numbers) >= _RISING and rises and "time" in metric:
            if metric not in self.rising:
                name = values[0].hole.name
                self.source.notes.append(
                    f"{metric} rises over the {len(numbers)} lines of a record, as a "
                    f"clock that runs on: its last value counts; {{{name}:max}} says "
                    "so, and each line is one with `--path` or a setting in it"
                )
            self.rising[metric] = len(numbers)
            return numbers[-1:]
        return numbers

    def tell_unmatched(self) -> None:
        """Note the stated patterns that no line is like, beside others that some are.

        Raises
        ------
        NoSuchLine
            If no line is like any that has a value.
        """
        sections = (line for section in self.program.sections for line in section.lines)
        patterns = [*self.program.lines, *sections]
        if not any(
            pattern.text in self.matched for pattern in patterns if _has_value(pattern)
        ):
            valued = next(pattern for pattern in patterns if _has_value(pattern))
            of = "" if self.program.signature else f" {valued.text!r}"
            raise NoSuchLine(
                self.source.name,
                f"no line is like{of or f' a result of {self.program.title}'}",
            )
        if not self.program.signature:
            for pattern in patterns:
                if pattern.text not in self.matched:
                    self.source.notes.append(f"no line is like {pattern.text!r}")
