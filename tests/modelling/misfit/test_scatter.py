import numpy as np
import pytest

from scalewatch.modelling.misfit.scatter import is_scatter, neighbours

P, N = (
    each.ravel() for each in np.meshgrid([4.0, 8, 16, 32, 64], [16.0, 32, 64, 128, 256])
)
GRID = {"p": P, "n": N}


def scatter(seed):
    return 0.05 * np.random.default_rng(seed).standard_normal(len(P))


def test_each_point_of_a_grid_has_its_neighbours_along_each_parameter():
    pairs = {tuple(sorted(pair)) for pair in neighbours(GRID).tolist()}

    assert len(pairs) == 2 * 5 * 4
    for one, other in pairs:
        assert sorted([P[other] / P[one], N[other] / N[one]]) in ([1, 2], [0.5, 1])


def test_independent_residuals_are_scatter_in_most_cases():
    assert np.mean([is_scatter(GRID, scatter(seed)) for seed in range(400)]) > 0.85


@pytest.mark.parametrize(
    "shape",
    [
        np.where(N > 64, 0.07, -0.07),
        np.where(P > 16, 0.07, -0.07),
        0.07 * (-1.0) ** np.log2(P),
        0.1 * np.sin(np.log(P) + np.log(N)),
    ],
    ids=["switch of n", "switch of p", "steps of p", "wave"],
)
def test_residuals_that_points_have_in_common_are_no_scatter(shape):
    assert not any(is_scatter(GRID, shape + 0.1 * scatter(seed)) for seed in range(50))


def test_a_cross_tells_too_little():
    on_cross = (P == 4) | (N == 16)
    cross = {name: x[on_cross] for name, x in GRID.items()}

    assert not any(is_scatter(cross, scatter(s)[on_cross]) for s in range(50))


def test_a_line_of_one_parameter_tells_too_little():
    p = np.array([1.0, 2, 3, 4, 5, 596, 30342])

    assert len(neighbours({"p": p})) == 6
    for seed in range(50):
        assert not is_scatter({"p": p}, scatter(seed)[: len(p)])


def test_order_and_size_do_not_matter():
    for seed in range(50):
        residuals = scatter(seed)
        order = np.random.default_rng(seed).permutation(len(P))
        shuffled = {name: x[order] for name, x in GRID.items()}

        assert is_scatter(shuffled, 3 * residuals[order]) == is_scatter(GRID, residuals)
