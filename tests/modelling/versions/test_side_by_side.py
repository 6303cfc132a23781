import pytest

from scalewatch.modelling import CONSTANT, Growth, Model, Term, side_by_side

LOG = Growth.of("p", log=1)
LINEAR = Growth.of("p", power=1)


def test_models_of_the_same_growth_differ_by_a_factor():
    pair = side_by_side(Model(1.0, (Term(2.0, LOG),)), Model(9.0, (Term(5.0, LOG),)))

    assert pair is not None
    assert pair.growth == CONSTANT
    assert pair.factor == 2.5
    assert pair.crossing is None
    assert pair.is_slower


def test_models_of_different_growth_have_no_factor_but_a_crossing():
    steep, flat = Model(0.0, (Term(1.0, LINEAR),)), Model(32.0)

    pair = side_by_side(flat, steep, start=2.0)

    assert pair is not None
    assert pair.growth == LINEAR
    assert pair.factor is None
    assert pair.crossing == pytest.approx(32.0)
    assert pair.is_slower


def test_the_crossing_is_the_same_from_both_sides():
    steep, flat = Model(0.0, (Term(1.0, LINEAR),)), Model(32.0)

    pair = side_by_side(steep, flat, start=2.0)

    assert pair is not None
    assert pair.growth == CONSTANT / LINEAR
    assert pair.crossing == pytest.approx(32.0)
    assert not pair.is_slower


def test_models_of_another_parameter_are_not_compared_over_this_one():
    other = Model(1.0, (Term(1.0, Growth.of("n", power=1)),))

    assert side_by_side(Model(1.0), other) is None
