import numpy as np
import pytest

from scalewatch.modelling.measurements.batch import unresolved

P, N = (4.0, 8, 16, 32, 64), (16.0, 32, 64, 128, 256)


def design(points):
    """Return the settings of p and n."""
    p, n = np.array(points).T
    return {"p": p, "n": n}


def cross(p, n):
    """Vary one parameter at a time from a centre."""
    return [(each, n) for each in P] + [(p, each) for each in N if each != n]


GRID = [(p, n) for p in P for n in N]


@pytest.mark.parametrize(
    ("points", "where"),
    [
        (cross(4, 16), "p = 64, n = 256"),
        (cross(16, 64), "p = 64, n = 256"),
        (cross(64, 256), "p = 4, n = 16"),
        (cross(64, 16), "p = 4, n = 256"),
    ],
    ids=["low corner", "centre", "high corner", "mixed corner"],
)
def test_a_cross_names_the_point_that_tells_a_product_from_a_sum(points, where):
    words = unresolved(design(points))

    assert words == (
        "the settings of p and n cannot tell a product of their growths from a sum; "
        f"one more measurement at {where} can"
    )
    named = tuple(float(part.split(" = ")[1]) for part in where.split(", "))
    assert unresolved(design([*points, named])) is None


@pytest.mark.parametrize(
    "points",
    [GRID, GRID[:7], [*cross(4, 16), (8, 32)]],
    ids=["grid", "part", "one more"],
)
def test_a_rectangle_of_points_can_tell(points):
    assert unresolved(design(points)) is None


def test_parameters_that_vary_together_need_a_grid():
    words = unresolved(design(list(zip(P, N, strict=True))))

    assert words.endswith("; a grid of settings can")


def test_one_parameter_has_nothing_to_tell_apart():
    assert unresolved(design([(p, 16) for p in P])) is None
    assert unresolved({"p": np.array(P)}) is None


def test_any_sum_of_two_functions_fits_a_product_on_a_cross():
    settings = design(cross(4, 16))
    product = settings["p"] * np.log2(settings["n"])
    indicators = np.hstack(
        [x[:, np.newaxis] == np.unique(x) for x in settings.values()]
    ).astype(float)

    fitted = indicators @ np.linalg.lstsq(indicators, product)[0]

    np.testing.assert_allclose(fitted, product)
