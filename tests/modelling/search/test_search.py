from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from scalewatch import reasons
from scalewatch.errors import (
    FallingLimit,
    MissingParameter,
    NoExpectation,
    NotFinite,
    OutsideDomain,
    UnknownChoice,
    WrongShape,
)
from scalewatch.modelling import (
    CONSTANT,
    Growth,
    Space,
    Verdict,
    find_models,
    mpi_study,
    parse_growth,
)
from support.strategies import measurements, process_counts

P = np.array([2.0, 4, 8, 16, 32, 64])
LOG = parse_growth("log p")
SQRT = parse_growth("p^(1/2)")


def exact(growth, constant=3.0, coefficient=0.5, x=P):
    """Return noise-free measurements of shape (1, n, 2)."""
    values = constant + coefficient * growth(p=x) * np.ones(len(x))
    return np.repeat(values[np.newaxis, :, np.newaxis], 2, axis=2)


def summary(finding):
    """Return what has to agree between two findings."""
    numbers = (finding.model.constant, *(t.coefficient for t in finding.model.terms))
    return finding.growth, finding.verdict, numbers, finding.adjusted_r2, finding.smape


@pytest.mark.parametrize("growth", mpi_study(), ids=str)
def test_the_generating_growth_is_found_with_its_coefficients(growth):
    (finding,) = find_models(P, exact(growth), space=mpi_study(), rule="paper")

    assert finding.growth == growth
    constant = 3.5 if growth == CONSTANT else 3.0
    assert_allclose(finding.model.constant, constant, rtol=1e-9)
    assert_allclose([t.coefficient for t in finding.model.terms if growth.factors], 0.5)
    assert_allclose(finding.model(p=1024), 3 + 0.5 * growth(p=1024), rtol=1e-8)
    assert finding.smape < 1e-9


def test_exponential_growth_is_found_over_another_parameter():
    k = np.arange(3.0, 17.0)
    growth = parse_growth("k^4 2^k")
    values = (7e-6 * growth(k=k))[np.newaxis, :, np.newaxis]

    (finding,) = find_models(
        k, values, parameter="k", expectation=parse_growth("k^3 2^k"), rule="paper"
    )

    assert finding.growth == growth
    assert finding.divergence == parse_growth("k")
    assert finding.verdict is Verdict.APPROXIMATE


def test_a_finding_tells_all_that_the_rule_knows():
    (finding,) = find_models(
        P,
        exact(SQRT),
        expectation=LOG,
        deviation_limit=SQRT,
        space=mpi_study(),
        rule="paper",
        targets=[65536, {"p": 4}],
    )

    assert finding.points == 6
    assert finding.repetitions == 2
    assert_allclose(finding.adjusted_r2, 1)
    assert finding.divergence == SQRT / LOG
    assert finding.verdict is Verdict.APPROXIMATE
    assert finding.direction == "worse"
    assert [forecast.at for forecast in finding.forecasts] == [{"p": 65536}, {"p": 4}]
    assert_allclose([each.value for each in finding.forecasts], [131, 4])
    assert finding.class_probability == {}
    assert finding.verdict_probability == {}
    assert finding.reason is None


def test_a_constant_series_has_a_constant_model_without_r2():
    (finding,) = find_models(
        P, np.full((1, 6, 3), 256.0), expectation=CONSTANT, rule="paper"
    )

    assert finding.growth == CONSTANT
    assert finding.model.formula == "256"
    assert finding.adjusted_r2 is None
    assert finding.verdict is Verdict.MATCH


def test_a_falling_series_does_not_grow():
    falling = 10 - np.log2(P)[np.newaxis, :, np.newaxis]

    (finding,) = find_models(P, falling, expectation=LOG, rule="paper")

    assert finding.growth == CONSTANT


def test_strong_scaling_is_found_in_a_space_that_falls():
    (finding,) = find_models(
        P,
        exact(parse_growth("1/p"), 0.0, 100.0),
        expectation=parse_growth("1/p"),
        rule="paper",
    )

    assert finding.growth == parse_growth("1/p")
    assert finding.model.formula == "100 / p"


def test_the_first_quartile_is_what_the_paper_fits():
    values = np.repeat(exact(LOG), 4, axis=2)
    values[:, :, 3:] *= 50.0

    (finding,) = find_models(P, values, expectation=LOG, rule="paper")
    (averaged,) = find_models(P, values, expectation=LOG, rule="paper", summary="mean")

    assert_allclose(finding.model(p=64), 6.0)
    assert averaged.model(p=64) > 100


def test_findings_are_a_sequence_in_the_order_of_the_series():
    values = np.concatenate([exact(LOG), exact(SQRT), exact(LOG, 4.0)])

    findings = find_models(P, values, space=mpi_study(), rule="paper")

    assert len(findings) == 3
    assert [finding.growth for finding in findings] == [LOG, SQRT, LOG]
    assert findings[-1].growth == LOG
    assert [finding.growth for finding in findings[1:]] == [SQRT, LOG]
    with pytest.raises(IndexError):
        findings[3]


@given(process_counts, st.data())
def test_a_batch_gives_what_its_series_give_one_by_one(p, data):
    values = data.draw(measurements(len(p)))

    together = find_models(p, values, expectation=LOG, space=mpi_study(), rule="paper")
    alone = [
        find_models(
            p, each[np.newaxis], expectation=LOG, space=mpi_study(), rule="paper"
        )[0]
        for each in values
    ]

    assert list(together) == alone


@given(process_counts, st.integers(-900, 900), st.data())
def test_scaling_values_scales_coefficients_and_changes_no_verdict(p, exponent, data):
    values = data.draw(measurements(len(p)))

    plain = find_models(p, values, expectation=LOG, space=mpi_study(), rule="paper")
    scaled = find_models(
        p, np.ldexp(values, exponent), expectation=LOG, space=mpi_study(), rule="paper"
    )

    for before, after in zip(plain, scaled, strict=True):
        assert after.growth == before.growth
        assert after.verdict is before.verdict
        assert after.smape == before.smape
        assert after.model == before.model * 2.0**exponent


def test_missing_points_leave_the_others_to_decide():
    values = np.concatenate([exact(LOG), exact(SQRT), exact(LOG)])
    values[1, 2] = np.nan
    values[2, 0, 0] = np.nan

    findings = find_models(P, values, space=mpi_study(), rule="paper")

    assert [finding.growth for finding in findings] == [LOG, SQRT, LOG]
    assert [finding.points for finding in findings] == [6, 5, 6]


def test_zero_is_a_setting_where_the_space_allows_it():
    x = np.arange(6.0)
    space = Space.of("n", [0, 1, 2])

    (finding,) = find_models(
        x,
        (3 + x**2)[np.newaxis, :, np.newaxis],
        parameter="n",
        space=space,
        rule="paper",
    )

    assert finding.growth == parse_growth("n^2")


def test_without_an_expectation_there_is_a_model_but_no_verdict():
    (finding,) = find_models(P, exact(LOG), rule="paper")

    assert finding.growth == LOG
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.reason == reasons.NO_EXPECTATION


def test_an_expectation_outside_the_usual_space_joins_it():
    strassen = Growth.of("n", power="2.8074")
    n = np.array([64.0, 128, 256, 512, 1024])

    (finding,) = find_models(
        n,
        exact(Growth.of("p", power=Fraction("2.8074")), x=n),
        parameter="n",
        expectation=strassen,
        space="pmnf",
        rule="paper",
    )

    assert finding.verdict is Verdict.MATCH


def test_the_space_of_an_expectation_can_be_refined_and_widened():
    further = Space((parse_growth("p^(3/8)"), parse_growth("p^3")))

    values = np.concatenate([exact(growth) for growth in further])

    without, beside = (
        [
            finding.growth in further
            for finding in find_models(
                P, values, expectation=parse_growth("p"), space=space, rule="paper"
            )
        ]
        for space in ("expectation", ("expectation", further))
    )

    assert without == [True, False, False]
    assert beside == [True, True, True]


def test_a_forecast_beyond_the_range_of_numbers_is_left_out():
    k = np.arange(3.0, 10.0)
    growth = parse_growth("2^k")

    (finding,) = find_models(
        k,
        growth(k=k)[np.newaxis, :, np.newaxis],
        parameter="k",
        expectation=growth,
        rule="paper",
        targets=[20, 5000],
    )

    assert [forecast.at for forecast in finding.forecasts] == [{"k": 20}]


def test_questions_without_sense_are_refused_by_name():
    values = exact(LOG)

    with pytest.raises(UnknownChoice, match="rule 'magic' is unknown"):
        find_models(P, values, rule="magic")
    with pytest.raises(UnknownChoice, match="space 'outer' is unknown"):
        find_models(P, values, space="outer")
    with pytest.raises(UnknownChoice, match="summary 'mode' is unknown"):
        find_models(P, values, summary="mode")
    with pytest.raises(FallingLimit, match="1 / p falls"):
        find_models(P, values, expectation=LOG, deviation_limit=parse_growth("1/p"))
    with pytest.raises(NoExpectation):
        find_models(P, values, space="expectation")
    with pytest.raises(MissingParameter, match="no setting of n was given for log n"):
        find_models(P, values, expectation=parse_growth("log n"))
    with pytest.raises(WrongShape, match=r"values has shape \(1, 6, 2\)"):
        find_models(P[:5], values)
    with pytest.raises(WrongShape, match=r"expected \(points, 1\)"):
        find_models(np.ones((6, 2)), values)
    with pytest.raises(NotFinite, match="p = nan is no setting"):
        find_models([*P[:5], np.nan], values)
    with pytest.raises(NotFinite, match="p = inf is no setting"):
        find_models(P, values, targets=[np.inf])
    with pytest.raises(OutsideDomain, match="not defined at p = 0"):
        find_models(P, values, targets=[0])


def test_a_target_may_be_a_whole_number():
    asked = {"expectation": LOG, "rule": "evidence"}

    (whole,) = find_models(P, exact(LOG), targets=[{"p": 1024}], **asked)
    (real,) = find_models(P, exact(LOG), targets=[1024.0], **asked)

    assert whole.forecasts == real.forecasts
    assert whole.forecasts[0].at == {"p": 1024.0}


def test_a_model_that_fits_badly_runs_through_the_middle_of_its_points():
    steps = np.array([7.0, 130, 260, 27000, 21000, 24000])
    noise = np.random.default_rng(5).lognormal(0, 1.5, (1, len(P), 40))

    (finding,) = find_models(P, steps[:, np.newaxis] * noise, rule="evidence")

    residuals = np.log(steps / finding.model(p=P))
    assert abs(residuals.mean()) < 0.5
