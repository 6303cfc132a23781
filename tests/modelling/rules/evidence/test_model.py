import numpy as np
import pytest

from scalewatch.modelling import (
    CONSTANT,
    Verdict,
    find_models,
    mpi_study,
    parse_growth,
    pmnf,
)
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.laplace import GrowthFits
from scalewatch.modelling.rules.evidence.least_squares import ScaledCurves
from scalewatch.modelling.rules.evidence.model import Frame, curves_of, frames_of
from support.generated import P, measured
from support.weighing import weigh

IDEAL = parse_growth("1/p")
LOG = parse_growth("log p")
SETTINGS = {"p": P}


def test_a_frame_writes_its_growths_as_multiples_of_its_base():
    frame = Frame.of(IDEAL, (IDEAL, CONSTANT, LOG), SETTINGS)

    for row, growth in enumerate(frame.growths):
        values = np.exp(frame.log_base) * frame.tau[row]
        expected = growth(p=P) * 2.0 ** -frame.log2_scale[row, 1]
        np.testing.assert_allclose(values, expected)


def test_a_base_alone_beside_a_constant_and_beside_a_growth_are_hypotheses():
    frame = Frame.of(IDEAL, (IDEAL, CONSTANT, LOG), SETTINGS)

    assert frame.hypotheses == ((IDEAL,), (IDEAL,), (IDEAL, LOG))
    assert frame.alone == 0
    added = frame.contributions * 2.0 ** frame.log2_scale[..., np.newaxis]
    np.testing.assert_allclose(
        added,
        [
            [[0, 1, 0], [0, 1, 0]],
            [[0, 1, 0], [1, 0, 0]],
            [[0, 1, 0], [0, 0, 1]],
        ],
    )


def test_the_growths_of_a_space_have_no_base():
    (frame,) = frames_of(pmnf(), SETTINGS)

    assert frame.growths == pmnf().growths
    assert not frame.log_base.any()
    assert frame.alone == pmnf().constant


def test_all_frames_at_once_give_what_each_gives_of_what_is_divided_by_its_base():
    frames = frames_of(pmnf(), SETTINGS, may_fall=True)
    location = locate(measured([100 / P + 3, 5 * np.sqrt(P), 7 + 0 * P], 0.1, seed=5))
    curves = curves_of(frames)

    at_once = weigh(GrowthFits, curves, location)

    ends = np.cumsum([len(frame.rows) for frame in frames])[:-1]
    for frame, evidence, ratio in zip(
        frames,
        np.split(at_once.log_evidence, ends),
        np.split(at_once.fit.ratio, ends),
        strict=True,
    ):
        own = ScaledCurves.rising(frame.tau, frame.alone)
        alone = weigh(GrowthFits, own, location.over(frame.log_base))
        np.testing.assert_allclose(evidence, alone.log_evidence, rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(ratio, alone.fit.ratio, rtol=1e-6)


@pytest.mark.parametrize(
    ("growth", "curve"),
    [
        ("1/p", 100 / P),
        ("1 / p^(1/2)", 100 / np.sqrt(P)),
        ("1", 100 / P + 3),
        ("log p", 100 / P + 2 * np.log2(P)),
        ("p", 100 / P + P),
    ],
)
def test_strong_scaling_is_recovered_with_what_remains(growth, curve):
    values = measured([curve] * 20, 0.02, seed=91)

    findings = find_models(P, values)

    found = [finding.growth for finding in findings]
    assert found.count(parse_growth(growth)) >= 18
    for finding in findings:
        np.testing.assert_allclose(finding.model(p=P), curve, rtol=0.03)
        assert finding.class_probability[finding.growth] > 0.2


@pytest.mark.parametrize(
    ("curve", "verdict"),
    [
        (100 / P, Verdict.MATCH),
        (100 / P + 3, Verdict.MISMATCH),
        (100 / P + 2 * np.log2(P), Verdict.MISMATCH),
    ],
    ids=["ideal", "Amdahl", "logarithm"],
)
def test_what_remains_beside_ideal_scaling_is_a_mismatch(curve, verdict):
    values = measured([curve] * 20, 0.05, seed=92)

    for finding in find_models(P, values, expectation=IDEAL):
        assert finding.verdict is verdict


DOUBLINGS = 2.0 ** np.arange(6)


@pytest.mark.parametrize(
    "settings", [DOUBLINGS[:5], DOUBLINGS, 2.0 ** np.arange(9), np.arange(1.0, 9.0)]
)
@pytest.mark.parametrize(
    "curve",
    [
        lambda p: 1 + 99 / p,
        lambda p: 3 + 97 / p,
        lambda p: 10 + 90 / p,
        lambda p: 100 / p + 2 * np.log2(p),
        lambda p: 10 / p + 0.5 * np.log2(p),
    ],
    ids=["1 %", "3 %", "10 %", "logarithm", "steep logarithm"],
)
def test_single_values_with_what_remains_never_match_ideal_scaling(curve, settings):
    values = curve(settings).reshape(1, -1, 1)

    (finding,) = find_models(settings, values, expectation=IDEAL)

    assert finding.verdict in {Verdict.MISMATCH, Verdict.UNDECIDED}


@pytest.mark.parametrize("settings", [DOUBLINGS, np.arange(1.0, 9.0)])
def test_single_values_match_ideal_scaling(settings):
    values = (100 / settings).reshape(1, -1, 1)

    (finding,) = find_models(settings, values, expectation=IDEAL)

    assert finding.verdict is Verdict.MATCH


def test_a_mismatch_that_the_last_settings_show_too_may_leave_more_doubt():
    values = (10 + 90 / DOUBLINGS).reshape(1, -1, 1)

    (finding,) = find_models(DOUBLINGS, values, expectation=IDEAL, level=0.93)

    assert finding.verdict is Verdict.MISMATCH
    assert 0.79 <= finding.verdict_probability[Verdict.MISMATCH] < 0.93
    assert finding.growth != IDEAL


def test_a_series_that_falls_and_grows_again_may_match_its_growth():
    values = measured([100 / P + 2 * np.log2(P)] * 20, 0.05, seed=93)

    for finding in find_models(P, values, expectation=LOG, targets=[1024]):
        assert finding.verdict is Verdict.MATCH
        (forecast,) = finding.forecasts
        assert forecast.value == pytest.approx(100 / 1024 + 20, rel=0.1)


def test_a_space_of_the_user_is_not_extended():
    values = measured([100 / P], 0.02, seed=94)

    (finding,) = find_models(P, values, space=mpi_study())

    assert finding.growth in mpi_study()


def test_series_that_fall_change_nothing_for_the_others():
    rising = measured([1 + np.log2(P)] * 3, 0.1, seed=95)
    falling = measured([100 / P], 0.02, seed=96)

    together = find_models(P, np.concatenate([falling, rising]), targets=[1024])

    assert together[1:] == list(find_models(P, rising, targets=[1024]))


def test_a_growth_that_falls_from_zero_is_no_base():
    frames = list(
        frames_of(
            pmnf() | type(pmnf())((IDEAL * LOG, IDEAL)), {"p": np.array([1.0, 2, 4])}
        )
    )

    assert [frame.base for frame in frames] == [CONSTANT, IDEAL]
    assert IDEAL * LOG in frames[0].growths
