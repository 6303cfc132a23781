from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import BadExpression
from scalewatch.modelling import CONSTANT, Growth, parse_declared, parse_growth
from support.strategies import growths


@given(growths())
def test_plain_text_is_read_back(growth):
    assert parse_growth(str(growth)) == growth


@given(growths())
def test_text_for_people_is_read_back(growth):
    assert parse_growth(growth.unicode()) == growth


@pytest.mark.parametrize(
    ("text", "growth"),
    [
        ("O(1)", CONSTANT),
        ("O(log p)", Growth.of("p", log=1)),
        ("O(p^0.5 log p)", Growth.of("p", power="1/2", log=1)),
        ("O(p log^2 p)", Growth.of("p", power=1, log=2)),
        ("O(n^2.8074)", Growth.of("n", power="2.8074")),
        ("O(sqrt(p))", Growth.of("p", power="1/2")),
        ("O(k^3 2^k)", Growth.of("k", power=3, exp2=1)),
        ("p^(1/2) * log2(p)", Growth.of("p", power="1/2", log=1)),
        ("p^(1/2) * log2(p)^(1)", Growth.of("p", power="1/2", log=1)),
        ("log p / p", Growth.of("p", power=-1, log=1)),
        ("1 / (p log p)", Growth.of("p", power=-1, log=-1)),
        ("p^-1", Growth.of("p", power=-1)),
        ("2^(k/2)", Growth.of("k", exp2="1/2")),
        ("2^(3k/2)", Growth.of("k", exp2="3/2")),
        ("2^(-k)", Growth.of("k", exp2=-1)),
        ("4^k", Growth.of("k", exp2=2)),
        ("√n·log²n", Growth.of("n", power="1/2", log=2)),
        ("√(p log p)", Growth.of("p", power="1/2", log="1/2")),
        ("Θ(p²)", Growth.of("p", power=2)),
        ("p**2", Growth.of("p", power=2)),
        ("p^{1/3}", Growth.of("p", power="1/3")),
        ("log(p^2)", Growth.of("p", log=1)),
        ("ln p", Growth.of("p", log=1)),
        ("threads", Growth.of("threads", power=1)),
        ("n^2 p / log p", Growth.of("n", power=2) * Growth.of("p", power=1, log=-1)),
    ],
)
def test_big_o_text_is_read(text, growth):
    assert parse_growth(text) == growth


@pytest.mark.parametrize(
    ("text", "leading"),
    [
        ("O(p + log p)", "p"),
        ("log p + p", "p"),
        ("n (n - 1) / 2", "n^2"),
        ("1.2e-06 + 3.4e-07 * p^(1/2)", "p^(1/2)"),
        ("n p + p", "n p"),
        ("2^10 p", "p"),
    ],
)
def test_constants_and_lower_terms_are_dropped(text, leading):
    assert str(parse_growth(text)) == leading


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("", 0, "a parameter"),
        ("O()", 2, "a parameter"),
        ("O(p", 3, "')'"),
        ("O p", 2, "'('"),
        ("O(p))", 4, "the end"),
        ("p^", 2, "a number"),
        ("p^p", 2, "a number"),
        ("log^ p", 5, "a number"),
        ("p %", 2, "an operator"),
        ("p + n", 4, "compared with p"),
        ("log log p", 4, "a parameter"),
        ("3^k", 0, "a power of two"),
        ("0", 0, "a positive number"),
        ("2^(k/0)", 5, "other than zero"),
        ("p^(1/0)", 5, "other than zero"),
        ("log(p^-1)", 8, "a positive exponent"),
        ("*p", 0, "a parameter"),
        ("p^1/2", 3, "parentheses"),
        ("log p^2", 5, "either"),
        ("n logn", 2, "a space after the logarithm"),
        ("O(lgo p)", 2, "'log'"),
        ("n llog n", 2, "'log'"),
        ("sqr(p)", 0, "'sqrt'"),
        ("(" * 200, 120, "shorter"),
    ],
)
def test_a_bad_expression_is_answered_with_position_and_expectation(
    text, position, expected
):
    with pytest.raises(BadExpression, match="cannot read") as failure:
        parse_growth(text)
    assert failure.value.position == position
    assert expected in failure.value.expected


def test_unknown_parameters_are_refused_where_the_known_are_named():
    with pytest.raises(BadExpression, match=r"expected a parameter \(n, p\)"):
        parse_growth("q log q", parameters=["n", "p"])

    assert parse_growth("logsize", parameters=["logsize"]).parameters == ("logsize",)
    assert parse_growth("lgo p", parameters=["lgo", "p"]).parameters == ("lgo", "p")


@given(st.text(alphabet="Op nk0123^()/*+-.√²log ", max_size=120))
def test_any_text_is_either_read_or_refused(text):
    try:
        growth = parse_growth(text)
    except BadExpression as refusal:
        assert 0 <= refusal.position <= len(text)  # noqa: PT017
    else:
        assert parse_growth(str(growth)) == growth


def test_exponents_are_read_exactly():
    assert parse_growth("p^0.1").factor("p").power == Fraction(1, 10)


@pytest.mark.parametrize(
    "text", ["p^1e400", "log^999999999 p", "2^(101p)", "p^60 p^60", "p^(1/1e13)"]
)
def test_growth_that_no_code_has_is_not_declared(text):
    with pytest.raises(BadExpression, match="exponents of at most 100"):
        parse_declared(text)


def test_quotient_of_declared_growths_is_read_back():
    quotient = parse_declared("p^100") / parse_declared("p^-100")

    assert parse_growth(str(quotient)) == quotient
