import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.modelling import Growth, Outcome, parse_growth
from scalewatch.modelling.exact_counts.counts import Counts, suspects
from scalewatch.modelling.exact_counts.exactness import Rounding

POWERS = np.array([4.0, 8, 16, 32, 64, 128])
SIZES = 2.0 ** np.arange(4, 9)
TRIPLES = np.array([6.0, 12, 24, 48, 96, 192])
FROM_ONE = np.array([1.0, 2, 4, 8, 16, 32])
LEVEL = 0.9


def rounds(p):
    return np.ceil(np.log2(p) - 1e-9)


TEXTBOOK = {
    "p - 1": ("p", lambda p: p - 1),
    "p*(p-1)/2": ("p^2", lambda p: p * (p - 1) / 2),
    "1000000*(p-1)/p": ("1", lambda p: 1e6 * (p - 1) / p),
    "p log p - p + 1": ("p log p", lambda p: p * np.log2(p) - p + 1),
    "2*(p^(1/2)-1)": ("p^(1/2)", lambda p: 2 * (np.sqrt(p) - 1)),
    "8*p + 8580": ("p", lambda p: 8 * p + 8580),
    "3*log p + 100/p": ("log p", lambda p: 100 / p + 3 * np.log2(p)),
    "p*(p^2-3*p+2)/6": ("p^3", lambda p: p * (p - 1) * (p - 2) / 6),
}


def counts(y, p=POWERS):
    return Counts.of({"p": p}, np.asarray(y, float))


@pytest.mark.parametrize("formula", TEXTBOOK)
@pytest.mark.parametrize("p", [POWERS, TRIPLES], ids=["2^k", "3 * 2^k"])
def test_the_formula_of_textbook_counts_is_found(formula, p):
    growth, curve = TEXTBOOK[formula]

    found = counts(curve(p), p)

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == formula
    assert next(iter(found.class_probability)) == parse_growth(growth)


def test_pairs_within_subsets_are_found():
    k = np.arange(3.0, 12)

    found = counts(3 * k * (k - 1) * 2 ** (k - 3) + 3 * k**2, k)

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == "3*(p^2 2^p-p 2^p+8*p^2)/8"


def test_rounds_are_told_from_logarithms_off_powers_of_two():
    assert counts(rounds(TRIPLES), TRIPLES).formulas[0].model.formula == "ceil(log p)"


def test_counts_from_one_process_on_may_begin_with_nothing():
    assert counts(FROM_ONE - 1, FROM_ONE).formulas[0].model.formula == "p - 1"


def test_rounded_counts_keep_their_growth():
    found = counts(np.round(18.83 * POWERS**3 - 200.4 * POWERS**2 + 0.3))

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert next(iter(found.class_probability)) == parse_growth("p^3")


@pytest.mark.parametrize(
    "curve",
    [
        lambda p: p**0.6,
        lambda p: p / np.log2(2 * p),
        lambda p: 10 * np.log2(1 + np.log2(p)),
        lambda p: np.maximum(60, p * np.log2(p)),
    ],
    ids=["p^0.6", "p / log 2p", "log log p", "kink"],
)
def test_a_function_of_no_dictionary_has_no_formula(curve):
    assert counts(curve(POWERS)).outcome(LEVEL) is Outcome.NONE


@pytest.mark.parametrize(
    ("formula", "growth", "curve"),
    [
        ("2^n", "2^n", lambda n: 2**n),
        ("2^n - 1", "2^n", lambda n: 2**n - 1),
        ("2*2^n - n - 2", "2^n", lambda n: 2 ** (n + 1) - n - 2),
        ("n 2^n/2", "n 2^n", lambda n: n * 2 ** (n - 1)),
    ],
)
def test_what_doubles_with_each_step_has_its_formula(formula, growth, curve):
    n = np.array([1.0, 2, 3, 4, 6, 8, 10])

    found = Counts.of({"n": n}, curve(n))

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == formula
    assert found.formulas[0].model.growth == parse_growth(growth)


def test_factorials_are_no_power_of_two():
    n = np.array([1.0, 2, 3, 4, 5, 6, 7])

    assert Counts.of({"n": n}, np.cumprod(n)).outcome(LEVEL) is Outcome.NONE


def test_rounds_are_whole_beside_a_second_parameter():
    p, n = (each.ravel() for each in np.meshgrid([1.0, 4, 9, 16, 25], [64.0, 144, 400]))

    found = Counts.of({"p": p, "n": n}, n * np.ceil(np.log2(p)))

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == "n ceil(log p)"


@pytest.mark.parametrize("rounded", [np.floor, np.ceil])
@pytest.mark.parametrize(
    ("formula", "curve"),
    [
        ("{}(log n)", lambda _, log: log),
        ("n {}(log n)", lambda n, log: n * log),
        ("n {}(log n) + n", lambda n, log: n * log + n),
        ("3*{}(log n) + 2", lambda _, log: 3 * log + 2),
    ],
)
def test_rounds_and_levels_off_powers_of_two_have_their_formula(
    formula, curve, rounded
):
    n = np.array([3.0, 6, 12, 32, 48, 100, 200])

    found = Counts.of({"n": n}, curve(n, rounded(np.log2(n))))

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == formula.format(rounded.__name__)


def test_one_lost_message_does_not_hide_the_formula():
    y = TRIPLES * (TRIPLES - 1)
    y[2] -= 17

    found = counts(y, TRIPLES)

    assert (found.formulas[0].model.formula, found.excepted) == ("p*(p-1)", 2)


@pytest.mark.parametrize(
    "place",
    [
        0,
        pytest.param(7, marks=pytest.mark.thorough),
        pytest.param(18, marks=pytest.mark.thorough),
    ],
)
def test_one_lost_message_among_many_settings_is_suspected_wherever_it_is(place):
    p, n = (each.ravel() for each in np.meshgrid(POWERS[:5], 4 * POWERS[:5]))
    y = n * p - n
    y[place] -= 1

    found = Counts.of({"n": n, "p": p}, y)

    assert (found.formulas[0].model.formula, found.excepted) == ("n*(p-1)", place)


def test_few_counts_are_suspected_where_no_formula_holds_in_a_half():
    p = np.arange(4.0, 44.0, 3)
    y = np.round(100 * p**0.6)

    found = suspects({"p": p}, y, Rounding.of(y), 100.0)

    assert len(found) < len(p)


@pytest.mark.parametrize("place", range(6))
def test_a_constant_may_have_lost_one_count(place):
    counted = np.full(6, 1_000_000)
    counted[place] -= 1

    found = counts(counted)

    assert (found.formulas[0].model.formula, found.excepted) == ("1000000", place)


def test_a_count_that_is_a_multiple_of_the_formula_is_no_lost_message():
    p = np.array([2.0, 3, 5, 8, 13, 24])
    y = 3 * (np.ceil(np.log2(p)) + np.floor(np.sqrt(p)))

    assert counts(y, p).outcome(LEVEL) is Outcome.NONE


@pytest.mark.parametrize(
    "y",
    [
        [-3, 5, 1, 8, -9, 7],
        [-4, -8, -16, -32, -64, -128],
        [0, 0, 0, 1, 0, 5],
        [0.1, 0.1, 0.2, 0.3, 0.7, 1.3],
        2.0**62 + POWERS * 2.0**50,
        10.0 ** np.arange(0, 18, 3),
    ],
    ids=["mixed signs", "negative", "mostly nothing", "few digits", "2^63", "decades"],
)
def test_any_counts_have_a_defined_answer(y):
    found = counts(y)

    assert found.outcome(LEVEL) in set(Outcome)
    assert 0 <= found.unexplained <= 1
    assert np.isfinite(found.weights).all()


def test_nothing_at_all_is_a_constant():
    found = counts(np.zeros(6))

    assert found.outcome(LEVEL) is Outcome.EXACT
    assert found.formulas[0].model.formula == "0"


@given(st.integers(1, 10**6), st.sampled_from(sorted(TEXTBOOK)))
def test_whole_multiples_keep_the_growth(factor, formula):
    growth, curve = TEXTBOOK[formula]

    found = counts(factor * curve(POWERS))

    assert max(found.class_probability, key=found.class_probability.get) == (
        parse_growth(growth)
    )


def test_formulas_of_several_parameters_have_products():
    p, n = (each.ravel() for each in np.meshgrid([2.0, 4, 8, 16], [10.0, 20, 40]))

    found = Counts.of({"n": n, "p": p}, n * p - n)

    assert found.formulas[0].model.formula == "n*(p-1)"
    assert next(iter(found.class_probability)) == Growth.of("n", 1) * Growth.of("p", 1)


@pytest.mark.parametrize(
    ("formula", "growth", "curve"),
    [
        ("n*p-n-p+1", "n*p", lambda p, n: (n - 1) * (p - 1)),
        ("2*n*p+6*n-4*p-12", "n*p", lambda p, n: 2 * (n - 2) * (p + 3)),
        ("n^3/p+n^2*log(p)", "n^2*log(p)", lambda p, n: n**3 / p + n**2 * np.log2(p)),
        ("n^2-n+p", "n^2", lambda p, n: n**2 - n + p),
    ],
)
def test_sums_and_products_of_sums_of_two_parameters_are_told(formula, growth, curve):
    p, n = (each.ravel() for each in np.meshgrid(2.0 ** np.arange(1, 6), SIZES))

    found = Counts.of({"n": n, "p": p}, curve(p, n))

    assert found.outcome(0.9) is Outcome.EXACT
    assert next(iter(found.class_probability)) == parse_growth(growth)
    settings = {"n": np.array([4096.0]), "p": np.array([512.0])}
    assert found.formulas[0].model(settings) == pytest.approx(
        curve(settings["p"], settings["n"]), rel=1e-9
    ), formula


@pytest.mark.parametrize(
    "curve",
    [
        lambda p, n: n**1.7 * p**0.3,
        lambda p, n: np.maximum(60, n * np.log2(p)),
        lambda p, n: n * p**0.6 + n,
    ],
)
def test_surfaces_of_no_dictionary_are_told_by_no_formula(curve):
    p, n = (each.ravel() for each in np.meshgrid(2.0 ** np.arange(1, 6), SIZES))

    for y in (curve(p, n), np.round(curve(p, n))):
        assert Counts.of({"n": n, "p": p}, y).outcome(0.9) is Outcome.NONE


def test_three_parameters_are_answered():
    points = np.meshgrid([2.0, 4, 8], [2.0, 4, 8], [3.0, 6, 12])
    m, n, p = (each.ravel() for each in points)

    found = Counts.of({"m": m, "n": n, "p": p}, n * p + m)

    assert found.formulas[0].model.formula == "n p + m"
