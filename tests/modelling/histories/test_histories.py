import numpy as np
import pytest

from scalewatch.errors import NotFinite, WrongShape
from scalewatch.modelling.histories.histories import Histories, locations

P = 2.0 ** np.arange(2, 8)


def test_locations_are_logarithms_of_what_repetitions_agree_on():
    values = np.full((2, 3, 6, 5), 4.0)
    values[:, :, :, 4] = 100.0

    found = locations(values)

    assert found.shape == (2, 3, 6)
    assert np.allclose(found, np.log(4.0))


def test_what_was_not_measured_has_no_location():
    values = np.full((1, 2, 6, 5), 4.0)
    values[0, 1, 2] = np.nan

    found = locations(values)

    assert np.isnan(found[0, 1, 2])
    assert np.isfinite(found).sum() == 11


def test_directions_are_the_level_and_one_tilt_per_parameter_that_varies():
    grid = np.array([[p, n] for p in (2, 4, 8) for n in (10, 10)])

    both = Histories.of(grid, np.zeros((1, 1, 6)))
    one = Histories.of(P, np.zeros((1, 1, 6)))

    assert both.directions.shape == (2, 6)
    assert np.allclose(one.directions @ one.directions.T, 6 * np.eye(2))


@pytest.mark.parametrize("p", [0.0, np.nan, np.inf])
def test_settings_without_a_logarithm_are_refused(p):
    with pytest.raises(NotFinite):
        Histories.of([2.0, p], np.zeros((1, 1, 2)))


def test_locations_that_do_not_fit_the_settings_are_refused():
    with pytest.raises(WrongShape):
        Histories.of(P, np.zeros((1, 1, 5)))


def test_a_series_of_which_nothing_has_a_logarithm_lies_nowhere():
    values = np.full((2, 5, 1), np.nan)
    values[0] = 3.0

    found = locations(values)

    assert np.isnan(found[1]).all()
    assert np.exp(found[0]) == pytest.approx(3.0)
