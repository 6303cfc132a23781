"""The places of a trace in the source: the same for all processes.

Addresses in object files are looked up in their debug data.
"""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.programs import answer_of
from scalewatch_agent.traces.own.definitions import Definitions, Frame
from scalewatch_agent.traces.trace import Site

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
    words = [tool, "-a", "-f", "-i", "-e", str(path)]
    answer = answer_of(words, PATIENCE, question=wanted)
    # Each answer begins with its address, and has two lines for each function.
    answers = _ADDRESS.split(answer.stdout)[1:]
    return [
        (offset, _lines_in(text.splitlines()))
        for offset, text in zip(offsets, answers[len(offsets) :], strict=False)
    ]


def _lines_in(text: Sequence[str]) -> list[SourceLine]:
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


def common_sites(
    all_definitions: Sequence[Definitions], program: Path | None, roots: Sequence[Path]
) -> tuple[list[Site], list[NDArray[np.uint32]]]:
    """Return the places, the unknown one first, and the number of each process's ones.

    Parameters
    ----------
    program
        Stands for object files that are gone: a simulation copies it.
    roots
        Folders of sources, to which files are relative; others go by their name.
    """
    frames = {
        frame
        for each in all_definitions
        for site in each.sites.values()
        for frame in site
    }
    lines = _lines(frames, program)
    numbers: dict[Site, int] = {Site(): 0}
    known: dict[tuple[Frame, ...], int] = {}
    tables = []
    for definitions in all_definitions:
        table = np.zeros(max(definitions.sites, default=0) + 1, np.uint32)
        for number, site in sorted(definitions.sites.items()):
            if site not in known:
                place = _site(site, lines, roots)
                known[site] = numbers.setdefault(place, len(numbers))
            table[number] = known[site]
        tables.append(table)
    return list(numbers), tables


def _lines(
    frames: set[Frame], program: Path | None
) -> Mapping[Frame, Sequence[SourceLine]]:
    addresses = {}
    for frame in frames:
        if frame.offset is not None:
            path = frame.path
            if program is not None and not path.exists():
                path = program
            addresses[frame] = (path, frame.offset)
    known = source_lines(addresses.values())
    lines = {frame: known.get(address, ()) for frame, address in addresses.items()}
    return {
        frame: lines.get(frame) or (SourceLine(frame.function, "", 0),)
        if frame.offset is not None
        else (SourceLine(frame.function, str(frame.path), frame.line),)
        for frame in frames
    }


def _site(
    frames: tuple[Frame, ...],
    lines: Mapping[Frame, Sequence[SourceLine]],
    roots: Sequence[Path],
) -> Site:
    if not frames:
        return Site()
    chain = [line for frame in frames for line in lines[frame]]
    first, path = chain[0], Path(chain[0].file)
    relative = (str(path.relative_to(r)) for r in roots if path.is_relative_to(r))
    # Functions that the first one is inlined into are callers only where asked for.
    callers = [line.function or "?" for line in chain[1:]] if len(frames) > 1 else []
    return Site(
        file=next(relative, path.name) if first.file else "",
        line=first.line,
        caller=first.function or frames[0].function,
        call_path=" < ".join(callers),
    )
