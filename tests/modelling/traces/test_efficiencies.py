import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.modelling import Growth, Model, Term
from scalewatch.modelling.traces import (
    Efficiency,
    falls_below,
    losses,
    quotients,
)

P = Growth.of("p", 1)


def test_efficiencies_are_quotients_and_parallel_is_the_product_of_its_factors():
    times = {
        "runtime": np.array([10.0, 8.0]),
        "ideal_runtime": np.array([9.5, 6.0]),
        "useful_max": np.array([9.0, 5.0]),
        "useful_mean": np.array([8.0, 4.0]),
    }

    found = {each: quotients(each, times) for each in Efficiency}

    assert_allclose(found[Efficiency.PARALLEL], [0.8, 0.5])
    assert_allclose(
        found[Efficiency.LOAD_BALANCE]
        * found[Efficiency.SERIALISATION]
        * found[Efficiency.TRANSFER],
        found[Efficiency.PARALLEL],
    )


def test_efficiency_of_times_that_are_missing_is_none():
    times = {"runtime": np.array([1.0, 2.0]), "useful_max": np.array([np.nan] * 2)}

    assert quotients(Efficiency.COMMUNICATION, times) is None
    assert quotients(Efficiency.TRANSFER, times) is None


def test_losses_are_differences_and_never_negative():
    times = {"useful_mean": np.array([8.0, 4.0]), "useful_max": np.array([8.5, 3.9])}

    assert_allclose(losses(Efficiency.LOAD_BALANCE, times), [0.5, 0])
    assert losses(Efficiency.PARALLEL, times) is None


def test_crossing_follows_from_the_models_of_what_is_kept_and_lost():
    # 10 / (10 + 0.1 p) < 0.8 from p = 25 on.
    lost = Model(0.0, (Term(0.1, P),))

    assert falls_below(Model(10.0), lost, start=2) == pytest.approx(25, rel=1e-6)
    assert falls_below(Model(10.0), lost, start=50) == 50
    assert falls_below(Model(10.0), Model(0.0), start=2) is None
