import numpy as np

from scalewatch.modelling.arrays.padding import spread, stacked, widened

NAN = float("nan")


def test_shorter_arrays_end_with_nan():
    whole = stacked([np.array([1.0, 2.0]), np.array([3.0])])

    np.testing.assert_array_equal(whole, [[1, 2], [3, NAN]])


def test_tables_are_padded_along_both_axes():
    whole = stacked([np.ones((1, 2)), np.ones((2, 1))])

    np.testing.assert_array_equal(whole, [[[1, 1], [NAN, NAN]], [[1, NAN], [1, NAN]]])


def test_rows_keep_their_places_and_the_others_are_nan():
    whole = spread(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([2, 0]), 3)

    np.testing.assert_array_equal(whole, [[3, 4], [NAN, NAN], [1, 2]])


def test_rows_are_widened_by_nan_behind_their_own():
    rows = np.array([[1.0], [2.0]])

    np.testing.assert_array_equal(widened(rows, 2), [[1, NAN], [2, NAN]])
    np.testing.assert_array_equal(widened(rows, 1), rows)
