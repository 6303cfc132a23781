import numpy as np
import pytest

from scalewatch import reasons
from scalewatch.modelling import CONSTANT, Verdict, find_models, judge, parse_growth
from support.generated import P, curve, measured, random_curves

LINEAR = parse_growth("p")


def lead(finding):
    """Return the exponent of the leading power."""
    return float(finding.growth.factor("p").power)


def test_growths_are_recovered_under_noise():
    growths, curves = random_curves(400, seed=21)

    findings = find_models(P, measured(curves, 0.1, seed=22))

    distance = [
        abs(lead(finding) - float(growth.factor("p").power))
        for finding, growth in zip(findings, growths, strict=True)
    ]
    assert np.mean(np.array(distance) <= 0.25) > 0.78


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.5])
def test_a_constant_is_hardly_ever_called_growing(noise):
    values = measured([curve(CONSTANT, 0.0)] * 2000, noise, seed=23)

    growing = [finding.growth != CONSTANT for finding in find_models(P, values)]

    assert np.mean(growing) <= 0.003


def test_what_a_job_shares_is_hardly_ever_called_growth():
    rng = np.random.default_rng(26)
    own, common = (rng.standard_normal((2000, len(P), r)) for r in (5, 1))

    found = find_models(P, np.exp(0.05 * np.sqrt(0.5) * (own + common)))

    assert np.mean([finding.growth != CONSTANT for finding in found]) <= 0.003


def test_steps_that_repetitions_do_not_explain_are_growth():
    squares = np.array([4.0, 9, 16, 25, 36, 49, 64])
    steps = measured([np.ceil(np.log2(squares))] * 20, 0.02, seed=27)

    found = find_models(squares, steps)

    assert all(finding.growth.dominates(CONSTANT) for finding in found)


def test_what_grows_as_expected_is_called_a_match():
    values = measured([curve(LINEAR, r) for r in np.geomspace(0.2, 20, 400)], 0.1, 24)

    findings = find_models(P, values, expectation=LINEAR)

    assert np.mean([f.verdict is Verdict.MATCH for f in findings]) > 0.93


def test_what_all_others_send_is_no_growth_even_where_it_is_seen_to_rise():
    p = np.array([48.0, 96, 144, 192, 288, 384])
    values = np.random.default_rng(29).uniform(0.99, 1.01, (100, 6, 5))
    values *= 1e6 * ((p - 1) / p)[:, np.newaxis]

    findings = find_models(p, values, expectation=CONSTANT)

    assert np.mean([f.verdict is Verdict.MATCH for f in findings]) > 0.4
    assert np.mean([f.verdict is Verdict.MISMATCH for f in findings]) <= 0.02


def test_what_grows_faster_is_a_mismatch_or_undecided():
    quadratic = parse_growth("p^2")
    values = measured([curve(quadratic, 20.0)] * 200, 0.05, seed=25)

    verdicts = [f.verdict for f in find_models(P, values, expectation=LINEAR)]

    assert verdicts.count(Verdict.MISMATCH) > 190
    assert Verdict.MATCH not in verdicts


def test_model_and_verdict_never_contradict_each_other():
    _, curves = random_curves(300, seed=26)

    for finding in find_models(P, measured(curves, 0.3, seed=27), expectation=LINEAR):
        if finding.verdict is not Verdict.UNDECIDED:
            ranked = judge(finding.growth, LINEAR, finding.deviation_limit)
            assert ranked is finding.verdict
        else:
            unsettled = (reasons.UNSETTLED, str(finding.last_step), str(finding.misfit))
            assert any(each in finding.reason for each in unsettled)


def test_deterministic_counters_are_modelled_exactly():
    growths, curves = random_curves(60, seed=28)
    values = np.repeat(np.array(curves)[:, :, np.newaxis], 3, axis=2)

    for finding, growth, truth in zip(
        find_models(P, values), growths, curves, strict=True
    ):
        assert finding.growth == growth
        np.testing.assert_allclose(finding.model(p=P), truth)


def test_single_values_are_less_sure_than_repetitions_however_smooth_they_are():
    _, curves = random_curves(60, seed=28)
    single = np.array(curves)[:, :, np.newaxis]

    for finding, exact in zip(
        find_models(P, single, targets=[256]), curves, strict=True
    ):
        np.testing.assert_allclose(finding.model(p=P[-1]), exact[-1], rtol=0.01)
        assert all(each.high > 1.1 * each.low for each in finding.forecasts)


def test_a_smooth_curve_that_bends_away_from_shared_work_is_no_match():
    p = 2.0 ** np.arange(6)
    bent = [3 + 97 / p, 1 + 99 / p, 10 + 90 / p, 100 / p + 2 * np.log2(p)]
    bent += [100 / p + 0.3 * np.log2(p), np.array([100, 52, 27, 14.5, 8.2, 5.1])]
    ideal = parse_growth("1/p")

    verdicts = [
        find_models(p, each.reshape(1, -1, 1), expectation=ideal)[0].verdict
        for each in (100 / p, *bent)
    ]

    assert verdicts[0] is Verdict.MATCH
    assert Verdict.MATCH not in verdicts[1:]
    assert Verdict.APPROXIMATE not in verdicts[1:]


def test_what_rises_tenfold_is_no_constant_however_much_curves_depart():
    size = np.array([1.8e6, 1.4e7, 4.8e7, 1.1e8, 2.2e8])
    memory = np.array([0.097, 0.121, 0.259, 0.512, 1.0])

    (finding,) = find_models(size, memory.reshape(1, -1, 1), targets=[4e8])

    (forecast,) = finding.forecasts
    assert finding.growth > CONSTANT
    assert finding.class_probability[CONSTANT] < 0.1
    assert forecast.low < finding.model(p=4e8) < forecast.high


def test_a_last_step_that_the_model_does_not_have_is_told():
    p = 2.0 ** np.arange(6)
    flattening = [100, 50, 25, 12.5, 6.25, 5]
    bent = [100, 52, 27, 14.5, 8.2, 5.1]
    values = np.array([flattening, bent, 100 / p])[..., np.newaxis]

    *told, ideal = find_models(p, values, expectation=parse_growth("1/p"))

    assert [str(each.last_step) for each in told] == [
        "from p = 16 to 32 it goes like p^-0.32, the model like p^-1.00",
        "from p = 16 to 32 it goes like p^-0.69, the model like p^-1.00",
    ]
    assert ideal.last_step is None
    assert told[1].model(p=p[-1]) == pytest.approx(bent[-1], rel=0.02)


def test_values_that_are_not_positive_are_said_in_words_and_the_others_go_on():
    values = measured([curve(LINEAR, 5.0)] * 3, 0.02, seed=29)
    values[0, 2, 1] = 0.0
    values[2, 0, 0] = -1.0

    zero, found, negative = find_models(P, values, expectation=LINEAR)

    assert "zero or negative" in zero.reason
    assert "zero or negative" in negative.reason
    assert found.verdict is Verdict.MATCH


@pytest.mark.parametrize("summary", ["robust", "mean", "median", "min", "q1"])
def test_the_user_may_choose_the_summary(summary):
    values = measured([curve(LINEAR, 5.0)], 0.02, seed=30)

    (finding,) = find_models(P, values, expectation=LINEAR, summary=summary)

    assert finding.growth == LINEAR


def test_an_outlier_does_not_change_the_growth():
    values = measured([curve(LINEAR, 5.0)], 0.02, seed=31)
    values[0, 4, 2] *= 10

    (finding,) = find_models(P, values, expectation=LINEAR)

    assert finding.verdict is Verdict.MATCH


def test_a_batch_finds_what_its_series_find_alone():
    _, curves = random_curves(25, seed=32)
    values = measured(curves, 0.2, seed=33)
    values[3, 2, 1:] = np.nan

    together = find_models(P, values, expectation=LINEAR)

    assert list(together) == [
        find_models(P, one[np.newaxis], expectation=LINEAR)[0] for one in values
    ]


def test_exponential_growth_is_found_where_it_is_expected():
    k = np.arange(3.0, 13.0)
    truth = parse_growth("k^3 2^k")
    values = measured([5 + 1e-3 * truth(k=k)], 0.05, seed=34)

    (finding,) = find_models(k, values, parameter="k", expectation=truth)

    assert finding.verdict is Verdict.MATCH
