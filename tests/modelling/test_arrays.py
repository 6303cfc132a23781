import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scalewatch.modelling.arrays import (
    combine,
    quantile,
    ragged_quantile,
    sorted_rows,
    spread,
    stacked,
    total,
    widened,
)

tables = st.integers(1, 20).flatmap(
    lambda rows: arrays(np.float64, (rows, 3), elements=st.floats(-1e6, 1e6))
)


@given(tables)
def test_rows_are_sorted_column_by_column(table):
    np.testing.assert_array_equal(sorted_rows(list(table)), np.sort(table, axis=0))


@given(tables, st.floats(0, 1))
def test_quantiles_are_those_of_numpy(table, q):
    np.testing.assert_allclose(
        quantile(sorted_rows(list(table)), q),
        np.quantile(table, q, axis=0),
        rtol=1e-9,
        atol=1e-6,
    )


@given(tables, st.floats(0, 1), st.data())
def test_quantiles_of_fewer_rows_leave_out_the_last(table, q, data):
    count = data.draw(arrays(np.intp, 3, elements=st.integers(1, len(table))))
    ordered = sorted_rows(list(table))

    found = ragged_quantile(ordered, count, q)

    np.testing.assert_array_equal(
        found,
        [
            quantile([row[k : k + 1] for row in ordered[:n]], q)[0]
            for k, n in enumerate(count)
        ],
    )


@pytest.mark.parametrize("rows", [1, 5, 9, 40])
def test_the_sum_of_a_column_does_not_depend_on_its_neighbours(rows):
    rng = np.random.default_rng(seed=rows)
    columns, table = rng.random((rows, 600)), rng.random((7, rows))

    whole = combine(table, columns, out=np.empty((7, 600)))

    for width in (1, 2, 3, 17):
        part = np.ascontiguousarray(columns[:, :width])
        product = combine(table, part, out=np.empty((7, width)))
        np.testing.assert_array_equal(product, whole[:, :width])
        np.testing.assert_array_equal(total(part), total(columns)[:width])


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
