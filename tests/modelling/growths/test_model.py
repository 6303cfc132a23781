import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, Model, Term, parse_growth


def model(constant, **terms):
    """Build a model from coefficients named by their growth's text."""
    return Model(
        constant, tuple(Term(c, parse_growth(text)) for text, c in terms.items())
    )


@pytest.mark.parametrize(
    ("example", "formula"),
    [
        (model(1.2e-6, **{"p^(1/2)": 3.4e-7}), "1.2e-06 + 3.4e-07 * p^(1/2)"),
        (model(0, p=96), "96 * p"),
        (model(256), "256"),
        (model(0), "0"),
        (model(3, **{"log p": -0.5}), "3 - 0.5 * log p"),
        (model(0, **{"log p": -0.5}), "-0.5 * log p"),
        (model(0, **{"1/p": 100, "log p": 2}), "100 / p + 2 * log p"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_model_is_written_as_a_formula(example, formula):
    assert example.formula == formula


def test_a_model_predicts_the_sum_of_its_terms():
    example = model(2.0, **{"p": 3.0, "log p": -1.0})

    np.testing.assert_allclose(example(p=[2, 4]), [2 + 6 - 1, 2 + 12 - 2])


def test_growth_is_the_leading_term_that_has_an_effect():
    assert model(5, **{"log p": 1, "p": 0}).growth == parse_growth("log p")
    assert model(5, **{"1/p": 1}).growth == CONSTANT
    assert model(0, **{"1/p": 1}).growth == parse_growth("1/p")
    assert model(0).growth == CONSTANT


def test_a_tiny_coefficient_of_a_huge_growth_has_its_exact_product():
    example = model(0.0, **{"2^p": 2.0**-1000})

    np.testing.assert_allclose(example(p=1010), 1024)


def test_a_sum_of_models_adds_equal_terms():
    added = model(1, p=2) + model(3, **{"p": 4, "log p": 5})

    assert added == model(4, **{"log p": 5, "p": 6})
    assert 2 * added == added + added


def test_huge_parts_of_opposite_sign_leave_the_larger_one():
    example = model(-1e300, **{"2^p": 1.0, "p 2^p": -1e-3})

    prediction = example(p=[1, 500.0, 1500.0, 2000.0])

    np.testing.assert_array_equal(np.sign(prediction), [-1, -1, -1, -1])
    assert model(1.0, **{"2^p": 1.0, "p 2^p": -1e-3})(p=800.0) > 0
    assert prediction[-1] == -np.inf
