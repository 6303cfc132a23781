from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import NotOneParameter
from scalewatch.modelling import (
    CONSTANT,
    Growth,
    Space,
    default_deviation_limit,
    mpi_study,
    parse_growth,
    pmnf,
    ruler,
    search_space,
)


def written(space):
    return [str(growth) for growth in space]


def test_linear_expectation_gives_the_set_printed_in_the_paper():
    assert written(search_space(parse_growth("p"))) == [
        "1",
        "log p",
        "p^(1/4)",
        "p^(1/4) log p",
        "p^(1/2)",
        "p^(1/2) log p",
        "p^(3/4)",
        "p^(3/4) log p",
        "p",
        "p log p",
        "p^(5/4)",
        "p^(5/4) log p",
        "p^(3/2)",
        "p^(3/2) log p",
        "p^(7/4)",
        "p^(7/4) log p",
        "p^2",
    ]


@pytest.mark.parametrize(
    ("expectation", "limit"),
    [
        ("1", "1"),
        ("log p", "log^(1/2) p"),
        ("p", "p^(1/2)"),
        ("p log p", "p^(1/2)"),
        ("p^3", "p^(3/2)"),
        ("k^3 2^k", "2^(k/2)"),
        ("1 / p", "p^(1/2)"),
    ],
)
def test_the_default_deviation_limit_halves_the_leading_exponent(expectation, limit):
    assert default_deviation_limit(parse_growth(expectation)) == parse_growth(limit)


def test_a_logarithmic_expectation_has_no_lower_class_to_take_ticks_from():
    eighths = [Fraction(k, 4) for k in range(9)]

    assert search_space(parse_growth("log p")) == Space.of("p", [0], eighths)


def test_a_constant_expectation_is_classified_as_logarithmic():
    assert search_space(CONSTANT, "n") == search_space(parse_growth("log n"))


def test_the_mpi_study_refines_the_default_space_of_p_log_p():
    default = ruler(parse_growth("p log p"))

    refined = default.refined(*(Fraction(k, 3) for k in range(7))).space

    assert refined == mpi_study()
    assert len(mpi_study()) == 13 * 2


def test_the_reference_implementation_tries_42_terms_and_the_constant():
    assert len(pmnf("n")) == 43
    assert pmnf("n").parameters == ("n",)


@given(
    st.sampled_from(["power", "log", "exp2"]),
    st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=8),
    st.fractions(min_value=-2, max_value=2, max_denominator=4),
    st.booleans(),
)
def test_the_expectation_is_always_in_its_own_space(kind, exponent, lower, falls):
    exponents = {kind: -exponent if falls else exponent}
    if kind == "power":
        exponents["log"] = lower
    if kind == "exp2":
        exponents["power"] = lower
    expectation = Growth.of("p", **exponents)

    space = search_space(expectation)

    assert expectation in space
    assert CONSTANT in space
    assert min(space) >= min(CONSTANT, expectation**2)
    assert max(space) <= max(CONSTANT, expectation**2)


def test_neighbours_of_an_unusual_lower_exponent_can_be_told_apart():
    space = search_space(parse_growth("k^3 2^k"))

    assert all(parse_growth(f"k^{j} 2^k") in space for j in (1, 2, 3, 4))


def test_halving_doubles_the_resolution():
    coarse = ruler(parse_growth("p"))

    assert len(coarse.halved().ticks) == 2 * len(coarse.ticks) - 1
    assert parse_growth("p^(1/8)") in coarse.halved().space


def test_further_small_ticks_multiply_each_large_tick():
    space = replace(
        ruler(parse_growth("p")), small_ticks=(Fraction(0), Fraction(1, 2))
    ).space

    assert parse_growth("p^(3/4) log^(1/2) p") in space


def test_a_widened_space_reaches_further_at_the_same_resolution():
    narrow = ruler(parse_growth("p"))

    wide = narrow.widened(lower=-1, upper=3).space

    assert set(narrow.space) < set(wide)
    assert (min(wide), max(wide)) == (parse_growth("1/p"), parse_growth("p^3"))
    assert parse_growth("p^(11/4) log p") in wide
    assert parse_growth("p^(1/8)") not in wide


def test_a_space_of_ones_own_is_sorted_and_holds_the_constant():
    space = Space((parse_growth("p"), parse_growth("log p"), parse_growth("p")))

    assert written(space) == ["1", "log p", "p"]
    assert space.constant == 0
    assert len(space | Space((parse_growth("n"),))) == 4
    assert written(space * Space((parse_growth("n"),)))[-1] == "n p"


def test_defaults_for_several_parameters_are_those_of_each():
    several = parse_growth("n^2 log p")

    assert search_space(several) == search_space(parse_growth("n^2")) | search_space(
        parse_growth("log p")
    )
    assert default_deviation_limit(several) == parse_growth("n log^(1/2) p")


def test_a_ruler_measures_one_parameter():
    with pytest.raises(NotOneParameter, match="depends on n, p"):
        ruler(parse_growth("n p"))
