import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, Growth, Space, find_models, learn_noise
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.noise.learn import LEAST_FUTURE, LEAST_SERIES, SURE
from support.generated import P, measured, random_curves

FAR = np.array([512.0, 2048.0])


def learned(values):
    return learn_noise(P, values)


def one_sided(curves, seed):
    rng = np.random.default_rng(seed)
    curves = np.asarray(curves)[..., np.newaxis]
    return curves * (1 + 0.1 * rng.exponential(size=(*curves.shape[:2], 5)))


def with_outliers(curves, seed):
    values = measured(curves, 0.1, seed)
    is_slow = np.random.default_rng(seed).random(values.shape) < 0.1
    return np.where(is_slow, 3 * values, values)


def shared_by_a_job(curves, seed):
    jobs = np.random.default_rng(seed).normal(0, 0.05, np.shape(curves))
    return measured(np.asarray(curves) * np.exp(jobs), 0.1, seed)


@pytest.mark.parametrize(
    ("noisy", "summary"),
    [
        (lambda curves, seed: measured(curves, 0.1, seed), "mean"),
        (one_sided, "min"),
        (with_outliers, "robust"),
    ],
)
def test_the_estimator_suits_the_noise(noisy, summary):
    _, curves = random_curves(300, seed=61)

    assert learned(noisy(curves, 62)).summary == summary


def test_the_least_repetition_tells_the_shape_but_not_the_level():
    _, curves = random_curves(100, seed=78)
    values = one_sided(curves, 79)

    usual, learnt = (
        np.array(
            [f.model(p=P) * np.ones(6) for f in find_models(P, values, noise=noise)]
        )
        for noise in (USUAL, learned(values))
    )

    assert np.median(learnt / usual) == pytest.approx(1, abs=0.01)


def test_one_late_setting_is_hardly_ever_called_growth():
    settings = 2.0 ** np.arange(2, 10)
    values = one_sided(np.full((8000, len(settings)), 7.0), 97)

    noise = learn_noise(settings, values)
    findings = find_models(settings, values, noise=noise)

    assert noise.summary == "min"
    assert np.mean([finding.growth != CONSTANT for finding in findings]) < 0.003


def test_noise_that_repetitions_show_has_no_excess():
    _, curves = random_curves(300, seed=63)

    assert learned(measured(curves, 0.1, 64)).shares[0] > 0.95


@pytest.mark.parametrize(
    ("noises", "is_typical"),
    [(0.1, True), (np.geomspace(0.01, 0.5, 60).reshape(-1, 1, 1), False)],
    ids=["the same for all", "each its own"],
)
def test_a_variance_is_typical_where_series_have_the_same_noise(noises, is_typical):
    _, curves = random_curves(60, seed=91)
    exact = np.repeat(np.asarray(curves)[..., np.newaxis], 3, axis=2)
    scatter = np.random.default_rng(92).standard_normal(exact.shape)

    _, freedom = learned(exact * np.exp(noises * scatter)).typical

    assert (freedom > 8) is is_typical


def test_one_repetition_each_tells_no_typical_variance():
    _, curves = random_curves(60, seed=93)

    assert learned(measured(curves, 0.1, 94)[:, :, :1]).typical == (0, 0)


def test_noise_that_a_job_shares_is_an_excess_or_a_discrepancy():
    _, curves = random_curves(300, seed=65)

    noise = learned(shared_by_a_job(curves, 66))

    assert noise.sizes[0] * noise.shares[0] < 0.1


def test_a_machine_whose_curves_are_growths_is_believed_to_go_on():
    _, curves = random_curves(100, seed=64)

    noise = learned(measured(curves, 0.05, 65))

    assert noise.sizes[0] > 0.6
    assert noise.future == 0


def test_few_forecasts_that_were_met_do_not_tell_that_nothing_will_depart():
    _, curves = random_curves(SURE - 10, seed=64)

    assert learned(measured(curves, 0.05, 65)).future == LEAST_FUTURE


def test_curves_outside_of_the_space_are_noticed():
    _, inside = random_curves(100, seed=88)
    slow, fast = np.random.default_rng(89).uniform(0.2, 5, (2, 100, 1))
    outside = 1 + slow * np.log2(P) / 7 + fast * np.sqrt(P / 128)

    growths, others = (learned(measured(each, 0.02, 90)) for each in (inside, outside))

    assert growths.sizes[0] > 0.8 > others.sizes[0]


def test_curves_that_bend_at_the_end_are_a_future_that_departs():
    _, curves = random_curves(100, seed=64)
    bent = np.array(curves)
    bent[:, -1] *= np.exp(np.random.default_rng(3).normal(0, 0.15, 100))

    assert learned(measured(bent, 0.05, 65)).future >= 1


def test_curves_that_fall_are_no_misfit():
    shares = np.random.default_rng(80).uniform(0.2, 1, (100, 1))
    curves = 4 / P + shares * np.log2(P) / 7

    noise = learned(measured(curves, 0.1, 81))

    assert noise.shares[0] > 0.9
    assert noise.future <= 0.1


@pytest.mark.parametrize(
    "choices",
    [
        {"space": Space.of("p", [0, 1, 2], exp2s=[0, 1])},
        {"expectations": [Growth.of("p", exp2=1)]},
    ],
    ids=["in the space", "expected"],
)
def test_curves_that_explode_are_no_misfit_where_they_may(choices):
    x = np.arange(1.0, 9.0)
    curves = 1 + np.random.default_rng(82).uniform(0.2, 5, (100, 1)) * 2.0 ** (x - 8)
    values = measured(curves, 0.1, 83)

    told, surprised = learn_noise(x, values, **choices), learn_noise(x, values)

    assert told.shares[0] > 0.9 > surprised.shares[0]
    assert told.future < surprised.future


def test_the_size_of_measurements_does_not_matter():
    _, curves = random_curves(40, seed=84)
    values = measured(curves, 0.1, 85)

    assert learned(values * 2.0**1000) == learned(values)


def test_a_few_series_tell_nothing():
    _, curves = random_curves(LEAST_SERIES - 1, seed=67)

    assert learned(shared_by_a_job(curves, 68)) == USUAL


def test_intervals_hold_where_a_protocol_switches():
    growths, curves = random_curves(200, seed=69)
    rng = np.random.default_rng(seed=70)
    switch = rng.choice(P[1:-1], size=(200, 1))
    ratios = np.array([each[-1] - 1 for each in curves])
    truth = np.array(
        [
            1 + ratio * growth(p=FAR) / growth(p=128.0) if growth.factors else [1, 1]
            for growth, ratio in zip(growths, ratios, strict=True)
        ]
    )
    kinked = np.asarray(curves) * np.where(switch < P, 1.15, 1.0)

    values = measured(kinked, 0.05, 71)
    findings = find_models(P, values, targets=FAR, noise=learned(values))

    holds = [
        each.low <= 1.15 * expected <= each.high
        for finding, truths in zip(findings, truth, strict=True)
        for each, expected in zip(finding.forecasts, truths, strict=False)
    ]
    assert len(holds) > 0.5 * truth.size
    assert np.mean(holds) > 0.8


def test_missing_repetitions_and_one_repetition_can_be_pooled():
    _, curves = random_curves(60, seed=72)
    values = measured(curves, 0.1, 73)
    values[::2, 3, 1:] = np.nan

    for batch in (values, values[:, :, :1]):
        assert all(
            finding.model is not None
            for finding in find_models(P, batch, targets=FAR, noise=learned(batch))
        )


def test_a_summary_of_the_user_is_kept():
    _, curves = random_curves(40, seed=74)
    values = measured(curves, 0.1, 75)

    assert learn_noise(P, values, summary="median").summary == "median"


def test_series_that_cannot_be_weighed_do_not_count():
    _, curves = random_curves(60, seed=76)
    values = measured(curves, 0.1, 77)
    spoilt = np.concatenate([values, -values[:5], np.full((5, 6, 5), np.inf)])
    spoilt = np.concatenate([spoilt, values[:1]])
    spoilt[-1, 0, :2] = 1e-300, 1e300
    spoilt[-2, 2] = np.nan

    assert learned(spoilt) == learned(values)
