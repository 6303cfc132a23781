import pytest

from scalewatch.errors import OutsideDomain
from scalewatch.modelling import CONSTANT, Model, Term, parse_growth
from scalewatch.modelling.forecasts.break_even import (
    break_even,
    expected_model,
    memory_wall,
)
from support.reference_tables import mpi_cells


def memory_on(machine):
    """Return the published model of MPI's memory in MB."""
    return next(
        cell.model
        for cell in mpi_cells()
        if (cell.region, cell.machine) == ("MPI memory", machine)
    )


def test_juropa_runs_into_the_memory_wall_of_the_paper():
    wall = memory_wall(memory_on("Juropa"), per_node=24 * 1024, processes_per_node=8)

    # 8 (16 + 0.56 p) = 24576; the paper's job of 8192 processes failed.
    assert wall.scale == pytest.approx((24 * 1024 / 8 - 16) / 0.56)
    assert wall.scale < 8192
    assert wall.needed == pytest.approx(wall.available)
    gigabytes = 8 * memory_on("Juropa")(p=8192) / 1024
    assert gigabytes == pytest.approx(35, abs=1)


def test_logarithmic_memory_never_fills_a_node():
    wall = memory_wall(memory_on("Juqueen"), per_node=16 * 1024, processes_per_node=16)

    assert wall.scale is None
    assert wall.needed is None


def test_break_even_is_where_the_actual_is_a_factor_above_the_expected():
    linear = Model(0.0, (Term(1.0, parse_growth("p")),))
    expected = expected_model(parse_growth("p^(1/2)"), {"p": 1}, Model(1.0))

    assert break_even(linear, expected, factor=10) == pytest.approx(100)
    assert break_even(linear, expected, factor=10, start=400) == 400


def test_what_grows_no_faster_than_expected_never_breaks_even():
    logarithmic = expected_model(parse_growth("log p"), {"p": 4}, Model(8.0))

    assert logarithmic(p=16) == pytest.approx(16)
    assert break_even(logarithmic, logarithmic, factor=1.5) is None


def test_a_constant_expectation_stays_at_its_value():
    assert expected_model(CONSTANT, {"p": 2}, Model(7.0)) == Model(7.0)


def test_a_promise_of_growth_leaves_the_constant_below_it():
    kept = Model(988.0, (Term(143.0, parse_growth("log p")),))
    broken = Model(988.0, (Term(30.0, parse_growth("p")),))

    assert expected_model(parse_growth("log p"), {"p": 4}, kept) == kept
    expected = expected_model(parse_growth("log p"), {"p": 4}, broken)
    assert float(expected(p=16)) == pytest.approx(988 + 240)


def test_a_promise_to_fall_keeps_no_constant_that_does_not():
    amdahl = Model(1.0, (Term(63.0, parse_growth("p^-1")),))

    expected = expected_model(parse_growth("p^-1"), {"p": 1}, amdahl)

    assert float(expected(p=64)) == pytest.approx(1.0)
    assert float(amdahl(p=64)) == pytest.approx(1.0 + 63 / 64)


def test_no_curve_passes_through_a_zero_of_the_expectation():
    with pytest.raises(OutsideDomain, match="not defined at p = 1"):
        expected_model(parse_growth("log p"), {"p": 1}, Model(7.0))


def test_exponential_growth_is_compared_beyond_the_range_of_numbers():
    doubling = Model(0.0, (Term(1e-300, parse_growth("2^p")),))
    cubic = Model(0.0, (Term(1.0, parse_growth("p^3")),))

    scale = break_even(doubling, cubic, factor=1)

    # 2^p = 1e300 p^3, between p = 1000 and 1100.
    assert doubling(p=scale) == pytest.approx(float(cubic(p=scale)), rel=1e-6)
