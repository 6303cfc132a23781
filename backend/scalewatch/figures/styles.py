"""Styles of lines: the colour of a machine, and a dash."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.figures.palette import COLOURS, machine_role

DASHES: Final = ("solid", "8px,3px", "2px,3px", "8px,3px,2px,3px")
"""Lines of the configurations of one machine, and of machines that share a colour."""


@dataclass(frozen=True, slots=True)
class Style:
    """Colour role and dash of a line, which set it apart beside its symbol."""

    role: str
    dash: str = "solid"


def machine_dash(slot: int) -> str:
    """Return the line of the machine that appeared as number `slot`."""
    return DASHES[slot // COLOURS % len(DASHES)]


def styles(places: Sequence[tuple[int, int]]) -> list[Style]:
    """Return a style for each: the colour of its machine, a dash for its position.

    Where all are of one machine, each has a colour of its own. No two of up to four
    lines of a colour have the same dash.

    Parameters
    ----------
    places
        Position of the machine among the project's, and that of the configuration
        among the machine's.
    """
    if len({slot for slot, _ in places}) == 1:
        wanted = [(slot + at, at // COLOURS) for slot, at in places]
    else:
        wanted = [(slot, slot // COLOURS + at) for slot, at in places]
    taken: dict[str, list[int]] = defaultdict(list)
    for slot, dash in wanted:
        free = (dash + more for more in range(len(DASHES)))
        others = taken[machine_role(slot)]
        others.append(
            next((_line(at) for at in free if _line(at) not in others), _line(dash))
        )
    return [
        Style(role, DASHES[taken[role].pop(0)])
        for role in (machine_role(slot) for slot, _ in wanted)
    ]


def _line(dash: int) -> int:
    return dash % len(DASHES)
