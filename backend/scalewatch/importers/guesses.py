"""Best guesses at files that no reader knows: a line of each, and a way to read it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from scalewatch.importers.sentences import scale_line_of
from scalewatch.importers.source import quoted
from scalewatch.quantities import parse_unit
from scalewatch.texts.cells import read_cell
from scalewatch.texts.patterns import as_literal

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

_NUMBER: Final = re.compile(r"(?<![\w.])\d++(?:\.\d++)?(?:[eE][+-]?\d++)?")
_UNIT: Final = re.compile(r"\s*+(?P<unit>[A-Za-zµ%][\w/%]*)")
_GAPS: Final = re.compile(r"[,;|\t]|\s{2,}")
_TIMED: Final = re.compile(
    r"(?:time|elapsed|duration|took|wall)[ \w]*[:=]?\s*+"
    r"(?P<clock>\d++:\d\d(?::\d\d)?(?:\.\d++)?)\Z",
    re.IGNORECASE,
)
"""A duration as a clock shows it, at the end of a line that says that it is one."""

_LONGEST: Final = 200
_MOST_LINES: Final = 400


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
    if (valued := next(_valued(lines), None)) is not None:
        number, pattern = valued
        scale = scale_line_of(line for _, line in lines)
        where = f"--line '{scale}'" if scale else "--at p=8"
        return (
            f"it looks like a log that has no reader; line {number} has a value, which "
            f"`--line '{pattern}' {where}` reads"
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


def _valued(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines with a number and the unit of a time or a rate, as patterns."""
    for number, line in lines:
        if (timed := _TIMED.search(line[:_LONGEST])) is not None:
            before = " ".join(as_literal(line[: timed.start("clock")]).split())
            if not _NUMBER.search(before):
                yield number, f"{before} {{time:s}}"
        for value in _NUMBER.finditer(line[:_LONGEST]):
            unit = _UNIT.match(line, value.end())
            known = parse_unit(unit["unit"]) if unit else None
            words = line[: value.start()].split()[-4:]
            if known is None or not known.is_known or not words:
                continue
            dimension = dict(known.dimension)
            if dimension == {"s": 1} or known.is_rate:
                hole = "{rate}" if known.is_rate else "{time}"
                before = as_literal(" ".join(words))
                if len(words) == 1 and line.startswith(words[0]):
                    before = "{region}"
                if not _NUMBER.search(before):
                    yield number, f"{before} {hole} {unit['unit']}"  # type: ignore[index]
