import pytest

from scalewatch.errors import OutsideDomain
from scalewatch.modelling import CONSTANT, ExpectedLevel, Model, Term, parse_growth

LOG, LINEAR = parse_growth("log p"), parse_growth("p")
P = (1.0, 4.0, 16.0)


def level_of(growth, model, settings=P):
    measured = [({"p": p}, float(model(p=p))) for p in settings]
    return ExpectedLevel.of(growth, measured, model)


def test_a_constant_expectation_stays_at_its_value():
    assert level_of(CONSTANT, Model(7.0)).curve(CONSTANT) == Model(7.0)


def test_an_expectation_agrees_with_the_smallest_setting_above_one():
    line = Model(0.0, (Term(2.0, LINEAR),))

    assert level_of(LINEAR, line) == ExpectedLevel({"p": 4.0}, 8.0)
    assert level_of(LINEAR, line, [1.0]) == ExpectedLevel({"p": 1.0}, 2.0)


def test_an_expectation_of_growth_leaves_the_constant_below_it():
    kept = Model(988.0, (Term(143.0, LOG),))
    broken = Model(988.0, (Term(30.0, LINEAR),))

    assert level_of(LOG, kept).curve(LOG) == kept
    assert float(level_of(LOG, broken).curve(LOG)(p=16)) == pytest.approx(988 + 240)


def test_an_expectation_to_fall_keeps_no_constant_that_does_not():
    falling = parse_growth("p^-1")
    amdahl = Model(1.0, (Term(63.0, falling),))

    expected = level_of(falling, amdahl, [1.0]).curve(falling)

    assert float(expected(p=64)) == pytest.approx(1.0)
    assert float(amdahl(p=64)) == pytest.approx(1.0 + 63 / 64)


def test_without_a_model_what_was_measured_is_the_level():
    measured = [({"p": 8.0}, 9.0), ({"p": 2.0}, 5.0)]

    assert ExpectedLevel.of(LOG, measured) == ExpectedLevel({"p": 2.0}, 5.0)


@pytest.mark.parametrize(
    ("growth", "measured"),
    [
        ("log p", []),
        ("log p", [({"p": 1.0}, 3.0)]),  # log 1 = 0
        ("n", [({"p": 4.0}, 3.0)]),  # not measured over n
        ("log p", [({"p": 4.0}, 0.0)]),
        ("log p", [({"p": 4.0}, float("nan"))]),
    ],
)
def test_what_says_nothing_of_a_growth_gives_it_no_level(growth, measured):
    assert ExpectedLevel.of(parse_growth(growth), measured) is None


def test_no_curve_passes_through_a_zero_of_the_expectation():
    with pytest.raises(OutsideDomain, match="not defined at p = 1"):
        ExpectedLevel({"p": 1.0}, 7.0).curve(LOG)


def test_a_level_holds_along_a_parameter_where_nothing_else_differs():
    level = ExpectedLevel({"n": 8.0, "p": 4.0}, 7.0)

    assert level.holds_along("p", LOG, {"n": 8.0})
    assert not level.holds_along("p", LOG, {"n": 9.0})
    assert not level.holds_along("p", LOG, {})
    assert level.holds_along("p", parse_growth("n log p"), {"n": 9.0})
