"""Guesses at files that no reader knows: whose they are, and the pattern of a line.

Logs repeat sentences with other numbers, which are patterns of `--line`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scalewatch.importers.source import quoted
from scalewatch.quantities import is_time, parse_unit
from scalewatch.texts.cells import read_cell
from scalewatch.texts.patterns import as_literal
from scalewatch.texts.scales import scale_of

_JSON_OF_PYTEST: Final = "`pytest --benchmark-json=out.json` writes a file that is read"

_NAMED: Final[Mapping[str, tuple[str, str]]] = {
    "test result: ": ("the console of Rust's tests", "ask it for `--format json`"),
    "test bench_": ("the console of Rust's benchmarks", "`cargo bench` by criterion"),
    "- benchmark: ": ("the console of pytest-benchmark", _JSON_OF_PYTEST),
    "= test session starts =": ("the console of pytest", _JSON_OF_PYTEST),
    "Performance counter stats for": (
        "the statistics of perf",
        "`--line '{time} seconds time elapsed' --at p=8`",
    ),
    "Each sample counts as": ("a profile of gprof", "`gprof -b -p CODE gmon.out`"),
    "darshan log version": ("a log of Darshan", "`--line 'nprocs: {p}' --line …`"),
    "TABLE,Region ": (
        "the CSV of LIKWID",
        "`--line 'Runtime (RDTSC) [s],{time},{**}' --at p=8`",
    ),
    "@ mpiP": (
        "a report of mpiP",
        "`--line '* {time:s} {mpi_time:s} {share:%}' --at p=8`",
    ),
    "Reading Profile files in profile": (
        "what pprof prints",
        "give the folder of TAU's files profile.0.0.0, …",
    ),
    "LIKWID": (
        "the output of LIKWID",
        "`--line 'Runtime (RDTSC) [s] | {time}' --at p=8`",
    ),
    "Entering Gaussian": (
        "the log of Gaussian",
        "`--line 'Elapsed time: {*} days {*} hours {*} minutes {time:s} seconds'`",
    ),
    "* O   R   C   A *": (
        "the log of ORCA",
        "`--line 'TOTAL SCF time: {time} sec'`",
    ),
    "ABINIT": ("the log of ABINIT", "`--line 'overall_cpu_time: {cpu_time}' --at p=8`"),
    "<?xml": ("XML", "its tool writes JSON or CSV, too"),
    "<html": ("a page of HTML", "save its table as CSV"),
    "<!DOCTYPE": ("a page of HTML", "save its table as CSV"),
    "%PDF": ("a PDF", "copy its table into a text"),
    "PK\x03": ("a spreadsheet or an archive", "save its table as CSV"),
}
"""Output of tools that no reader knows, by words of it, with another way."""

_GAPS: Final = re.compile(r"[,;|\t]|\s{2,}")
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
_NAME_WITH_NUMBER: Final = re.compile(r"\A[^\s{}]+/\{\*\} ")
_LOOKED_BACK: Final = 40
_TIMED: Final = frozenset(
    {"time", "elapsed", "took", "runtime", "walltime", "duration"}
)


def best_guess(head: str, sentence: str | None) -> str:
    """Return a sentence on what a text looks like, and on a command that reads it.

    Parameters
    ----------
    head
        Its beginning.
    sentence
        The pattern of a line that it repeats, if there is one.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(head.splitlines()[:_MOST_LINES], 1)
        if line.strip()
    ]
    if (named := named_guess(head)) is not None:
        return named
    if sentence is not None:
        return f"it repeats a sentence, which `--line '{sentence}'` reads"
    number, first = lines[0] if lines else (1, "")
    cells = [cell.strip() for cell in _GAPS.split(first)]
    sign = "," if "," in first else " "
    if len(cells) == 1:
        cells = first.split()
    if len(cells) > 1 and all(read_cell(cell).number is not None for cell in cells):
        names = sign.join(["p", "time", *(f"x{at}" for at in range(2, len(cells)))])
        return (
            f"line {number} looks like a table of {len(cells)} columns without a "
            f"header: `sed '1i {names}' FILE | scalewatch model -` names them"
        )
    stated = [
        (number, _NAME_WITH_NUMBER.sub("{region} ", text), values, scales)
        for number, line in lines
        for text, values, scales in [_pattern(line[:_LONGEST])]
    ]
    valued = (each for each in stated if each[2] == 1 and "{*}" not in each[1])
    if (value := next(valued, None)) is not None:
        number, pattern, _, has_scale = value
        scale = (text for _, text, values, scales in stated if scales and not values)
        where = f" --line '{line}'" if (line := next(scale, "")) else " --at p=8"
        return (
            f"it looks like a log that has no reader; line {number} has a value, which "
            f"`--line '{pattern}'{'' if has_scale else where}` reads"
        )
    return (
        f"line {number}, {quoted(first)}, is of no known format, and no line has a "
        "time or a rate with its unit; `scalewatch model --help` lists what is read"
    )


def named_guess(head: str) -> str | None:
    """Return a sentence on the tool that wrote a text, if words of it tell."""
    for number, line in enumerate(head.splitlines()[:_MOST_LINES], 1):
        for words, (guess, way) in _NAMED.items():
            if words in line:
                return f"line {number} looks like {guess}, which has no reader: {way}"
    return None


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
        words = {*line[: number.start()].lower().replace(":", " ").split()}
        # A clock that nothing says to be a duration may be a time of day.
        if ":" not in number[0] or not _TIMED.isdisjoint(words):
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
