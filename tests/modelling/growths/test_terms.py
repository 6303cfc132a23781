import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal

from scalewatch.modelling import CONSTANT, parse_growth
from scalewatch.modelling.growths.terms import log2_table, term_table
from support.strategies import growths

settings = arrays.arrays(
    np.float64,
    5,
    elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, -1.0, 1e6]),
)


@given(st.lists(growths(), min_size=1, max_size=4), settings, settings)
def test_a_table_holds_what_each_growth_is_by_itself(terms, n, p):
    table = log2_table(terms, {"n": n, "p": p})

    for growth, row in zip(terms, table, strict=True):
        at = {"n": n, "p": p}
        is_defined = np.broadcast_to(growth.is_defined(at), row.shape)
        assert_array_equal(np.isnan(row), ~is_defined)
        defined = {name: x[is_defined] for name, x in at.items()}
        if is_defined.any():
            expected = np.broadcast_to(growth.log2(defined), is_defined.sum())
            # Exponentials of two parameters may cancel, up to the rounding of each.
            assert_allclose(row[is_defined], expected, rtol=1e-12, atol=1e-8)


def test_terms_are_divided_by_their_largest_value():
    p = np.array([2.0, 4, 8])

    table = term_table([CONSTANT, parse_growth("p"), parse_growth("1 / p")], {"p": p})

    assert_array_equal(table.tau, [[1, 1, 1], [0.25, 0.5, 1], [1, 0.5, 0.25]])
    assert_array_equal(table.log2_scale, [0, 3, -1])


def test_a_term_that_vanishes_everywhere_is_zero():
    settings_of_both = {"n": np.arange(1.0, 4), "p": np.ones(3)}

    table = term_table([parse_growth("log p")], settings_of_both)

    assert_array_equal(table.tau, [[0, 0, 0]])
