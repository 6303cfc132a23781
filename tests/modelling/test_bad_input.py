import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scalewatch import reasons
from scalewatch.modelling import CONSTANT, Verdict, find_models, mpi_study, parse_growth
from scalewatch.modelling.rules import RULES
from support.strategies import measurements, process_counts

P = np.array([2.0, 4, 8, 16, 32, 64])
LOG = parse_growth("log p")
SQRT = parse_growth("p^(1/2)")

every_rule = pytest.mark.parametrize("rule", RULES)

finite = st.floats(-1e300, 1e300) | st.sampled_from([0.0, 1e-300, -1e-300, 1e300])
"""Any number that a file may hold."""


def exact(growth, constant=3.0, coefficient=0.5, x=P):
    """Return noise-free measurements of shape (1, n, 2)."""
    values = constant + coefficient * growth(p=x) * np.ones(len(x))
    return np.repeat(values[np.newaxis, :, np.newaxis], 2, axis=2)


def numbers(finding):
    """Return every number of a finding."""
    yield from (finding.adjusted_r2, finding.smape)
    yield from finding.class_probability.values()
    yield from finding.verdict_probability.values()
    for forecast in finding.forecasts:
        yield from (forecast.value, forecast.low, forecast.high)
    if finding.model is not None:
        yield finding.model.constant
        yield from (term.coefficient for term in finding.model.terms)


def is_sound(finding):
    """Tell whether all numbers are numbers, and a missing model has its reason."""
    is_explained = finding.model is not None or bool(finding.reason)
    return is_explained and all(
        number is None or np.isfinite(number) for number in numbers(finding)
    )


@every_rule
@given(process_counts, st.data())
def test_no_finite_measurement_leads_to_a_number_that_is_none(rule, p, data):
    values = data.draw(arrays(np.float64, (2, len(p), 2), elements=finite))

    for finding in find_models(p, values, expectation=LOG, targets=[4096], rule=rule):
        assert is_sound(finding)


@every_rule
@given(process_counts, st.data())
def test_missing_repetitions_lead_to_no_number_that_is_none(rule, p, data):
    values = data.draw(measurements(len(p)))
    is_missing = data.draw(arrays(np.bool_, values.shape))

    findings = find_models(
        p,
        np.where(is_missing, np.nan, values),
        expectation=SQRT,
        space=mpi_study(),
        targets=[1 << 20],
        rule=rule,
    )

    for finding, missing in zip(findings, is_missing, strict=True):
        assert is_sound(finding)
        assert finding.points == (~missing.all(axis=1)).sum()


@every_rule
@given(process_counts, st.data())
def test_permuting_points_changes_nothing(rule, p, data):
    values = data.draw(measurements(len(p)))
    order = np.array(data.draw(st.permutations(range(len(p)))))

    found = find_models(p, values, expectation=SQRT, rule=rule)
    permuted = find_models(p[order], values[:, order], expectation=SQRT, rule=rule)

    assert list(found) == list(permuted)


@every_rule
def test_two_runs_at_one_setting_are_repetitions_of_one_measurement(rule):
    values = (
        exact(SQRT) * np.random.default_rng(seed=5).normal(1, 0.01, (1, 6, 4))[:, :, :2]
    )
    halves = np.concatenate([values[:, :, :1], values[:, :, 1:]], axis=1)

    twice = find_models(np.tile(P, 2), halves, expectation=SQRT, rule=rule)

    assert list(twice) == list(find_models(P, values, expectation=SQRT, rule=rule))


@every_rule
def test_too_few_settings_are_said_in_words_and_the_others_go_on(rule):
    values = np.concatenate([exact(LOG), exact(SQRT)])
    values[0, :2] = np.nan

    refused, found = find_models(P, values, expectation=LOG, rule=rule)

    assert refused.model is None
    assert refused.verdict is Verdict.UNDECIDED
    assert refused.reason == str(reasons.FewSettings(4, 5, "p", ("128",)))
    assert (refused.points, refused.repetitions) == (4, 2)
    assert found.model is not None


@every_rule
def test_repeated_settings_do_not_count_as_distinct(rule):
    x = np.array([2.0, 4, 8, 16, 16, 16])

    (finding,) = find_models(x, exact(LOG, x=x), rule=rule)

    assert finding.reason == str(reasons.FewSettings(4, 5, "p", ("32",)))


@every_rule
def test_a_series_without_any_value_is_undecided(rule):
    for values in (np.full((1, 6, 2), np.nan), np.empty((1, 6, 0))):
        (finding,) = find_models(P, values, rule=rule)

        assert finding.reason == "0 of 5 settings"
        assert (finding.points, finding.repetitions) == (0, 0)


@every_rule
def test_a_batch_without_series_has_no_findings(rule):
    assert list(find_models(P, np.empty((0, 6, 2)), rule=rule)) == []


@every_rule
def test_an_infinite_value_is_said_in_words(rule):
    values = np.concatenate([exact(LOG), exact(LOG)])
    values[0, 3, 1] = np.inf

    refused, found = find_models(P, values, expectation=LOG, rule=rule)

    assert refused.reason == reasons.INFINITE
    assert found.growth == LOG


@every_rule
@pytest.mark.parametrize("lowest", [0.0, -1.0, 0.5])
def test_a_setting_without_a_logarithm_is_said_in_words(rule, lowest):
    x = np.array([lowest, 2, 4, 8, 16])

    (finding,) = find_models(x, np.ones((1, 5, 2)), expectation=LOG, rule=rule)

    assert finding.verdict is Verdict.UNDECIDED
    assert "not defined at p" in finding.reason


@every_rule
def test_a_term_too_large_to_compute_is_said_in_words(rule):
    x = np.array([64.0, 128, 256, 512, 1024])

    (finding,) = find_models(
        x, np.ones((1, 5, 2)), expectation=parse_growth("2^p"), rule=rule
    )

    assert finding.reason.endswith(str(reasons.TooLarge("")))


@every_rule
@pytest.mark.parametrize("magnitude", [1e-300, 1e300])
def test_magnitudes_at_the_ends_of_the_number_range_are_modelled(rule, magnitude):
    values = exact(SQRT, 0.1, 0.1) * magnitude

    (finding,) = find_models(P, values, expectation=SQRT, rule=rule, targets=[1024])

    assert is_sound(finding)
    assert finding.growth == SQRT


@every_rule
@pytest.mark.parametrize("value", [0.0, 5e-324, 7.0])
@pytest.mark.parametrize("repetitions", [1, 4])
def test_data_without_any_change_are_constant(rule, value, repetitions):
    values = np.full((1, 6, repetitions), value)

    (finding,) = find_models(P, values, expectation=LOG, rule=rule)

    assert is_sound(finding)
    if finding.model is not None:
        assert finding.growth == CONSTANT
        np.testing.assert_allclose(finding.model(p=1e6), value)
