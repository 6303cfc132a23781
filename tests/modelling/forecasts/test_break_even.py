import pytest

from scalewatch.modelling import Model, Term, parse_growth
from scalewatch.modelling.forecasts.break_even import break_even, memory_wall
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
    expected = Model(0.0, (Term(1.0, parse_growth("p^(1/2)")),))

    assert break_even(linear, expected, factor=10) == pytest.approx(100)
    assert break_even(linear, expected, factor=10, start=400) == 400


def test_what_grows_no_faster_than_expected_never_breaks_even():
    logarithmic = Model(0.0, (Term(4.0, parse_growth("log p")),))

    assert logarithmic(p=16) == pytest.approx(16)
    assert break_even(logarithmic, logarithmic, factor=1.5) is None


def test_exponential_growth_is_compared_beyond_the_range_of_numbers():
    doubling = Model(0.0, (Term(1e-300, parse_growth("2^p")),))
    cubic = Model(0.0, (Term(1.0, parse_growth("p^3")),))

    scale = break_even(doubling, cubic, factor=1)

    # 2^p = 1e300 p^3, between p = 1000 and 1100.
    assert doubling(p=scale) == pytest.approx(float(cubic(p=scale)), rel=1e-6)
