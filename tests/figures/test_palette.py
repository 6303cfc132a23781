import re

from scalewatch.figures.colours import PALETTE, SYMBOLS, machine_role, symbol
from scalewatch.resources import bundled

ROLE = re.compile(r"--figure-([\w-]+): light-dark\((#\w{6}), #\w{6}\);")


def test_palette_equals_the_tokens_of_the_light_theme():
    tokens = (bundled("frontend") / "static/css/tokens.css").read_text("utf-8")

    assert dict(ROLE.findall(tokens)) == PALETTE


def test_forty_two_machines_differ_in_colour_or_symbol():
    marks = {(machine_role(slot), symbol(slot)) for slot in range(42)}

    assert len(marks) == 42


def test_every_machine_has_a_colour_of_the_palette():
    assert {machine_role(slot) for slot in range(len(SYMBOLS))} <= PALETTE.keys()
