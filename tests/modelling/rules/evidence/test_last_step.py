import numpy as np
import pytest

from scalewatch.modelling.rules.evidence.last_step import last_settings


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ([1, 2, 4, 8], [1, 2, 3]),
        ([1, 2, 3, 4, 5, 6, 7, 8], [1, 3, 7]),
        ([1, 9, 81], [0, 1, 2]),
        ([6, 12, 16, 24, 32, 48], [1, 3, 5]),
        ([20, 24, 28, 30, 36], [0, 1, 4]),
        ([30, 31, 32], [0, 1, 2]),
        ([1, 30, 31, 32], [0, 1, 3]),
    ],
)
def test_exponents_are_bounded_by_settings_a_doubling_apart(settings, places):
    found = last_settings(np.array(settings, dtype=float))

    assert found == places
