import numpy as np
import pytest

from scalewatch.errors import UnknownChoice
from scalewatch.modelling.scaling_errors.codes import (
    Times,
    strong_scaling_errors,
    weak_scaling_errors,
)
from scalewatch.modelling.scaling_errors.errors import speed_up

P = (1, 2, 4, 8, 16)


def amdahl(serial):
    """Return times of a code that is serial to this share."""
    return Times.of({(p, None): 100 * (serial + (1 - serial) / p) for p in P})


@pytest.mark.parametrize("serial", [0.0, 0.05, 0.5, 1.0])
def test_karp_and_flatt_find_the_serial_fraction(serial):
    found = speed_up(strong_scaling_errors(amdahl(serial)))

    assert np.isnan(found.serial_fraction[0])
    np.testing.assert_allclose(found.serial_fraction[1:], serial, atol=1e-12)


def test_speed_up_is_the_time_at_the_base_over_the_time():
    times = amdahl(0.1)

    found = speed_up(strong_scaling_errors(times), base=2)

    np.testing.assert_allclose(found.speed_up, times.at(None)[1] / times.at(None))
    np.testing.assert_allclose(found.efficiency, found.speed_up * 2 / found.scales)


def test_weak_scaling_speeds_up_by_the_work_that_it_does_more():
    times = Times.of({(p, 100.0 * p): 1 + 0.1 * p for p in P})

    found = speed_up(weak_scaling_errors(times, 100))

    np.testing.assert_allclose(found.efficiency, 1.1 / (1 + 0.1 * found.scales))
    np.testing.assert_allclose(found.speed_up, found.scales * found.efficiency)


def test_a_base_that_was_not_measured_is_named():
    with pytest.raises(UnknownChoice, match="scale '3' is unknown; known are 1, 2, 4"):
        speed_up(strong_scaling_errors(amdahl(0.1)), base=3)
