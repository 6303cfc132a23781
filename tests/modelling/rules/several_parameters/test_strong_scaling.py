import numpy as np
import pytest

from scalewatch.modelling import Verdict, find_models, parse_growth
from support.grids import measured, surface, terms

P = 2.0 ** np.arange(1, 6)
GRID = np.array([(p, n) for p in P for n in 1000 * 2.0 ** np.arange(5)])
SETTINGS = {"p": GRID[:, 0], "n": GRID[:, 1]}
FAR = {"p": 128.0, "n": 64_000.0}


def found(seconds, **options):
    """Return the finding of a code that takes `seconds(p, n)`."""
    (finding,) = find_models(
        GRID,
        measured(seconds(*GRID.T), noise=0.02),
        parameter=("p", "n"),
        targets=[FAR],
        **options,
    )
    return finding


@pytest.mark.parametrize(
    ("seconds", "growths"),
    [
        (lambda p, n: n / p, {"n": "n", "p": "1 / p"}),
        (lambda p, n: n / p + 100 * p, {"n": "n", "p": "p"}),
        (lambda p, n: n / p + 200, {"n": "n", "p": "1 / p"}),
    ],
)
def test_work_that_processes_share_is_found_with_what_remains(seconds, growths):
    finding = found(seconds)

    for parameter, growth in growths.items():
        assert str(finding.model.growth_in(parameter)) == growth
    assert finding.model(SETTINGS) == pytest.approx(seconds(*GRID.T), rel=0.02)
    (forecast,) = finding.forecasts
    assert forecast.low < seconds(FAR["p"], FAR["n"]) < forecast.high


def test_work_that_is_shared_is_judged():
    finding = found(lambda p, n: n / p, expectation=parse_growth("n / p"))

    assert finding.verdict is Verdict.MATCH


def test_surfaces_that_rise_and_that_fall_are_modelled_together():
    p, n = GRID.T
    values = np.concatenate([measured(n / p), measured(n * p)])

    falls, rises = find_models(GRID, values, parameter=("p", "n"))

    assert str(falls.growth) == "n / p"
    assert str(rises.growth) == "n p"


def test_a_space_of_the_user_is_not_extended():
    finding = found(lambda p, n: n / p, space="pmnf")

    assert str(finding.model.growth_in("p")) != "1 / p"


def test_work_that_is_shared_leaves_no_remainder_that_nobody_measured():
    x = np.array([(p, n) for p in (2.0, 4, 8, 16) for n in (1000.0, 2000, 4000, 8000)])

    finding = surface(1e-3 * x[:, 1] / x[:, 0] + 1e-2 * x[:, 0], x=x, noise=0.01)

    assert terms(finding) == {"n / p", "p"}
