import pytest

from scalewatch.modelling import CONSTANT, Growth, shift

LOG = Growth.of("p", log=1)
LINEAR = Growth.of("p", power=1)


def test_certain_growths_are_compared_with_certainty():
    moved = shift({LOG: 1.0}, {LINEAR: 1.0})

    assert moved is not None
    assert (moved.faster, moved.slower) == (1.0, 0.0)


def test_the_same_posterior_moves_to_neither_side():
    posterior = {CONSTANT: 0.2, LOG: 0.5, LINEAR: 0.3}

    moved = shift(posterior, posterior)

    assert moved is not None
    assert moved.faster == pytest.approx(moved.slower)
    assert moved.faster == pytest.approx(0.2 * 0.5 + 0.2 * 0.3 + 0.5 * 0.3)


def test_what_is_left_out_of_a_posterior_is_not_held_against_it():
    moved = shift({LOG: 0.5}, {LINEAR: 0.25})

    assert moved is not None
    assert moved.faster == 1.0


def test_nothing_is_said_of_what_has_no_posterior():
    assert shift({}, {LOG: 1.0}) is None
