import numpy as np
import pytest

from scalewatch.errors import UnknownChoice
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.scaling_errors.codes import Times, strong_scaling_errors
from scalewatch.modelling.scaling_errors.divergence_metric import (
    DivergenceMetric,
    error_divergences,
)

P = np.array([1.0, 2, 4, 8, 16, 32, 64])
IDEAL, SERIAL, COLLECTIVE = 100 / P, 95 / P + 5, 100 / P + 4 * P


def scaling(seconds, scales=P):
    times = zip(scales, seconds, strict=True)
    return strong_scaling_errors(Times.of({(p, None): t for p, t in times}))


def values(metric, *seconds):
    found = error_divergences([scaling(each) for each in seconds], metric)
    return [each.value for each in found]


@pytest.mark.parametrize("metric", [DivergenceMetric.AREA, DivergenceMetric.GROWTH])
def test_the_worse_scaling_has_the_larger_value(metric):
    ideal, serial, collective = values(metric, IDEAL, SERIAL, COLLECTIVE)

    assert ideal == pytest.approx(0, abs=1e-12)
    assert ideal < serial < collective


@pytest.mark.parametrize("metric", DivergenceMetric, ids=str)
def test_values_do_not_depend_on_the_unit_of_time(metric):
    once, again = values(metric, SERIAL, SERIAL * 1e6)

    assert again == pytest.approx(once, rel=1e-6)


def test_the_published_metric_is_the_negative_correlation():
    (found,) = error_divergences([scaling(SERIAL)], DivergenceMetric.CORRELATION)

    alpha = P - SERIAL[0] / SERIAL
    assert found.printed == pytest.approx(-np.corrcoef(P, alpha)[0, 1])
    assert found.value == -found.printed


def test_a_constant_error_does_not_grow():
    (found,) = error_divergences([scaling(IDEAL)], DivergenceMetric.CORRELATION)

    assert found.value == 0
    assert "constant" in found.reason


def test_area_is_the_share_that_is_lost():
    steady = 100 / P
    steady[1:] *= 2

    (found,) = error_divergences([scaling(steady[1:], P[1:])])
    (halved,) = error_divergences([scaling([2.0, 2.0], [1, 2])])

    assert found.value == pytest.approx(0, abs=1e-12)
    assert halved.value == pytest.approx(0.25)


def test_growth_says_what_the_slowdown_grows_like():
    ideal, flat = error_divergences(
        [scaling(IDEAL), scaling(np.full(P.size, 7.0))], DivergenceMetric.GROWTH
    )

    assert ideal.growth == CONSTANT
    assert flat.growth == Growth.of("p", power=1)
    assert flat.value == 1


@pytest.mark.parametrize(
    ("metric", "scales", "needed"),
    [
        (DivergenceMetric.CORRELATION, 2, "3 scales needed"),
        (DivergenceMetric.GROWTH, 4, "4 of 5 settings: p = 16 would show its growth"),
    ],
    ids=str,
)
def test_too_few_scales_have_no_value_but_a_reason(metric, scales, needed):
    (found,) = error_divergences([scaling(SERIAL[:scales], P[:scales])], metric)

    assert found.value is None
    assert found.printed is None
    assert needed in found.reason


def test_times_beyond_all_measure_leave_the_others_to_tell():
    seconds = 100 / P
    seconds[-1] = 1e300

    (found,) = error_divergences([scaling(seconds)], DivergenceMetric.GROWTH)

    assert found.growth == CONSTANT


def test_the_largest_scale_as_base_leaves_no_area():
    (found,) = error_divergences([scaling(SERIAL)], base=64)

    assert found.value is None
    assert "2 scales needed" in found.reason


def test_a_base_that_a_scaling_lacks_is_named():
    with pytest.raises(UnknownChoice):
        error_divergences([scaling(SERIAL)], base=3)
