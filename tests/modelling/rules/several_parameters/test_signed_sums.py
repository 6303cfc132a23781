import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.modelling import Space, Verdict, find_models, parse_growth
from support.grids import CROSS, GRID, measured, surface, terms

P, N = GRID.T
FAR = {"p": 1024.0, "n": 4096.0}

SUMS = {
    "n p - n": (lambda p, n: n * p - n, "n p"),
    "3 n sqrt(p) - 2 n": (lambda p, n: 3 * n * p**0.5 - 2 * n, "n p^(1/2)"),
    "n (p - 1)/p": (lambda p, n: n * (p - 1) / p, "n"),
    "(n - 1) (p - 1)": (lambda p, n: (n - 1) * (p - 1), "n p"),
    "(p - 1) (n + 2)/p": (lambda p, n: (p - 1) * (n + 2) / p, "n"),
    "n^2/p + 2 n/sqrt(p)": (lambda p, n: n**2 / p + 2 * n / p**0.5, "n^2 / p"),
    "n^3/p + n^2 log p": (lambda p, n: n**3 / p + n**2 * np.log2(p), "n^2 log p"),
    "n^2 - n + p": (lambda p, n: n**2 - n + p, "n^2"),
}


@pytest.mark.parametrize(("curve", "growth"), SUMS.values(), ids=SUMS)
def test_growths_beside_lower_terms_of_either_sign_are_found(curve, growth):
    finding = surface(curve(P, N), expectation=parse_growth(growth))

    assert str(finding.growth) == growth
    assert finding.verdict is Verdict.MATCH
    assert finding.class_probability[parse_growth(growth)] > 0.5
    assert finding.misfit is None


def test_intervals_beside_lower_terms_hold_far_beyond_the_measurements():
    held = []
    for curve, _ in SUMS.values():
        values = measured(curve(P, N), series=5, seed=7)
        found = find_models(GRID, values, parameter=("p", "n"), targets=[FAR])
        truth = curve(FAR["p"], FAR["n"])
        held += [f.low <= truth <= f.high for each in found for f in each.forecasts]

    assert len(held) == 5 * len(SUMS)
    assert np.mean(held) > 0.75


def test_the_model_is_a_sum_of_the_terms_that_were_found():
    finding = surface(P * N - N)

    assert terms(finding) == {"n p", "n"}
    assert_allclose(finding.model({"p": P, "n": N}), P * N - N, rtol=0.01)


def test_products_without_lower_terms_keep_their_model():
    finding = surface(1 + P * N)

    assert terms(finding) == {"n p"}
    assert finding.class_probability[parse_growth("n p")] > 0.9


def test_few_settings_are_not_explained_by_sums():
    finding = surface((CROSS[:, 1] - 1) * (CROSS[:, 0] - 1), x=CROSS)

    assert all(term.coefficient > 0 for term in finding.model.terms)


def test_a_space_that_is_given_has_no_sums_of_other_growths():
    space = Space.of("p", [1], [0]) | Space.of("n", [1], [0])

    finding = surface(P * N - N * P**0.5, space=space)

    assert terms(finding) <= {"p", "n", "n p"}


@pytest.mark.parametrize(
    ("curve", "wrong"),
    [
        (lambda p, n: n * p * np.where(p > 16, 1.3, 1), Verdict.MISMATCH),
        (lambda p, n: np.maximum(n * p, 3000), Verdict.MISMATCH),
        (lambda p, n: n**2 / (p + 20), Verdict.MATCH),
        (lambda p, n: n * np.ceil(p / 16), Verdict.MISMATCH),
    ],
    ids=["step", "floor", "saturation", "blocks"],
)
def test_surfaces_that_no_growth_of_the_space_explains_have_no_wrong_verdict(
    curve, wrong
):
    near = {"p": 128.0, "n": 256.0}
    finding = surface(curve(P, N), expectation=parse_growth("n p"), targets=[near])

    assert finding.verdict is not wrong
    (forecast,) = finding.forecasts
    # Of a floor that ends within the grid the bound is 3 % too high.
    assert 0.96 * forecast.low <= curve(**near) <= forecast.high
