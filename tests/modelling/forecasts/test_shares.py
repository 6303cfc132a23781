import numpy as np
from numpy.testing import assert_allclose

from scalewatch.modelling.forecasts.ranking import NEGLIGIBLE, shares_of


def test_shares_are_of_the_sum_at_each_scale():
    found = shares_of(np.array([[1.0, 4.0], [3.0, 4.0]]))

    assert_allclose(found.shares, [[0.25, 0.5], [0.75, 0.5]])
    assert found.end == 1
    assert found.lacking_at(1) == []


def test_shares_end_where_a_region_that_matters_lacks():
    found = shares_of(np.array([[98.0, 98.0, 98.0], [2.0, np.nan, np.nan]]))

    assert found.end == 0
    assert np.isnan(found.shares[:, 1:]).all()
    assert found.lacking_at(1) == [1]
    assert_allclose(found.lacking[1, 1], 0.02)


def test_a_negligible_region_ends_nothing_and_is_told_to_lack():
    values = np.array([[1.0, 1.0], [0.9 * NEGLIGIBLE, np.nan]])

    found = shares_of(values)

    assert found.end == 1
    assert_allclose(found.shares[0, 1], 1)
    assert found.lacking_at(1) == [1]


def test_many_negligible_regions_matter_together():
    many = np.full((20, 2), 0.001)
    many[:, 1] = np.nan

    found = shares_of(np.vstack([[[1.0, 1.0]], many]))

    assert found.end == 0
    assert len(found.lacking_at(1)) == 20


def test_a_region_that_begins_late_lacks_before():
    found = shares_of(np.array([[1.0, 1.0], [np.nan, 1.0]]))

    assert found.is_told.tolist() == [False, True]


def test_nothing_and_sums_of_zero_have_no_shares():
    assert shares_of(np.zeros((2, 3))).end is None
    assert shares_of(np.empty((0, 0))).end is None
    assert shares_of(np.full((2, 2), np.nan)).end is None
