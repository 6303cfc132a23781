import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.errors import TooFewSettings, WrongShape
from scalewatch.modelling.quadratic_extrapolation import drift, extrapolations
from support.reference_tables import read

TABLES = read("sweep3d_polynomials.json")


@pytest.mark.parametrize("variant", TABLES["variants"])
def test_the_sweep3d_table_is_reproduced_to_its_last_digit(variant):
    printed = TABLES["variants"][variant]

    rows = extrapolations(TABLES["P"], printed["T_seconds"])

    found = [
        {
            "points": len(row.settings),
            "a0": round(row.a0, 2),
            "a1": round(row.a1, 2),
            "a2": round(row.a2, 2),
            "e_max": round(row.e_max, 2),
            "d": row.d if row.d is None else round(row.d, 2),
        }
        for row in rows
    ]
    assert found == printed["table"]


def test_a_quadratic_is_recovered_and_met():
    processes = np.array([28.0, 4, 8, 12, 14])

    rows = extrapolations(processes, 1 + 2 * processes + 3 * processes**2)

    assert [len(row.settings) for row in rows] == [4, 5]
    for row in rows:
        assert_allclose([row.a0, row.a1, row.a2], [1, 2, 3])
        assert_allclose(row(100), 30201)
    assert rows[0].d < 1e-9
    assert rows[1].d is None


def test_drift_spans_the_values_of_each_coefficient():
    table = TABLES["variants"]["original (blocking MPI_Send/MPI_Recv)"]

    ranges = drift(extrapolations(TABLES["P"], table["T_seconds"]))

    assert [(round(low, 2), round(high, 2)) for low, high in ranges] == [
        (-18.79, 21.43),
        (-0.0, 11.2),
        (-0.22, 0.41),
    ]


def test_errors_are_not_relative_to_a_time_of_zero():
    rows = extrapolations([1, 2, 3, 4, 5], [0, 1, 2, 3, 0])

    assert rows[0].e_max is None
    assert rows[0].d is None


def test_three_settings_are_too_few():
    with pytest.raises(TooFewSettings, match="4 distinct settings needed, 3 measured"):
        extrapolations([1, 2, 4], [1, 2, 4])
    with pytest.raises(TooFewSettings, match="5 distinct settings needed, 4 measured"):
        extrapolations([1, 2, 4, 8, 8], [1, 2, 4, 8, 8])


def test_each_setting_needs_a_time():
    with pytest.raises(WrongShape, match="times has shape"):
        extrapolations([1, 2, 4, 8], [1, 2, 4])
