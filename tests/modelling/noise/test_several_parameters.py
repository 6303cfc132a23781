import numpy as np
import pytest

from scalewatch.modelling import find_models, learn_surface_noise
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.noise.learn import LEAST_SERIES
from support.grids import CROSS, GRID, values_on

BOTH = ("p", "n")
FAR = {"p": 4 * GRID[:, 0].max(), "n": 4 * GRID[:, 1].max()}


def measured(x=GRID, series=LEAST_SERIES, *, kink=1.0):
    """Draw n·p with 2 % of noise that takes longer beyond some p, else one of each."""
    rng = np.random.default_rng(90)
    exact = np.tile(values_on(x, ["n p"]), (series, 1))
    switch = rng.choice(np.unique(x[:, 0])[1:-1], (series, 1))
    exact *= np.where(x[:, 0] > switch, kink, 1)
    return exact[:, :, np.newaxis] * rng.normal(1, 0.02, (*exact.shape, 5))


def test_surfaces_of_the_space_need_no_wider_intervals():
    assert learn_surface_noise(GRID, measured(), parameter=BOTH) == USUAL


def test_surfaces_that_fit_no_model_widen_the_intervals():
    noise = learn_surface_noise(GRID, measured(kink=1.5), parameter=BOTH)
    values = measured(series=1)

    def width(**choices):
        (finding,) = find_models(GRID, values, parameter=BOTH, targets=[FAR], **choices)
        (forecast,) = finding.forecasts
        return np.log(forecast.high / forecast.low)

    assert noise.widening > 1.2
    assert width(noise=noise) == pytest.approx(noise.widening * width())


@pytest.mark.parametrize(
    ("x", "series"), [(GRID, LEAST_SERIES - 1), (CROSS, LEAST_SERIES)]
)
def test_few_surfaces_and_those_without_a_corner_tell_nothing(x, series):
    assert learn_surface_noise(x, measured(x, series), parameter=BOTH) == USUAL
