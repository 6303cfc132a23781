"""The places of a trace in the source: the same for all processes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.own.definitions import Definitions, Frame
from scalewatch_agent.traces.own.symbols import SourceLine, source_lines
from scalewatch_agent.traces.trace import Site


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
    first = chain[0]
    # Functions that the first one is inlined into are callers only where asked for.
    callers = [line.function or "?" for line in chain[1:]] if len(frames) > 1 else []
    return Site(
        file=_relative(first.file, roots),
        line=first.line,
        caller=first.function or frames[0].function,
        call_path=" < ".join(callers),
    )


def _relative(file: str, roots: Sequence[Path]) -> str:
    if not file:
        return ""
    path = Path(file)
    for root in roots:
        if path.is_relative_to(root):
            return str(path.relative_to(root))
    return path.name
