import pytest

from scalewatch.modelling.common_mode.shared_factor import shared_factor
from scalewatch.modelling.forecasts.bounds import Bounds


def about(*values):
    return [Bounds(value, 0.98 * value, 1.02 * value) for value in values]


def test_most_series_alike_share_their_factor_and_one_apart_does_not_follow():
    shared = shared_factor(about(2.0, 1.9, 2.1, 2.0, 6.0), 5)

    assert shared.factor == pytest.approx(2.0)
    assert shared.follows.tolist() == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("values", "compared"),
    [
        ([2.0, 2.0], 2),
        ([2.0, 2.0, 2.0], 10),
        ([2.0, 0.5, 2.0, 0.5], 4),
        ([1.1, 2.0, 4.0, 8.0, 16.0], 5),
        ([], 5),
    ],
    ids=["two series", "three of ten", "both ways", "each its own", "none"],
)
def test_series_that_are_few_or_differ_share_no_factor(values, compared):
    assert shared_factor(about(*values), compared) is None
