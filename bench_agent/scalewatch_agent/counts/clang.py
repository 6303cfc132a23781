"""Count by what clang puts into a program: functions and bodies of loops.

clang counts regions of the source, and `llvm-cov export` says how often each was
entered; which of them are bodies of loops says the source itself.
"""

import json
import re
import shutil
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.counts import programs, regions
from scalewatch_agent.counts.counting import Method, Tally
from scalewatch_agent.experiments.launchers.jobs import Request
from scalewatch_agent.programs import answer_of

FLAGS: Final = "-g -grecord-command-line -fprofile-instr-generate -fcoverage-mapping"
"""Flags by which clang counts before it optimises, and notes how it compiled."""

CODE: Final = 0
"""The kind of regions that are counted; others are expansions and gaps."""

MAPPING: Final = b"__llvm_covmap"
"""The part of a program that says what its counters count."""

PATIENCE: Final = 600


class Clang(Method):
    """Counts functions and loops of programs that clang has compiled with `FLAGS`."""

    title = "clang"
    flags = FLAGS
    variable = "LLVM_PROFILE_FILE"
    suffix = ".%p.%m.profraw"
    advice = (
        "no counts were written: compile and link the program with what "
        "`scalewatch-agent count --method clang --flags` prints ({cflags} in an "
        "experiment), and let it end by exit, or by returning from main"
    )

    def tally(
        self, prefix: Path, request: Request, roots: tuple[Path, ...]
    ) -> Tally | None:
        """Return the counts of all processes that have written some."""
        files = programs.written_at(prefix, ".profraw")
        if not files:
            return None
        signatures = {file.name.split(".")[-2] for file in files}
        if len(signatures) > 1:
            raise regions.Uncountable(
                "two programs, or a program and a library, have counted in one job: "
                "count one alone, and compile the others without counters"
            )
        program = _program(request)
        merged = prefix.with_name(f"{prefix.name}.profdata")
        _tool("llvm-profdata", program, "merge", "-o", merged, *files)
        coverage = _tool(
            "llvm-cov", program, "export", "-instr-profile", merged, program
        )
        functions = list(
            _functions(json.loads(coverage)["data"][0]["functions"], roots)
        )
        sources = {each.place.file for each in functions}
        programs.check_sources(sources, program, program.stat().st_mtime)
        return Tally(functions, {program.name: len(files)})


def _program(request: Request) -> Path:
    """Return the program that a job has started, which says what was counted."""
    for path in programs.files_in(request):
        if counts_regions(path):
            return path
    raise regions.Uncountable(
        "no word of the command names the program that has counted: start it by its "
        "path, not by a script"
    )


def counts_regions(program: Path) -> bool:
    """Tell whether clang has compiled a program with `FLAGS`."""
    return MAPPING in program.read_bytes()


def _tool(name: str, program: Path, *words: str | Path) -> str:
    """Return what a tool says, that of the compiler's own version if it is there."""
    (compiler, *_) = programs.build_of(program, program.stat().st_mtime).compilers or (
        "",
    )
    major = compiler.rpartition(" ")[2].partition(".")[0]
    tool = shutil.which(f"{name}-{major}") or shutil.which(name)
    if tool is None:
        raise regions.Uncountable(
            f"{name} is not installed, which comes with clang as `llvm`"
        )
    answer = answer_of([tool, *map(str, words)], PATIENCE)
    if answer.returncode:
        said = answer.stderr.strip().splitlines() or ["it gives no reason"]
        raise regions.Uncountable(f"{name} cannot read the counts: {said[-1]}")
    return answer.stdout


def _functions(
    entries: Sequence[Mapping[str, Any]], roots: tuple[Path, ...]
) -> Iterator[regions.Function]:
    """Yield the functions of sources below the roots."""
    in_sources = [
        (each["name"].rpartition(":")[2], Path(each["filenames"][0]), each)
        for each in entries
        if regions.is_below(Path(each["filenames"][0]), roots)
    ]
    names = regions.written_names((name, file) for name, file, _ in in_sources)
    for name, file, entry in in_sources:
        counts = {
            (region[0], region[1]): region[4]
            for region in reversed(entry["regions"])
            if region[5] == 0 and region[7] == CODE
        }
        first, last = entry["regions"][0][:2], entry["regions"][0][2:4]
        try:
            bodies = bodies_in(file, file.stat().st_mtime)
        except OSError:
            bodies = ()
        yield regions.Function(
            name=names[name, file],
            place=regions.Place(file, first[0]),
            calls=entry["count"],
            parts=tuple(
                regions.Part(
                    regions.LOOP, regions.Place(file, body.line), counts[body.start]
                )
                for body in bodies
                if body.start in counts and tuple(first) < body.start < tuple(last)
            ),
        )


TOKEN: Final = re.compile(
    r"""
    (?P<blank> \s+ | //(?:\\\n|[^\n])* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])* )
    | R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | \d(?:[\w.]|'(?=\w))* | \w+ | .
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""A word, a literal or a sign; blanks are comments and directives, too."""


@dataclass(frozen=True, slots=True)
class Body:
    """The loop's line, and line and column, from 1, at which its body begins."""

    line: int
    start: tuple[int, int]


@lru_cache(maxsize=1024)
def bodies_in(file: Path, modified: float) -> tuple[Body, ...]:  # noqa: ARG001 - of the cache
    """Return the bodies of the loops of a file, of this time of modification."""
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ()
    tokens = [each for each in TOKEN.finditer(text) if each["blank"] is None]
    place = _Places(text)
    return tuple(
        Body(place(tokens[keyword].start())[0], place(tokens[body].start()))
        for keyword, body in _loops([each[0] for each in tokens])
        if body < len(tokens)
    )


def _loops(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of a loop's keyword and of the first word of its body."""
    for at, word in enumerate(words):
        if word == "do":
            yield at, at + 1
        elif word in {"for", "while"} and words[at + 1 : at + 2] == ["("]:
            depth = 0
            for end in range(at + 1, len(words)):
                depth += {"(": 1, ")": -1}.get(words[end], 0)
                if not depth:
                    yield at, end + 1
                    break


class _Places:
    """Lines and columns, in bytes as clang counts them, of places in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(at for at, sign in enumerate(text, 1) if sign == "\n")]

    def __call__(self, place: int) -> tuple[int, int]:
        line = bisect_right(self.starts, place)
        before = self.text[self.starts[line - 1] : place]
        return line, len(before.encode("utf-8", errors="surrogateescape")) + 1
