import numpy as np
import pytest

from scalewatch.modelling import (
    CONSTANT,
    find_models,
    learn_noise,
    parse_growth,
    pmnf,
)
from scalewatch.modelling.growths.terms import term_table
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.discrepancy import independent
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.laplace import ALONE, LOWEST, highest
from scalewatch.modelling.rules.evidence.log_residuals import Centred, Places
from scalewatch.modelling.rules.evidence.prediction import TargetTable, one_term
from support.generated import P, curve, measured, random_curves

LINEAR = parse_growth("p")
FAR = np.array([512.0, 2048.0])


def bounds(findings, targets=FAR):
    """Return value, low and high, shape (S, T, 3), NaN beyond the horizon."""
    nothing = (np.nan,) * 3
    told = [
        {f.at["p"]: (f.value, f.low, f.high) for f in e.forecasts} for e in findings
    ]
    return np.array([[each.get(at, nothing) for at in targets] for each in told])


def covered(truths, findings):
    """Return the share of intervals that hold."""
    found = bounds(findings)
    is_told = ~np.isnan(found[..., 0])
    assert is_told.mean() > 0.5
    holds = (found[..., 1] <= truths) & (truths <= found[..., 2])
    return np.mean(holds[is_told])


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_intervals_hold_as_often_as_they_promise(noise):
    growths, curves = random_curves(300, seed=41)
    ratios = [each[-1] - 1 for each in curves]
    truths = [curve(*pair, p=FAR) for pair in zip(growths, ratios, strict=True)]

    values = measured(curves, noise, seed=42)
    alone = find_models(P, values, targets=FAR)
    findings = find_models(P, values, targets=FAR, noise=learn_noise(P, values))

    # A series by itself does not tell that nothing but its growth will change.
    assert covered(truths, alone) > 0.9
    assert 0.86 < covered(truths, findings) < 0.99


def test_values_are_not_drawn_away_from_growths_that_are_right():
    rng = np.random.default_rng(seed=5)
    names = ["log p", "p^(1/2)", "p", "p log p", "p^(3/2)", "log^2 p", "p^(1/4)"]
    growths = [parse_growth(name) for name in rng.choice(names, 300)]
    ratios = np.exp(rng.uniform(np.log(0.3), np.log(3), 300))
    pairs = list(zip(growths, ratios, strict=True))
    truths = np.array([curve(*pair, p=FAR) for pair in pairs])

    values = measured([curve(*pair) for pair in pairs], 0.05, seed=73)
    noise = learn_noise(P, values)
    found = bounds(find_models(P, values, targets=FAR, noise=noise))[..., 0]

    error = np.abs(found / truths - 1)[:, 1]
    assert np.nanmedian(error) < 0.03


def test_intervals_allow_for_a_second_term():
    rng = np.random.default_rng(seed=43)
    logarithm, ratio = np.exp(rng.uniform(np.log(0.2), np.log(5), (2, 300)))
    powers = rng.choice(["1/4", "1/2", "3/4", "1", "5/4", "3/2", "2"], 300)

    def truth(p):
        return np.array(
            [
                curve(parse_growth("log p"), a, p)
                + curve(parse_growth(f"p^({i})"), b, p)
                - 1
                for a, b, i in zip(logarithm, ratio, powers, strict=True)
            ]
        )

    findings = find_models(P, measured(truth(P), 0.1, seed=44), targets=FAR)

    # Nothing allows for a second term that no setting shows.
    assert covered(truth(FAR), findings) > 0.65


def test_intervals_allow_for_work_that_is_shared():
    logarithm = np.exp(np.random.default_rng(51).uniform(np.log(0.5), np.log(5), 200))

    def truth(p):
        return P[0] / p + logarithm[:, np.newaxis] * np.log2(p) / 7

    findings = find_models(P, measured(truth(P), 0.2, seed=52), targets=FAR)

    assert covered(truth(FAR), findings) > 0.8


def test_a_forecast_lies_within_its_interval_and_wider_levels_are_wider():
    _, curves = random_curves(40, seed=45)
    values = measured(curves, 0.1, seed=46)

    wide, narrow = (
        bounds(find_models(P, values, targets=FAR, level=level)) for level in (0.9, 0.5)
    )

    is_told = ~np.isnan(wide[..., 0])
    wide, narrow = wide[is_told], narrow[is_told]
    for found in (wide, narrow):
        assert (found[..., 1] <= found[..., 0]).all()
        assert (found[..., 0] <= found[..., 2]).all()
    assert (wide[..., 1] <= narrow[..., 1]).all()
    assert (wide[..., 2] >= narrow[..., 2]).all()


def test_an_interval_is_wider_farther_away():
    values = measured([curve(LINEAR, 2.0)] * 20, 0.1, seed=47)

    found = np.log(bounds(find_models(P, values, targets=[256, 1024]), [256, 1024]))

    width = found[..., 2] - found[..., 1]
    assert (width[:, 1] > width[:, 0]).all()


def test_a_constant_is_forecast_as_itself():
    (finding,) = find_models(P, np.full((1, 6, 3), 7.0), targets=[1 << 20])

    (forecast,) = finding.forecasts
    assert forecast.value == pytest.approx(7.0, rel=1e-3)
    assert forecast.low > 6.9


def test_forecasts_are_the_same_alone_and_among_others():
    _, curves = random_curves(40, seed=48)
    values = measured(curves, 0.2, seed=49)

    together = find_models(P, values, expectation=LINEAR, targets=FAR)

    for row in (0, 31, 32, 39):
        (alone,) = find_models(
            P, values[row : row + 1], expectation=LINEAR, targets=FAR
        )
        assert alone == together[row]


def test_forecasts_need_no_logarithm_where_growths_have_none():
    x = np.array([0.1, 0.2, 0.4, 0.8, 1.6, 3.2])
    space = [parse_growth(f"x^{power}") for power in (1, 2)]
    values = (2 + x**2)[np.newaxis, :, np.newaxis]

    (finding,) = find_models(
        x,
        values,
        parameter="x",
        space=type(pmnf())((CONSTANT, *space)),
        targets=[6.4],
    )

    assert finding.forecasts[0].low <= 2 + 6.4**2 <= finding.forecasts[0].high


def test_the_nodes_of_a_growth_share_its_prior():
    space = pmnf()
    tau = term_table(space.growths, {"p": P}).tau
    location = independent(locate(np.ones((1, 6, 5))))
    centred = Centred.of(location, USUAL, Places.of({"p": P}, {"p": P[:1]}))
    prior = np.full(len(tau), 1 / len(tau))
    flat = centred.phi(np.zeros((1, 1)))[0]

    mixture = one_term(
        centred, TargetTable(tau * 0 + 1, tau * 0 + 1), prior, np.ones((43, 1))
    )

    assert np.exp(mixture.log_weight - flat).sum() == pytest.approx(1)


def test_a_range_of_ratios_has_room_for_terms_that_cannot_be_seen():
    tau = term_table([LINEAR], {"p": P}).tau

    assert highest(tau)[0, 0] > np.log(50 * 32) - 1e-9
    assert LOWEST < 0 < ALONE


def test_intervals_allow_for_shared_work_beside_a_logarithm_and_no_constant():
    ratio = np.exp(np.random.default_rng(seed=45).uniform(np.log(0.2), np.log(5), 200))

    def truth(p):
        return P[0] / p + ratio[:, np.newaxis] * np.log2(p) / np.log2(P[-1])

    values = measured(truth(P), 0.02, seed=46)
    findings = find_models(P, values, targets=FAR, noise=learn_noise(P, values))

    assert covered(truth(FAR), findings) > 0.84
