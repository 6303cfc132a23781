import numpy as np
import pytest

from scalewatch.modelling import find_models
from scalewatch.modelling.exact_counts.exactness import independent_of

P, N = (
    grid.ravel() for grid in np.meshgrid([1.0, 2, 4, 8, 16], [8.0, 16, 32, 64, 128])
)


def found(y, **choices):
    (finding,) = find_models(
        np.stack([P, N], axis=1),
        y[np.newaxis, :, np.newaxis],
        parameter=("p", "n"),
        exact=True,
        **choices,
    )
    return finding


@pytest.mark.parametrize(
    ("y", "formula", "independent"),
    [
        (N * (N - 1) / 2, "n*(n-1)/2", ("p",)),
        (P * (P - 1) / 2, "p*(p-1)/2", ("n",)),
        (0 * P + 7, "7", ("p", "n")),
        (N * P, "n p", ()),
    ],
)
def test_parameter_on_which_counts_do_not_depend_takes_no_part(y, formula, independent):
    finding = found(y)

    assert finding.model.formula == formula
    assert finding.exactness.independent == independent
    assert finding.points == 25


def test_one_count_that_differs_is_a_dependence():
    y = N.copy()
    y[7] += 1

    assert independent_of({"p": P, "n": N}, y) == ()


def test_what_one_combination_alone_varies_may_matter_elsewhere():
    p, n = np.array([1.0, 2, 4, 8, 8, 8]), np.array([8.0, 8, 8, 8, 16, 32])

    assert independent_of({"p": p, "n": n}, p) == ()


def test_growth_of_one_parameter_tells_by_itself():
    assert independent_of({"p": P[:5]}, np.ones(5)) == ()
