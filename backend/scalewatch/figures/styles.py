"""What tells the lines of a figure apart: the colour of a machine, and a dash."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.figures.palette import COLOURS, machine_role

DASHES: Final = ("solid", "8px,3px", "2px,3px", "8px,3px,2px,3px")
"""Lines of the configurations of one machine, and of machines that share a colour."""


@dataclass(frozen=True, slots=True)
class Style:
    """What tells one line from the others of a figure, besides its symbol."""

    role: str
    dash: str = "solid"


def styles(places: Sequence[tuple[int, int]]) -> list[Style]:
    """Return a style for each: the colour of its machine, a dash for its position.

    Where all are of one machine, each has a colour of its own.

    Parameters
    ----------
    places
        Position of the machine among the project's, and that of the configuration
        among the machine's.
    """
    if len({slot for slot, _ in places}) == 1:
        return [Style(machine_role(slot + position)) for slot, position in places]
    return [
        Style(machine_role(slot), DASHES[(slot // COLOURS + position) % len(DASHES)])
        for slot, position in places
    ]
