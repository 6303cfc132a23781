"""Colours by role, the styles of lines, and the ramp of growth classes.

Colours are the light theme's, equal to `--figure-*` in tokens.css. Each trace carries
its role as `meta`, so that the browser can repaint it for the dark theme.

Blue and orange mean better and worse and nothing else. The first `HUES` machines have
hues between them, which people who see colours differently can tell apart, and a
symbol besides. A hue is never given twice: later machines are grey, and differ by
their dashes, their symbols and their names at the ends of their lines.

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
    "machine-0": "#663b90",
    "machine-1": "#3a8648",
    "machine-2": "#d01b70",
    "machine-3": "#948f26",
    "machine-4": "#389fa0",
    "machine-5": "#571a2e",
    "machine-6": "#000000",
    "machine-7": "#666e77",
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


HUES: Final = len(SYMBOLS)
"""Machines with a hue of their own; the role that follows is grey, for all others."""

GREY: Final = f"machine-{HUES}"

DASHES: Final = (
    "solid",
    *(
        ",".join([*["8px,3px"] * long, *["2px,3px"] * short])
        for long, short in (
            *((1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2)),
            *((4, 1), (1, 4), (3, 2), (2, 3)),
        )
    ),
)
"""Lines of the configurations of one machine, and of machines without a hue."""


@dataclass(frozen=True, slots=True)
class Style:
    """Colour role and dash of a line, which set it apart beside its symbol."""

    role: str
    dash: str = "solid"


def machine_role(slot: int) -> str:
    """Return the role of the machine that appeared as number `slot`."""
    return f"machine-{min(slot, HUES)}"


def symbol(slot: int) -> str:
    """Return the marker of the machine that appeared as number `slot`."""
    return SYMBOLS[slot % len(SYMBOLS)]


def machine_dash(slot: int) -> str:
    """Return the line of the machine that appeared as number `slot`."""
    return DASHES[_dash(slot)]


def styles(places: Sequence[tuple[int, int]]) -> list[Style]:
    """Return a style for each: the colour of its machine, a dash for its position.

    Where several are of one machine alone, each has a colour of its own as long as
    there are hues. No two of up to twelve lines of a colour have the same dash.

    Parameters
    ----------
    places
        Position of the machine among the project's, and that of the configuration
        among the machine's.
    """
    if len(places) > 1 and len({slot for slot, _ in places}) == 1:
        wanted = [((slot + at) % HUES if at < HUES else at, 0) for slot, at in places]
    else:
        wanted = [*places]
    taken: dict[str, list[int]] = defaultdict(list)
    chosen = []
    for slot, position in wanted:
        role, first = machine_role(slot), _dash(slot) + position
        free = [(first + more) % len(DASHES) for more in range(len(DASHES))]
        dash = next((each for each in free if each not in taken[role]), free[0])
        taken[role].append(dash)
        chosen.append(Style(role, DASHES[dash]))
    return chosen


def _dash(slot: int) -> int:
    """Return the number of the dash of a machine; those without a hue begin dashed."""
    return 0 if slot < HUES else (slot - HUES + 1) % len(DASHES)


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
