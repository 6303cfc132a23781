from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.modelling import (
    Growth,
    Space,
    catwalk,
    find_models,
    parse_growth,
    strong_scaling,
)
from scalewatch.modelling.rules import refinement

P = 2.0 ** np.arange(1, 10)


def refined(y, *, x=P, noise=0.0, seed=0, **options):
    """Refine the model of five repetitions of y with uniform noise."""
    draw = np.random.default_rng(seed)
    values = y[:, np.newaxis] * draw.uniform(1 - noise / 2, 1 + noise / 2, (len(x), 5))
    (finding,) = find_models(
        x, values[np.newaxis], rule="refinement", **({"space": catwalk()} | options)
    )
    return finding


def terms(finding):
    """Return what the model adds up, without coefficients."""
    return " + ".join(str(term.growth) for term in finding.model.terms)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (3 + 0 * P, ""),
        (3 + 2 * np.log2(P), "log p"),
        (3 + 2 * np.log2(P) + 0.1 * P, "log p + p"),
        (9 + np.log2(P) + P**0.5 + 0.01 * P**2, "log p + p^(1/2) + p^2"),
    ],
    ids=["constant", "one", "two", "three"],
)
def test_as_many_terms_are_found_as_generated(y, expected):
    finding = refined(y, noise=1e-4)

    assert terms(finding) == expected
    assert_allclose(finding.model(p=P), y, rtol=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_noise_adds_no_terms(seed):
    finding = refined(1 + 0.5 * P, noise=0.1, seed=seed)

    assert len(finding.model.terms) == 1


def test_strong_scaling_needs_negative_exponents_and_gets_them_on_request():
    y = 1000 / P + 10 * np.log2(P)

    finding = refined(y, noise=1e-3, space=strong_scaling())
    without = refined(y, noise=1e-3, space=catwalk())

    assert terms(finding) == "1 / p + log p"
    assert finding.growth == parse_growth("log p")
    assert finding.model(p=1 << 20) == pytest.approx(200, rel=0.02)
    assert without.smape > 10 * finding.smape


@pytest.mark.parametrize("seed", range(5))
def test_a_valley_is_found_although_no_term_alone_explains_it(seed):
    y = 1 + 4 / P + 0.3 * np.log2(P)

    finding = refined(y, noise=1e-3, seed=seed, space=strong_scaling())

    assert terms(finding) == "1 / p + log p"


def test_work_divided_among_processes_is_found_beside_their_communication():
    x = np.array([(p, n) for p in P[:5] for n in 2.0 ** np.arange(4, 9)])
    p, n = x.T
    space = strong_scaling("p") * Space.of("n", [0, 1, 2], [0, 1])

    finding = refined(
        3 + n / p + 2 * np.log2(p), x=x, noise=1e-3, parameter=("p", "n"), space=space
    )

    assert terms(finding) == "n / p + log p"


def test_small_scales_count_as_much_as_large_ones():
    y = 1e-6 * np.log2(P) + 1e-12 * P**3

    finding = refined(y, noise=1e-3)

    assert terms(finding) == "log p + p^3"


def test_a_constant_may_be_negative():
    finding = refined(8 * (P - 1))

    assert finding.model.formula == "-8 + 8 * p"
    assert finding.smape < 1e-9


def test_a_measured_zero_is_no_obstacle():
    p = 2.0 ** np.arange(8)

    finding = refined(8 * (p - 1), x=p)

    assert finding.model.formula == "-8 + 8 * p"


def test_terms_never_cancel_each_other():
    finding = refined(5 + P - 0.5 * np.log2(P), noise=1e-6)

    assert all(term.coefficient > 0 for term in finding.model.terms)


def test_a_falling_series_has_a_constant_model_where_nothing_falls():
    finding = refined(1 / P)

    assert not finding.model.terms


def test_five_settings_leave_room_for_two_terms():
    x = P[:5]
    y = 1 + np.log2(x) + x**0.5 + x + x**2

    assert len(refined(y, x=x).model.terms) == 2


def test_a_large_space_is_searched_with_fewer_terms(monkeypatch):
    few = replace(refinement.ASSUMED, most_hypotheses=20)
    monkeypatch.setattr(refinement, "ASSUMED", few)
    y = 3 + 2 * np.log2(P) + 0.1 * P

    assert len(refined(y).model.terms) == 1


def test_quality_saturates_per_series_in_one_batch():
    one, two = 3 + 2 * np.log2(P), 3 + 2 * np.log2(P) + 0.1 * P
    values = np.stack([one, two, one])[:, :, np.newaxis] * np.ones(3)

    batch = find_models(P, values, rule="refinement", space=catwalk())

    assert [terms(finding) for finding in batch] == ["log p", "log p + p", "log p"]
    for row, finding in enumerate(batch):
        (alone,) = find_models(P, values[[row]], rule="refinement", space=catwalk())
        assert finding == alone


def test_the_adjusted_r2_counts_the_terms():
    y = 3 + 2 * np.log2(P) + 0.1 * P
    noise = np.random.default_rng(3).uniform(0.99, 1.01, P.size)

    finding = refined(y * noise)

    fitted = finding.model(p=P)
    r2 = 1 - np.sum((y * noise - fitted) ** 2) / np.sum(
        (y * noise - np.mean(y * noise)) ** 2
    )
    left = P.size - 1 - len(finding.model.terms)
    assert_allclose(finding.adjusted_r2, 1 - (1 - r2) * (P.size - 1) / left)


def test_only_the_constant_can_be_chosen_from_an_empty_space():
    assert refined(P, space=Space(())).growth == Growth()


def test_falling_powers_compete_where_a_series_falls_and_nobody_stated_a_space():
    p = 2.0 ** np.arange(1, 9)
    rises, falls = 1 + np.log2(p), 100 / p + np.log2(p)
    values = np.stack([rises, falls])[:, :, np.newaxis] * np.ones(3)

    rising, falling = find_models(p, values, rule="refinement")

    assert {str(term.growth) for term in rising.model.terms} == {"log p"}
    assert {str(term.growth) for term in falling.model.terms} == {"1 / p", "log p"}


@pytest.mark.parametrize("rule", ["refinement", "evidence", "smape", "paper"])
def test_a_constant_that_is_a_rounding_error_is_zero(rule):
    p = 2.0 ** np.arange(1, 9)

    (found,) = find_models(
        p, (3e-6 * p)[np.newaxis, :, np.newaxis], rule=rule, space="pmnf"
    )

    assert found.model.constant == 0
    assert found.model.formula == "3e-06 * p"
