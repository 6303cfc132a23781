import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, Model, Term, parse_growth
from scalewatch.modelling.forecasts.break_even import hidden_term
from scalewatch.modelling.measurements.assumptions import USUAL

P = {"p": np.array([4.0, 8, 16, 32, 64, 128])}


def measured(curve, sd, seed=1):
    rng = np.random.default_rng(seed)
    return curve[:, np.newaxis] * np.exp(rng.normal(0, sd, (6, 5)))


def test_beside_a_constant_a_linear_term_below_the_noise_may_hide():
    found = hidden_term(P, measured(np.full(6, 7.0), 0.03), Model(7.0), USUAL)

    assert str(found.growth) == "p"
    assert 0.01 <= found.share <= 0.06
    assert found.doubles_from == pytest.approx(128 / found.share, rel=0.01)


def test_what_hides_outgrows_the_model():
    linear = parse_growth("p")
    model = Model(0.0, (Term(2.0, linear),))

    found = hidden_term(P, measured(2 * P["p"], 0.03), model, USUAL)

    assert found.growth == parse_growth("p^2")
    assert found.doubles_from == pytest.approx(128 / found.share, rel=0.01)


def test_beside_the_fastest_growth_nothing_hides():
    cubic = parse_growth("p^3")
    model = Model(0.0, (Term(2.0, cubic),))

    assert hidden_term(P, measured(2 * P["p"] ** 3, 0.03), model, USUAL) is None
    assert cubic > CONSTANT


def test_less_noise_lets_less_hide():
    quiet, loud = (
        hidden_term(P, measured(np.full(6, 7.0), sd), Model(7.0), USUAL)
        for sd in (0.01, 0.1)
    )

    assert quiet.share < loud.share
    assert quiet.doubles_from > loud.doubles_from
