"""Composed models: text to parts, parts to numbers with units."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import BadExpression, UnitsUnfit
from scalewatch.modelling.compositions.composed import Quantity, evaluate
from scalewatch.modelling.compositions.formula import (
    NUMBER,
    Unit,
    parse_formula,
    parse_unit,
)

SECONDS = Unit((("s", Fraction(1)),))
VALUES = {
    "N": Quantity(np.array([100.0, 400.0]), NUMBER),
    "triad": Quantity(np.array([2e9, 4e9]), NUMBER / SECONDS),
    "parallel": Quantity(np.array([1e-6, 2e-6]), SECONDS),
    "power": Quantity(np.array([5.0, 5.0]), Unit((("W", Fraction(1)),))),
}


def value(text):
    return evaluate(parse_formula(text), VALUES.__getitem__)


def test_model_of_the_paper_comes_to_seconds():
    found = value("13*8*N/triad + 2*parallel")

    assert found.unit == SECONDS
    assert found.values == pytest.approx(
        [13 * 8 * 100 / 2e9 + 2e-6, 13 * 8 * 400 / 4e9 + 4e-6]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3*4", 14),
        ("(2 + 3)*4", 20),
        ("8/4/2", 1),
        ("8 - 4 - 2", 2),
        ("-2^2", -4),
        ("2**3", 8),
        ("4^(1/2)", 2),
        ("2^-1", 0.5),
        ("4^(-1/2)", 0.5),
        ("sqrt(16) + log(8)", 7),
        ("1.5e3 × 2 · 2", 6000),
    ],
)
def test_arithmetic_is_the_usual_one(text, expected):
    assert float(value(text).values) == pytest.approx(expected)
    assert value(text).unit is None


def test_names_are_regions_metrics_and_quoted_text():
    formula = parse_formula('2*triad:bandwidth + "Bcast (binary tree)" + log + sqrt(x)')

    assert formula.names == ("triad:bandwidth", "Bcast (binary tree)", "log", "x")


def test_written_numbers_take_the_unit_that_they_are_added_to():
    assert value("1e-6 + parallel").unit == SECONDS
    assert value("parallel - 2*3").unit == SECONDS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("N + parallel", "N is in a number, but parallel is in s"),
        ("parallel + triad", "parallel is in s, but triad is in 1/s"),
        ("parallel*power + parallel", "parallel*power is in W s, but parallel is in s"),
        ("log(parallel)", "parallel is in s, but log(parallel) takes a number"),
    ],
)
def test_units_that_do_not_fit_are_named_with_their_parts(text, words):
    with pytest.raises(UnitsUnfit, match="units do not fit") as unfit:
        value(text)

    assert words in str(unfit.value)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("2*", 2),
        ("2 * (3 + 4", 10),
        ("13*/N", 3),
        ("2 3", 2),
        ("a ? b", 2),
        ("N^x", 2),
        ("N^(1/0)", 6),
        ("(" * 60 + "1" + ")" * 60, 50),
        ("1+" * 2000 + "1", 0),
    ],
)
def test_text_that_is_no_formula_is_refused_at_its_position(text, position):
    with pytest.raises(BadExpression) as bad:
        parse_formula(text)

    assert bad.value.position == position


@given(st.text(alphabet='0123456789.eE+-*/^() abN"log:', max_size=30))
def test_any_text_is_a_formula_or_refused(text):
    try:
        formula = parse_formula(text)
    except BadExpression:
        return
    assert parse_formula(formula.text) == formula


@pytest.mark.parametrize(
    ("text", "size", "unit"),
    [
        ("s", 1, SECONDS),
        ("µs", 1e-6, SECONDS),
        ("B/s", 1, NUMBER / SECONDS),
        ("GB/s", 1e9, NUMBER / SECONDS),
        ("MiB/s", 2**20, NUMBER / SECONDS),
        ("Gflop/s", 1e9, NUMBER / SECONDS),
        ("1", 1, NUMBER),
        ("kB", 1e3, NUMBER),
        ("%", 0.01, NUMBER),
        ("J", 1, Unit((("J", Fraction(1)),))),
    ],
)
def test_units_have_a_size_and_dimensions(text, size, unit):
    found = parse_unit(text)

    assert found[0] == pytest.approx(size)
    assert found[1] == unit
    assert math.isfinite(found[0])
