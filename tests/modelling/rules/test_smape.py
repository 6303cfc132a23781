import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.modelling import CONSTANT, Growth, Space, find_models, pmnf

REFERENCE = Path(__file__).parents[2] / "reference" / "extrap_choices.json"
CHOICES = json.loads(REFERENCE.read_text())["series"]
P = np.array([4.0, 8, 16, 32, 64, 128])


def noisy(growth, *, series=1, constant=3.0, coefficient=0.5, seed=0):
    """Return repetitions of shape (series, 6, 5) with 10 % of uniform noise."""
    truth = constant + coefficient * growth(p=P) * np.ones(len(P))
    noise = np.random.default_rng(seed).uniform(0.95, 1.05, (series, len(P), 5))
    return truth[np.newaxis, :, np.newaxis] * noise


def one(x, y, **options):
    """Model a single series of one value per point."""
    (finding,) = find_models(x, np.reshape(y, (1, -1, 1)), rule="smape", **options)
    return finding


def refitted(x, y, growth):
    """Return the cross-validated SMAPE the long way: one refit per point."""
    design = np.stack([np.ones(len(x)), growth(p=x)], axis=1)
    errors = []
    for out in range(len(x)):
        kept = np.arange(len(x)) != out
        fit = np.linalg.lstsq(design[kept], y[kept])[0]
        if abs(fit[0]) < 5e-4 * min(y[kept]):
            fit[0] = 0
        predicted = design[out] @ fit
        errors.append(abs(predicted - y[out]) / (abs(predicted) + abs(y[out])))
    return 200 * np.mean(errors)


@pytest.mark.parametrize("case", CHOICES, ids=lambda case: case["x"][-1])
def test_the_choice_of_extra_p_is_reproduced(case):
    finding = one(case["x"], case["values"])

    assert finding.growth == Growth.of("p", **case["growth"])
    assert_allclose(finding.smape, case["smape"], rtol=1e-6)
    terms = finding.model.terms
    assert_allclose(finding.model.constant, case["constant"], rtol=1e-6)
    assert_allclose(sum(term.coefficient for term in terms), case["coefficient"])


@pytest.mark.parametrize("seed", range(5))
def test_the_winner_has_the_least_error_of_all_refits(seed):
    (values,) = noisy(Growth.of("p", "2/3", 1), seed=seed)
    y = values.mean(axis=1)
    errors = {growth: refitted(P, y, growth) for growth in pmnf() if growth.factors}

    finding = one(P, y)

    assert finding.growth == min(errors, key=errors.get)
    assert_allclose(finding.smape, min(errors.values()), rtol=1e-9)


@pytest.mark.parametrize("growth", pmnf(), ids=str)
def test_the_generating_growth_is_found_without_noise(growth):
    finding = one(P, 3 + 0.5 * growth(p=P) * np.ones(len(P)))

    assert finding.growth == growth
    assert finding.smape < 1e-6


def test_the_mean_of_the_repetitions_is_modelled():
    values = noisy(Growth.of("p", 1))

    (finding,) = find_models(P, values, rule="smape")

    expected = one(P, values.mean(axis=2)).model
    assert finding.growth == expected.growth
    assert_allclose(finding.model(p=P), expected(p=P))


def test_a_batch_gives_bit_for_bit_what_its_series_give_alone():
    values = noisy(Growth.of("p", "1/3"), series=700)

    batch = find_models(P, values, rule="smape")

    for row in (0, 1, 63, 64, 511, 512, 699):
        (alone,) = find_models(P, values[[row]], rule="smape")
        assert batch[row] == alone


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e290])
def test_the_unit_of_the_metric_changes_the_coefficients_only(scale):
    y = noisy(Growth.of("p", 1))[0, :, 0]

    finding, scaled = one(P, y), one(P, y * scale)

    assert scaled.growth == finding.growth
    assert_allclose(scaled.smape, finding.smape, rtol=1e-9)
    assert_allclose(scaled.model(p=P), finding.model(p=P) * scale, rtol=1e-9)


@pytest.mark.parametrize(
    ("y", "constant"), [([0.0] * 6, 0.0), ([7.5] * 6, 7.5), ([-2.0] * 6, -2.0)]
)
def test_constant_measurements_have_a_constant_model(y, constant):
    finding = one(P, y)

    assert finding.growth == CONSTANT
    assert finding.model(p=4096) == constant
    assert finding.smape == 0
    assert finding.adjusted_r2 is None


def test_a_term_that_contributes_less_than_half_a_per_mille_is_not_selected():
    finding = one(P, 1 + 3e-7 * P)

    assert finding.growth == CONSTANT


@pytest.mark.parametrize(
    "y",
    [
        [0, 0, 0, 0, 0, 1e-300],
        [0, 1, -1, 0, 1, -1],
        [-5, -4, 0, 0, 4, 5],
        [1e-300, 1, 1e-300, 1, 1e-300, 1],
        [1e300, 1e300, 1e300, 1e300, 1e300, 9e307],
    ],
)
def test_strange_values_have_a_finite_model(y):
    finding = one(P, y)

    assert np.isfinite(finding.model(p=P)).all()
    assert 0 <= finding.smape <= 200


def test_exponential_terms_near_the_largest_number_do_no_harm():
    x = np.array([2.0, 4, 8, 16, 500, 990])
    growth = Growth.of("p", exp2=1)

    finding = one(x, growth(p=x), space=Space((growth, Growth.of("p", 3))))

    assert finding.growth == growth


def test_a_space_of_the_constant_alone_is_no_contest():
    assert one(P, P, space=Space(())).model(p=9) == pytest.approx(P.mean())
