import numpy as np
import pytest

from scalewatch.modelling import (
    CONSTANT,
    Growth,
    Space,
    find_models,
    learn_noise,
    pmnf,
)
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.discrepancy import independent
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.posterior import Prior, posterior
from support.generated import P, measured, random_curves

SETTINGS = {"p": P}
EVERY = Hypotheses.of(pmnf(), SETTINGS, may_fall=True)
LINEAR = Growth.of("p", power=1)


def shares(hypotheses: Hypotheses, shapes: float) -> dict[Growth, float]:
    share = Prior.among(hypotheses, shapes, None, None).share
    sums = np.bincount(hypotheses.leads, share)
    return dict(zip(hypotheses.leading, sums.tolist(), strict=True))


def test_rising_and_falling_growths_are_equally_likely_beforehand():
    share = Prior.among(EVERY, 0.1, None, None).share
    falling = sum(len(frame.rows) for frame in EVERY.falling)

    assert share[-falling:].sum() == pytest.approx(0.5)
    assert share.sum() == pytest.approx(1)


def test_shapes_leave_the_prior_of_their_growth_as_it_is():
    rising = Hypotheses.of(pmnf(), SETTINGS)

    assert shares(rising, 0.1) == pytest.approx(shares(rising, 0.7))


def test_laws_of_strong_scaling_are_likelier_beside_shared_work():
    base = Growth.of("p", power=-1)
    frame = next(each for each in EVERY.falling if each.base == base)
    is_other = ~frame.is_law
    is_other[frame.alone] = False

    prior = Prior.among(EVERY, 0.1, None, None).share

    ends = np.cumsum([len(each.rows) for each in EVERY.every])
    shares = np.split(prior, ends)[EVERY.every.index(frame)]
    laws = {frame.growths[row] for row in np.flatnonzero(frame.is_law)}
    assert laws == {CONSTANT, Growth.of("p", log=1), Growth.of("p", power="-1/2")}
    assert shares[frame.is_law].min() > 5 * shares[is_other].max()
    assert shares.sum() == pytest.approx(0.5 / len(EVERY.falling))


def test_what_does_not_fall_comes_first_whether_or_not_the_rest_follows():
    rising = Hypotheses.of(pmnf(), SETTINGS)

    assert EVERY.growths[: len(rising)] == rising.growths
    assert EVERY.terms[: len(rising)] == rising.terms
    assert EVERY.constant == rising.constant
    assert EVERY.growths[EVERY.constant] == CONSTANT


def test_growths_that_do_not_compete_have_no_shapes():
    space = Space((CONSTANT, LINEAR))

    hypotheses = Hypotheses.of(space, SETTINGS)

    assert set(hypotheses.growths) == {CONSTANT, LINEAR}


def test_shapes_that_have_no_value_at_a_setting_are_left_out():
    small = Hypotheses.of(Space((CONSTANT, LINEAR)), {"p": P / 8})

    assert (LINEAR,) in small.terms
    assert not any(Growth.of("p", log=1) in terms for terms in small.terms)


def test_coefficients_are_those_of_the_curve_at_the_settings():
    values = measured([P - 1, 2 * P**2 + 9 * P, 100 / P + 3], 0.02, seed=5)
    location = independent(locate(values))
    scratch = EVERY.scratch(3)
    weighed = EVERY.weigh(location, USUAL, scratch)

    for row, terms in enumerate(EVERY.terms):
        scaled = weighed.coefficients(np.full(3, row))
        constant, *others = np.einsum("ks,kc->cs", scaled, EVERY.contributions[row])
        values = constant + np.zeros((len(P), 3))
        for coefficient, growth in zip(others, terms, strict=False):
            values += coefficient * growth(p=P)[:, np.newaxis]
        curve = scaled[0] + np.outer(EVERY.curves.tau[row], scaled[1])
        np.testing.assert_allclose(
            values, EVERY.curves.base[row][:, np.newaxis] * curve, rtol=1e-7, atol=1e-9
        )


TEXTBOOK = {
    "p": P - 1,
    "p^2": P * (P - 1) / 2,
    "p log p": P * np.log2(P) - P + 1,
    "log p": np.log2(P) + 2 * (P - 1) / P,
    "1": 5 * (P - 1) / P,
    "p^3": P**3 - P**2,
    "p^(3/2)": P**1.5 - P,
}


@pytest.mark.parametrize("growth", TEXTBOOK)
def test_what_programs_do_is_told_with_its_lower_order_term(growth):
    curve = TEXTBOOK[growth]

    values = measured([curve] * 20, 0.01, seed=7)

    findings = find_models(P, values, targets=[4096], noise=learn_noise(P, values))

    assert [str(each.growth) for each in findings].count(growth) >= 18
    for finding in findings:
        if str(finding.growth) == growth:
            np.testing.assert_allclose(finding.model(p=P), curve, rtol=0.02)


def test_a_constant_part_of_the_data_is_expected_to_be_constant():
    allgather = measured([5 * (P - 1) / P] * 20, 0.05, seed=8)

    for finding in find_models(P, allgather, expectation=CONSTANT):
        assert str(finding.verdict) == "match"


def test_a_forecast_below_the_settings_is_positive():
    values = measured([P * np.log2(P) - 3 * P] * 5, 0.02, seed=9)

    for finding in find_models(P, values, targets=[1.5, 2, 1e12]):
        assert all(each.low > 0 for each in finding.forecasts)


def test_shapes_without_a_value_at_a_target_tell_nothing_of_it():
    space = Space((CONSTANT, LINEAR))

    (finding,) = find_models(
        P, measured([P - 1], 0.02, seed=1), space=space, targets=[0]
    )

    assert finding.growth == LINEAR


def test_a_large_block_leaves_its_memory_to_the_next_batch_and_nothing_else():
    rng = np.random.default_rng(5)
    values = (7 + 3 * P)[:, np.newaxis] * rng.uniform(0.9, 1.1, (600, len(P), 3))
    rising = Hypotheses.of(pmnf(), SETTINGS)

    first = [finding.class_probability for finding in find_models(P, values)]
    find_models(P, values[::-1] * P[:, np.newaxis])
    again = [finding.class_probability for finding in find_models(P, values)]

    assert again == first
    assert rising.scratch(600) is rising.scratch(600)
    assert rising.scratch(5) is not rising.scratch(5)


@pytest.mark.parametrize("noise", [0.001, 0.02, 0.1])
def test_what_is_negligible_changes_no_probability(noise):
    _, curves = random_curves(60, seed=41)
    values = measured([*curves, P - 1, 1000 / P + 2], noise, seed=42)
    location = independent(locate(values))
    prior = Prior.among(EVERY, USUAL.shapes, None, None)
    scratch = EVERY.scratch(62)

    found = [
        EVERY.weigh(location, USUAL, scratch, thoroughly=thoroughly).log_evidence
        for thoroughly in (False, True)
    ]

    assert (found[0] != found[1]).mean() > 0.1
    briefly, thoroughly = (posterior(each.copy(), prior)[0] for each in found)
    np.testing.assert_allclose(briefly, thoroughly, atol=1e-5)
