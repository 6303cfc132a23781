import pytest

from scalewatch.modelling import CONSTANT, Growth, all_growth_odds

LOG = Growth.of("p", log=1)
LINEAR = Growth.of("p", power=1)


def test_certain_growths_are_compared_with_certainty():
    odds = all_growth_odds([({LOG: 1.0}, {LINEAR: 1.0})])[0]

    assert odds is not None
    assert (odds.faster, odds.slower) == (1.0, 0.0)


def test_the_same_posterior_moves_to_neither_side():
    posterior = {CONSTANT: 0.2, LOG: 0.5, LINEAR: 0.3}

    odds = all_growth_odds([(posterior, posterior)])[0]

    assert odds is not None
    assert odds.faster == pytest.approx(odds.slower)
    assert odds.faster == pytest.approx(0.2 * 0.5 + 0.2 * 0.3 + 0.5 * 0.3)


def test_what_is_left_out_of_a_posterior_is_not_held_against_it():
    odds = all_growth_odds([({LOG: 0.5}, {LINEAR: 0.25})])[0]

    assert odds is not None
    assert odds.faster == 1.0


def test_nothing_is_said_of_what_has_no_posterior():
    assert all_growth_odds([({}, {LOG: 1.0})])[0] is None


def test_many_series_are_compared_as_each_of_them_is():
    posteriors = [{LOG: 0.7, LINEAR: 0.3}, {CONSTANT: 0.6, LINEAR: 0.4}, {}]
    pairs = [(before, after) for before in posteriors for after in posteriors]

    assert all_growth_odds(pairs) == [all_growth_odds([pair])[0] for pair in pairs]
