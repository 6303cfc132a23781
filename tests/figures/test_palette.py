import re

from scalewatch.figures.colours import (
    GREY,
    HUES,
    PALETTE,
    machine_dash,
    machine_role,
    symbol,
)
from scalewatch.resources import bundled

ROLE = re.compile(r"--figure-([\w-]+): light-dark\((#\w{6}), #\w{6}\);")


def test_palette_equals_the_tokens_of_the_light_theme():
    tokens = (bundled("frontend") / "static/css/tokens.css").read_text("utf-8")

    assert dict(ROLE.findall(tokens)) == PALETTE


def test_forty_two_machines_differ_in_colour_symbol_or_dash():
    marks = {(machine_role(at), symbol(at), machine_dash(at)) for at in range(42)}

    assert len(marks) == 42


def test_every_machine_has_a_colour_of_the_palette():
    assert {machine_role(slot) for slot in range(42)} <= PALETTE.keys()


def test_no_hue_is_given_twice():
    hues = [machine_role(slot) for slot in range(HUES)]

    assert len({*hues}) == HUES
    assert {machine_role(slot) for slot in range(HUES, 42)} == {GREY}


def test_what_is_drawn_is_not_blue_like_links():
    folder = bundled("frontend") / "static/css"
    drawn = re.compile(r"(?:fill|stroke|background-image)\w*: [^;]*--accent")
    sheets = {path.name: path.read_text("utf-8") for path in folder.iterdir()}

    assert [name for name, style in sheets.items() if drawn.search(style)] == []
