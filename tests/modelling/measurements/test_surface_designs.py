import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch import reasons
from scalewatch.modelling import (
    Verdict,
    find_models,
    parse_growth,
)
from support.grids import CROSS, GRID, N, P, measured, surface, terms, values_on


def test_points_that_were_not_measured_leave_a_sparse_design():
    y = values_on(GRID, ["n p"])
    values = measured(y)
    values[0, ::3] = np.nan

    (finding,) = find_models(GRID, values, parameter=("p", "n"))

    assert finding.points == 16
    assert terms(finding) == {"n p"}


def test_a_parameter_that_was_not_varied_takes_no_part():
    x = GRID[GRID[:, 1] == 64]

    finding = surface(values_on(x, ["p"]), x=x)

    assert terms(finding) == {"p"}
    assert finding.reason == reasons.NO_EXPECTATION


def test_a_cross_leaves_the_verdict_open_and_names_the_measurement_that_settles_it():
    y = values_on(CROSS, ["n p"])

    finding = surface(y, x=CROSS, expectation=parse_growth("n p"))

    assert len({name for text in terms(finding) for name in "np" if name in text}) == 2
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.reason == str(reasons.Unresolved(("p", "n"), {"p": 64, "n": 256}))
    assert finding.verdict_probability == {}


def test_a_cross_settles_a_verdict_that_product_and_sum_share():
    y = values_on(CROSS, ["n p^2"])

    finding = surface(y, x=CROSS, expectation=parse_growth("n p"))

    assert finding.verdict is Verdict.MISMATCH


def test_a_cross_forecasts_only_what_lies_beyond_a_point_that_was_measured():
    along = {"p": 4 * P[-1], "n": N[0]}
    apart = {"p": 4 * P[-1], "n": 4 * N[-1]}
    hidden = 5.9 + 3e-11 * CROSS[:, 0] ** 2.5 * CROSS[:, 1] ** 2.5

    for y in (values_on(CROSS, ["p"]), hidden):
        finding = surface(y, x=CROSS, targets=[along, apart])

        assert [dict(each.at) for each in finding.forecasts] == [along]
        assert finding.reason == str(
            reasons.Unresolved(("p", "n"), {"p": 64, "n": 256})
        )


def test_one_point_more_than_a_cross_settles_the_verdict():
    x = np.vstack([CROSS, (P[-1], N[-1])])

    finding = surface(values_on(x, ["n p"]), x=x, expectation=parse_growth("n p"))

    assert terms(finding) == {"n p"}
    assert finding.verdict is Verdict.MATCH


def test_a_cross_settles_what_depends_on_one_parameter():
    y = values_on(CROSS, ["p"])

    finding = surface(y, x=CROSS, expectation=parse_growth("p"))

    assert finding.verdict is Verdict.MATCH


@pytest.mark.parametrize(
    ("growths", "expectation", "verdict"),
    [
        (["n p"], "n p", Verdict.MATCH),
        (["n p^(5/4)"], "n p", Verdict.APPROXIMATE),
        (["n p^2"], "n p", Verdict.MISMATCH),
        (["n"], "n", Verdict.MATCH),
        (["n p"], "n", Verdict.MISMATCH),
    ],
)
def test_a_surface_is_judged_parameter_by_parameter(growths, expectation, verdict):
    y = values_on(GRID, growths)

    finding = surface(y, expectation=parse_growth(expectation))

    assert finding.verdict is verdict
    assert_allclose(sum(finding.verdict_probability.values()), 1)
    assert finding.divergence == finding.growth / parse_growth(expectation)


def test_an_expectation_outside_the_usual_terms_competes():
    expectation = parse_growth("n^(7/5) p")

    finding = surface(values_on(GRID, ["n^(7/5) p"]), expectation=expectation)

    assert finding.growth == expectation
    assert finding.verdict is Verdict.MATCH
