import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import MissingParameter, OutsideDomain
from scalewatch.modelling import CONSTANT, Growth
from support.strategies import exponents, growths

LOG = Growth.of("p", log=1)
SQRT = Growth.of("p", power="1/2")
LINEAR = Growth.of("p", power=1)
LINEARITHMIC = Growth.of("p", power=1, log=1)
EXPONENTIAL = Growth.of("p", exp2=1)
INVERSE = Growth.of("p", power=-1)

quarters = st.fractions(min_value=-4, max_value=4, max_denominator=4).filter(
    lambda exponent: 4 % exponent.denominator == 0
)


def test_growths_are_ordered_by_dominance():
    shuffled = [EXPONENTIAL, SQRT, LINEARITHMIC, CONSTANT, LINEAR, INVERSE, LOG]

    assert sorted(shuffled) == [
        INVERSE,
        CONSTANT,
        LOG,
        SQRT,
        LINEAR,
        LINEARITHMIC,
        EXPONENTIAL,
    ]


@given(st.tuples(quarters, quarters, quarters), st.tuples(quarters, quarters, quarters))
def test_the_larger_growth_is_larger_from_some_process_count_on(one, other):
    slow, fast = sorted([Growth.of("p", *one), Growth.of("p", *other)])

    # At p = 2^900 a quarter of a power weighs 225 in the binary logarithm, all that
    # logarithms can weigh here is 8 log₂ 900 = 79.
    assert (fast / slow).log2(p=2.0**900) >= 0


@given(growths(), growths(), growths())
def test_order_is_kept_under_multiplication(one, other, factor):
    slow, fast = sorted([one, other])

    if slow.dominates(fast) or fast.dominates(slow):
        assert slow * factor <= fast * factor


@given(growths(), growths())
def test_domination_extends_to_the_order(one, other):
    if one.dominates(other):
        assert one >= other


@given(growths(), growths(), growths())
def test_growths_form_a_commutative_group(one, other, third):
    assert one * other == other * one
    assert (one * other) * third == one * (other * third)
    assert one * CONSTANT == one
    assert one / one == CONSTANT
    assert one / other * other == one


@given(growths(), exponents)
def test_a_power_multiplies_each_exponent(growth, exponent):
    assert growth**exponent * growth == growth ** (exponent + 1)


@given(growths())
def test_equal_growths_have_equal_hashes_even_after_a_round_trip(growth):
    assert hash(pickle.loads(pickle.dumps(growth))) == hash(growth)  # noqa: S301
    assert copy.copy(growth) == growth


def test_factors_are_merged_sorted_and_dropped_when_neutral():
    growth = Growth.of("p", log=1) * Growth.of("n", power=2) * Growth.of("p", power=1)

    assert growth.parameters == ("n", "p")
    assert growth.factor("p").power == 1
    assert growth.factor("p").log == 1
    assert growth / Growth.of("n", power=2) == LINEARITHMIC


def test_incomparable_growths_do_not_dominate_each_other():
    rows, columns = Growth.of("n", power=1), Growth.of("m", power=1)

    assert not rows.dominates(columns)
    assert not columns.dominates(rows)
    assert (rows * columns).dominates(rows)


@pytest.mark.parametrize(
    ("growth", "closed_form"),
    [
        (CONSTANT, np.ones_like),
        (LOG, np.log2),
        (SQRT, np.sqrt),
        (LINEARITHMIC, lambda p: p * np.log2(p)),
        (Growth.of("p", power=3, exp2="1/2"), lambda p: p**3 * 2 ** (p / 2)),
        (SQRT / LOG, lambda p: np.sqrt(p) / np.log2(p)),
    ],
    # An identifier that holds an address would differ from process to process.
    ids=lambda value: str(value) if isinstance(value, Growth) else "closed form",
)
def test_a_growth_evaluates_to_its_closed_form(growth, closed_form):
    p = np.array([2.0, 3.0, 64.0, 100.0])

    np.testing.assert_allclose(growth({"p": p}) * np.ones(4), closed_form(p), 1e-12)


def test_settings_may_have_any_shape_and_be_named():
    growth = Growth.of("p", power=1) * Growth.of("n", power=2)

    grid = growth(p=[[2.0], [4.0]], n=[1.0, 10.0])

    np.testing.assert_allclose(grid, [[2, 200], [4, 400]])


def test_a_value_beyond_all_numbers_is_infinite():
    assert EXPONENTIAL(p=5000) == np.inf
    assert EXPONENTIAL.log2(p=5000) == 5000
    assert (EXPONENTIAL**3)(p=1.7e308) == np.inf


def test_zero_processes_have_a_value_only_where_mathematics_gives_one():
    assert LINEAR(p=0) == 0
    assert LOG(p=1) == 0
    assert EXPONENTIAL(p=-1) == 0.5


@pytest.mark.parametrize(
    ("growth", "p"), [(LOG, 0), (LOG, 0.5), (INVERSE, 0), (SQRT, -1), (SQRT / LOG, 1)]
)
def test_a_setting_without_a_value_is_reported_with_the_evidence(growth, p):
    assert not growth.is_defined(p=p)
    with pytest.raises(OutsideDomain, match=f"not defined at p = {p}") as failure:
        growth(p=[2, p])
    assert failure.value.setting == p
    assert failure.value.parameter == "p"


def test_a_parameter_without_a_setting_is_reported_by_name():
    with pytest.raises(MissingParameter, match="no setting of n") as failure:
        Growth.of("n", power=1)(p=4)
    assert failure.value.parameter == "n"


@given(growths(), st.floats(min_value=2, max_value=64))
def test_the_quotient_evaluates_to_the_quotient_of_the_values(growth, setting):
    other = Growth.of("p", power="1/3", log=1)
    settings = {"p": setting, "n": setting}

    quotient = (growth / other).log2(settings)

    expected = growth.log2(settings) - other.log2(settings)
    np.testing.assert_allclose(quotient, expected, atol=1e-9)


def test_exponents_are_exact():
    third = Growth.of("p", power="1/3")

    assert third * third * third == LINEAR
    assert Growth.of("n", power="2.8074").factor("n").power == Fraction(28074, 10000)
