from itertools import pairwise

import pytest

from scalewatch.figures.colours import GROWTH_CLASSES, PALETTE, class_of_text
from scalewatch.modelling import parse_growth

ORDERED = {
    "p^-1": "falls",
    "1": "1",
    "log p": "log p",
    "log^2 p": "log p",
    "p^(1/3)": "≤ √p",
    "p^(1/2)": "≤ √p",
    "p^(1/2) log p": "< p",
    "p": "p",
    "p log p": "< p²",
    "p^(3/2)": "< p²",
    "p^2": "≥ p²",
    "p^3": "≥ p²",
    "2^p": "2^p",
}


@pytest.mark.parametrize(("growth", "label"), ORDERED.items())
def test_growth_has_the_class_of_its_order(growth, label):
    assert class_of_text(growth).label == label


def test_classes_follow_the_order_of_dominance():
    growths = sorted(ORDERED, key=parse_growth)
    steps = [class_of_text(growth).step for growth in growths]

    assert all(one <= other for one, other in pairwise(steps))
    assert {*steps} == {each.step for each in GROWTH_CLASSES}


def test_class_does_not_depend_on_the_name_of_the_parameter():
    assert class_of_text("n log n") is class_of_text("p log p")


def test_no_growth_has_no_class():
    assert class_of_text(None) is None


def test_each_class_has_a_colour():
    assert {each.role for each in GROWTH_CLASSES} <= PALETTE.keys()
