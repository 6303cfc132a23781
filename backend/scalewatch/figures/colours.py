"""Colours by role, the styles of lines, and the ramp of growth classes.

Colours are the light theme's, equal to `--figure-*` in tokens.css. Each trace carries
its role as `meta`, so that the browser can repaint it for the dark theme. Machines have
the colours of Okabe and Ito, which people who see colours differently can tell apart,
and a symbol besides.

The ramp is fixed, ordered and the same on all pages. A class is a range of growths in
the order of dominance, with a colour of viridis from light (falls) to dark
(exponential), so that a step along the ramp is a step in growth. Several parameters are
classed as if they grew together.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final

from scalewatch.modelling import Growth, parse_growth

PALETTE: Final = {
    "ink": "#1b1f24",
    "quiet": "#59616b",
    "grid": "#e5e5e0",
    "expectation": "#59616b",
    "surface": "#ffffff",
    "band": "#ececea",
    "below": "#3d8fc4",
    "above": "#e8902c",
    "worse": "#d55e00",
    "better": "#0072b2",
    "machine-0": "#0072b2",
    "machine-1": "#cc79a7",
    "machine-2": "#009e73",
    "machine-3": "#e69f00",
    "machine-4": "#56b4e9",
    "machine-5": "#d55e00",
    "machine-6": "#000000",
    "growth-0": "#fde725",
    "growth-1": "#addc30",
    "growth-2": "#5ec962",
    "growth-3": "#28ae80",
    "growth-4": "#21918c",
    "growth-5": "#2c728e",
    "growth-6": "#3b528b",
    "growth-7": "#472d7b",
    "growth-8": "#440154",
}

SYMBOLS: Final = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "triangle-down",
    "cross",
    "x",
)


COLOURS: Final = len(SYMBOLS)
"""Machines with a colour of their own; the next ones begin another round."""


def machine_role(slot: int) -> str:
    """Return the role of the machine that appeared as number `slot`."""
    return f"machine-{slot % len(SYMBOLS)}"


def symbol(slot: int) -> str:
    """Return the marker of the machine that appeared as number `slot`.

    It shifts once per round of colours: no two of 42 machines share both.
    """
    return SYMBOLS[(slot + slot // len(SYMBOLS)) % len(SYMBOLS)]


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


MORE: Final = 1e-9
"""An exponent above the one that a class ends with."""

_STARTS: Final = (
    ((-inf, -inf, -inf), "falls"),
    ((0, 0, 0), "1"),
    ((0, 0, MORE), "log p"),
    ((0, MORE, -inf), "≤ √p"),
    ((0, 0.5, MORE), "< p"),
    ((0, 1, 0), "p"),
    ((0, 1, MORE), "< p²"),
    ((0, 2, 0), "≥ p²"),
    ((MORE, -inf, -inf), "2^p"),
)
"""Exponents k, i, j of 2^(kp) p^i log^j p that a class begins with, and its label."""


@dataclass(frozen=True, slots=True)
class GrowthClass:
    """A step of the ramp.

    Parameters
    ----------
    step
        Place on the ramp, 0 for the slowest growths.
    label
        The class in words, as growths over p.
    """

    step: int
    label: str

    @property
    def role(self) -> str:
        """Its colour's role in `PALETTE` and, after `--figure-`, in tokens.css."""
        return f"growth-{self.step}"


GROWTH_CLASSES: Final = tuple(
    GrowthClass(step, label) for step, (_, label) in enumerate(_STARTS)
)


@lru_cache(maxsize=4096)
def growth_class(growth: Growth) -> GrowthClass:
    """Return the class of a growth."""
    exponents = tuple(
        float(sum(factor.order[rank] for factor in growth.factors)) for rank in range(3)
    )
    place = bisect_right(_STARTS, exponents, key=lambda start: start[0])
    return GROWTH_CLASSES[place - 1]


@lru_cache(maxsize=4096)
def class_of_text(growth: str | None) -> GrowthClass | None:
    """Return the class of a growth that is kept as text; None where there is none."""
    return None if growth is None else growth_class(parse_growth(growth))
