"""Colours by role; the light theme's, equal to `--figure-*` in tokens.css.

Each trace carries its role as `meta`, so that the browser can repaint it for the
dark theme. Machines have the colours of Okabe and Ito, which people who see colours
differently can tell apart, and a symbol besides.
"""

from typing import Final

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
