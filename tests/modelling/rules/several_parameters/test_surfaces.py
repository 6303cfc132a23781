import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose

from scalewatch import reasons
from scalewatch.modelling import (
    CONSTANT,
    Space,
    find_models,
    parse_growth,
    pmnf,
)
from scalewatch.modelling.rules import rule_named
from support.grids import CROSS, CUBE, FEW, GRID, measured, surface, terms, values_on


@pytest.mark.parametrize(
    "growths",
    [
        [],
        ["p"],
        ["n^2"],
        ["n p^(1/2)"],
        ["n", "p^(3/2)"],
        ["n p", "p"],
        ["n^(1/2) p^2", "n^(1/2)"],
    ],
    ids=lambda growths: " + ".join(["1", *growths]),
)
def test_the_generating_structure_is_found_with_its_growths(growths):
    y = values_on(GRID, growths)

    finding = surface(y)

    assert terms(finding) == {str(parse_growth(text)) for text in growths}
    fitted = finding.model({"p": GRID[:, 0], "n": GRID[:, 1]})
    assert_allclose(fitted, y, rtol=0.02)
    assert (finding.smape < 1) == (finding.points == 25)


def test_the_default_rule_models_several_parameters_as_surfaces():
    y = values_on(GRID, ["n p"])

    assert surface(y) == surface(y, rule="surfaces")
    assert rule_named("evidence", 2).name == "surfaces"


def test_the_order_of_the_parameters_does_not_matter():
    values = measured(values_on(GRID, ["n", "p^(3/2)"]))

    (one,) = find_models(GRID, values, parameter=("p", "n"))
    (other,) = find_models(GRID[:, ::-1], values, parameter=("n", "p"))

    assert terms(one) == terms(other)
    assert_allclose(one.smape, other.smape)


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1e250])
def test_the_unit_of_the_metric_changes_the_coefficients_only(scale):
    y = values_on(GRID, ["n p^(1/2)"])
    options = {"targets": [{"p": 256, "n": 1024}], "expectation": parse_growth("n p")}

    finding, scaled = surface(y, **options), surface(y * scale, **options)

    assert terms(scaled) == terms(finding)
    assert scaled.verdict == finding.verdict
    assert_allclose(scaled.forecasts[0].value, finding.forecasts[0].value * scale)
    assert_allclose(scaled.forecasts[0].high, finding.forecasts[0].high * scale)


def test_a_batch_gives_what_its_series_give_alone():
    values = measured(values_on(GRID, ["n p", "p"]), series=3, noise=0.1)

    batch = find_models(GRID, values, parameter=("p", "n"), targets=[{"p": 1, "n": 1}])

    for row, finding in enumerate(batch):
        (alone,) = find_models(
            GRID, values[[row]], parameter=("p", "n"), targets=[{"p": 1, "n": 1}]
        )
        assert finding == alone


def test_class_probabilities_are_those_of_leading_terms_highest_first():
    finding = surface(values_on(GRID, ["n", "p^(3/2)"]), noise=0.2)

    shares = list(finding.class_probability.values())
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1 + 1e-12
    assert finding.growth in finding.class_probability


def test_forecasts_bracket_the_truth_and_widen_with_the_distance():
    y = values_on(GRID, ["n p^(1/2)"])
    near, far = {"p": 128, "n": 512}, {"p": 1024, "n": 4096}

    finding = surface(y, noise=0.1, targets=[near, far])

    truth = 1 + 10 * np.array([512 * 128**0.5, 4096 * 32]) / (256 * 8)
    for forecast, value in zip(finding.forecasts, truth, strict=True):
        assert forecast.low < value < forecast.high
        assert forecast.low <= forecast.value <= forecast.high
    widths = [each.high / each.low for each in finding.forecasts]
    assert widths[0] < widths[1]


def test_a_forecast_at_a_vanishing_term_is_the_constant():
    y = 2 + np.log2(GRID[:, 0])

    finding = surface(y, targets=[{"p": 1, "n": 1}])

    assert finding.forecasts[0].value == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(
    "growths",
    [["n p"], ["n p t^(1/2)"], ["n", "p", "t"], ["n log p", "t"]],
    ids=" + ".join,
)
def test_three_parameters_are_modelled_from_a_shortlist(growths):
    finding = surface(
        values_on(CUBE, growths), x=CUBE, parameter=("p", "n", "t"), noise=0.01
    )

    assert terms(finding) == {str(parse_growth(text)) for text in growths}


def test_falling_terms_compete_where_the_space_has_them():
    y = 1 + GRID[:, 1] / GRID[:, 0] + 0.1 * GRID[:, 1]
    falling = Space.of("p", [-1, "-1/2"])

    finding = surface(y, space=pmnf("p") | pmnf("n") | falling)

    assert terms(finding) == {"n / p", "n"}


def test_a_constant_surface_has_a_constant_model():
    finding = surface(np.full(25, 7.5), noise=0, targets=[{"p": 1e6, "n": 1e6}])

    assert finding.growth == CONSTANT
    assert finding.forecasts[0].value == pytest.approx(7.5)
    assert finding.adjusted_r2 is None


def test_values_without_a_logarithm_are_said_in_words_and_the_others_go_on():
    values = np.repeat(measured(values_on(GRID, ["n p"])), 2, axis=0)
    values[0, 3, 1] = 0

    refused, found = find_models(GRID, values, parameter=("p", "n"))

    assert refused.model is None
    assert "zero or negative" in refused.reason
    assert terms(found) == {"n p"}


def test_one_repetition_is_enough_to_find_a_clear_structure():
    values = measured(values_on(GRID, ["n p"]), noise=0.01)[:, :, :1]

    (finding,) = find_models(GRID, values, parameter=("p", "n"), space=FEW)

    assert terms(finding) == {"n p"}


@given(
    arrays.arrays(
        np.float64,
        (2, 9, 2),
        elements=st.floats(1e-300, 1e300) | st.sampled_from([1.0, 1e-6, np.nan]),
    )
)
def test_no_measurement_leads_to_a_number_that_is_none(values):
    findings = find_models(
        CROSS,
        values,
        parameter=("p", "n"),
        space=FEW,
        expectation=parse_growth("n p"),
        targets=[{"p": 1, "n": 1}, {"p": 1e6, "n": 1e9}],
    )

    for finding in findings:
        if finding.model is None:
            assert finding.reason
            continue
        numbers = [
            finding.model.constant,
            *(term.coefficient for term in finding.model.terms),
            finding.smape,
            *finding.class_probability.values(),
            *finding.verdict_probability.values(),
            *(n for f in finding.forecasts for n in (f.value, f.low, f.high)),
        ]
        assert np.isfinite(numbers).all()


def test_a_space_of_products_alone_is_answered_in_words():
    y = values_on(GRID, ["n p"])

    finding = surface(y, space=Space((parse_growth("n p"),)))

    assert finding.model is None
    assert finding.reason == reasons.NO_FACTORS
