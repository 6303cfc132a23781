"""Which split of cores is best, by measurements of known truth or by a model."""

import numpy as np
import pytest

from scalewatch.modelling import Model, Term, parse_growth
from scalewatch.modelling.splits import measured_splits, modelled_splits

NAMES = ("p", "threads")
GRID = [(1, 1), (1, 4), (2, 2), (4, 1), (2, 4), (4, 2)]


def repeated(values, noise=0.01):
    rng = np.random.default_rng(3)
    return np.asarray(values)[:, None] * rng.lognormal(0, noise, (len(values), 25))


def choices(values, noise=0.01, *, is_higher_better=False, grid=GRID, **held):
    table = np.array(grid, dtype=float)
    settings = {"p": table[:, 0], "threads": table[:, 1]}
    settings |= {name: np.asarray(at, dtype=float) for name, at in held.items()}
    return measured_splits(
        NAMES, settings, repeated(values, noise), is_higher_better=is_higher_better
    )


def test_least_time_of_each_total_is_the_best():
    four, eight = choices([9, 5, 4, 6, 3, 2.0])

    assert (four.total, dict(four.best.settings)) == (4, {"p": 2, "threads": 2})
    assert [dict(split.settings)["p"] for split in four.splits] == [2, 1, 4]
    assert four.gain == pytest.approx(0.25, abs=0.05)
    assert (eight.total, dict(eight.best.settings)) == (8, {"p": 4, "threads": 2})
    assert four.is_sure
    assert four.is_measured


def test_most_bandwidth_is_the_best():
    four, _ = choices([9, 5, 4, 6, 3, 2.0], is_higher_better=True)

    assert four.best.settings == {"p": 4, "threads": 1}


def test_differences_within_the_noise_are_not_sure():
    four, _ = choices([9, 4.02, 4.0, 4.01, 3, 2.0], noise=0.2)

    assert not four.is_sure


def test_other_parameters_are_held():
    grid = [(1, 2), (2, 1), (1, 2), (2, 1)]

    small, large = choices([1, 2, 4, 3.0], grid=grid, n=[10, 10, 20, 20])

    assert (small.held, small.best.settings["p"]) == ({"n": 10}, 1)
    assert (large.held, large.best.settings["p"]) == ({"n": 20}, 2)


def test_model_tells_where_nobody_measured():
    # Processes cost p, threads cost threads²: p = 16, threads = 4 of 64.
    model = Model(
        0.0, (Term(1.0, parse_growth("p")), Term(1.0, parse_growth("threads^2")))
    )

    choice = modelled_splits(NAMES, 64, model, {}, is_higher_better=False)

    assert choice.best.settings == {"p": 16, "threads": 4}
    assert len(choice.splits) == 7
    assert not choice.is_sure
