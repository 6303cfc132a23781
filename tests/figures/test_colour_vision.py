"""Colours that mean something are told apart by people who see colours differently.

References
----------
G. M. Machado et al., "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15 (2009), matrices for a severity of 1.
"""

import re
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from scalewatch.figures.colours import GROWTH_CLASSES, HUES, PALETTE
from scalewatch.resources import bundled

SEEN = {
    "full vision": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}

LAB = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = LAB.sum(axis=1)

JUST_TOLD_APART = 8.0
"""Distance in CIELAB of patches of colour that nobody confuses side by side."""

VERDICTS = ("match", "approximate", "mismatch", "undecided")


def linear(colour: str) -> np.ndarray:
    """Return the linear red, green and blue of `#rrggbb`."""
    channels = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )


def lab(light: np.ndarray) -> np.ndarray:
    ratio = LAB @ np.clip(light, 0, 1) / WHITE
    bent = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    x, y, z = bent
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, seen: np.ndarray) -> float:
    return float(np.linalg.norm(lab(seen @ linear(one)) - lab(seen @ linear(other))))


def token(name: str) -> str:
    style = (bundled("frontend") / "static" / "css" / "tokens.css").read_text("utf-8")
    return re.search(rf"--{name}: (?:light-dark\()?(#[0-9a-f]{{6}})", style)[1]


@pytest.mark.parametrize("vision", SEEN)
def test_verdicts_are_told_apart_by_colour_too(vision):
    colours = {name: token(f"verdict-{name}") for name in VERDICTS}

    close = [
        pair
        for pair in combinations(colours, 2)
        if distance(*(colours[name] for name in pair), SEEN[vision]) < JUST_TOLD_APART
    ]

    assert close == []


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("theme", [1, 2], ids=["light", "dark"])
def test_machines_are_told_apart_by_colour_as_well_as_by_symbol(theme, vision):
    style = (bundled("frontend") / "static" / "css" / "tokens.css").read_text("utf-8")
    both = r"--figure-machine-\d: light-dark\((#\w{6}), (#\w{6})\)"
    colours = [found[theme] for found in re.finditer(both, style)]

    close = [
        pair
        for pair in combinations(colours, 2)
        if distance(*pair, SEEN[vision]) < JUST_TOLD_APART
    ]

    assert len(colours) == HUES + 1
    assert close == []


@pytest.mark.parametrize("theme", [1, 2], ids=["light", "dark"])
def test_no_machine_is_blue_or_orange(theme):
    style = (bundled("frontend") / "static" / "css" / "tokens.css").read_text("utf-8")
    both = r"--figure-{}: light-dark\((#\w{{6}}), (#\w{{6}})\)"
    machines, meaning = (
        [found[theme] for found in re.finditer(both.format(name), style)]
        for name in (r"machine-\d", "(?:better|worse|below|above)")
    )

    nearest = min(
        distance(*pair, SEEN["full vision"]) for pair in product(machines, meaning)
    )

    assert len(meaning) == 4
    assert nearest > 3 * JUST_TOLD_APART


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("theme", [1, 2], ids=["light", "dark"])
def test_neighbours_on_the_ramp_of_growths_are_told_apart(theme, vision):
    style = (bundled("frontend") / "static" / "css" / "tokens.css").read_text("utf-8")
    both = r"--figure-growth-\d: light-dark\((#\w{6}), (#\w{6})\)"
    ramp = [found[theme] for found in re.finditer(both, style)]

    close = [
        pair
        for pair in pairwise(ramp)
        if distance(*pair, SEEN[vision]) < JUST_TOLD_APART
    ]

    assert len(ramp) == len(GROWTH_CLASSES)
    assert close == []


@pytest.mark.parametrize("vision", SEEN)
def test_time_lost_and_time_won_have_colours_of_their_own(vision):
    assert distance(PALETTE["below"], PALETTE["above"], SEEN[vision]) > 30
    assert distance(PALETTE["worse"], PALETTE["better"], SEEN[vision]) > 30
