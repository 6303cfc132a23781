import numpy as np
import pytest

from scalewatch.modelling import find_models
from scalewatch.modelling.forecasts.model_curves import BELIEVED
from support.generated import P, measured, random_curves

FAR = 16 * P[-1]


@pytest.fixture(scope="module")
def findings():
    _, curves = random_curves(200, seed=71)
    found = find_models(P, measured(curves, 0.1, seed=72), targets=[FAR])
    return [each for each in found if each.forecasts]


def on_the_model(finding):
    """Return the value of the model, as far as the interval allows."""
    (forecast,) = finding.forecasts
    return np.clip(finding.model({"p": FAR}), forecast.low, forecast.high)


def belief(finding):
    return finding.class_probability[finding.growth]


def test_forecasts_lie_on_models_that_are_believed(findings):
    believed = [f for f in findings if not f.misfit and belief(f) > BELIEVED]
    assert len(believed) > 50

    for finding in believed:
        assert finding.forecasts[0].value == pytest.approx(on_the_model(finding))


def test_other_forecasts_are_medians_of_all_curves(findings):
    others = [f for f in findings if belief(f) < BELIEVED]
    assert others

    apart = [f.forecasts[0].value / on_the_model(f) - 1 for f in others]
    assert np.abs(apart).max() > 0.01
