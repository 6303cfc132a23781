"""Addresses in object files as function, file and line, from their debug data."""

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOOLS: Final = ("addr2line", "llvm-addr2line")
PATIENCE: Final = 120
_ADDRESS: Final = re.compile(r"^0x[0-9a-f]+\n", re.MULTILINE)
_PLACE: Final = re.compile(r"(?P<file>.*):(?P<line>\d+|\?)(?: \(discriminator \d+\))?")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of source; empty where nobody knows it."""

    function: str = ""
    file: str = ""
    line: int = 0


Address = tuple[Path, int]


def source_lines(
    addresses: Iterable[Address],
) -> Mapping[Address, Sequence[SourceLine]]:
    """Return the lines of addresses, with the functions that they are inlined into.

    Addresses are those to which calls return, so that the calls end just before.
    Nothing is known of files that are gone, or without a program that reads them.
    """
    tool = next(filter(None, map(shutil.which, TOOLS)), None)
    by_file = defaultdict(set)
    for path, offset in addresses:
        if path.is_file():
            by_file[path].add(offset)
    known: dict[Address, Sequence[SourceLine]] = {}
    for path, offsets in by_file.items() if tool else ():
        assert tool is not None
        for offset, lines in _of_file(tool, path, sorted(offsets)):
            known[path, offset] = lines
    return known


def _of_file(
    tool: str, path: Path, offsets: Sequence[int]
) -> Iterable[tuple[int, Sequence[SourceLine]]]:
    # GNU's first answer about a procedure that is inlined in Fortran names what it is
    # inlined into, the next ones that procedure: the second answers count.
    wanted = "".join(f"{offset - 1:#x}\n" for offset in offsets) * 2
    try:
        answer = subprocess.run(  # noqa: S603 - found on PATH
            [tool, "-a", "-f", "-i", "-e", str(path)],
            input=wanted,
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    # Each answer begins with its address, and has two lines for each function.
    answers = _ADDRESS.split(answer.stdout)[1:]
    return [
        (offset, _lines(text.splitlines()))
        for offset, text in zip(offsets, answers[len(offsets) :], strict=False)
    ]


def _lines(text: Sequence[str]) -> list[SourceLine]:
    lines = []
    for function, place in zip(text[::2], text[1::2], strict=False):
        match = _PLACE.fullmatch(place)
        file = match["file"] if match else ""
        number = match["line"] if match else "?"
        lines.append(
            SourceLine(
                "" if function == "??" else function,
                "" if file == "??" else file,
                int(number) if number.isdecimal() else 0,
            )
        )
    return lines
