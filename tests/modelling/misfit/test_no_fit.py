import numpy as np
import pytest

from scalewatch.modelling import Model, Verdict, find_models, parse_growth
from scalewatch.modelling.growths.model import Term
from scalewatch.modelling.misfit import misfit_of

P = 2.0 ** np.arange(1, 8)
EXACTLY = 1 + 0.01 * np.random.default_rng(1).standard_normal((len(P), 5))
VALLEY = np.abs(np.log2(P) - 4)[:, np.newaxis] + 0.2
"""Falls as steeply as it rises again: no growth of one parameter does."""


def fit(model: Model, values, adjusted_r2: float | None = None, smape: float = 0.0):
    return misfit_of(model, {"p": P}, values, adjusted_r2, smape)


@pytest.mark.parametrize(
    ("adjusted_r2", "smape", "explains"),
    [(0.0, 40.0, True), (-0.01, 1.0, False), (0.9, 99.0, True), (-2000.0, 9.0, False)],
)
def test_growth_explains_nothing_if_the_mean_says_more(adjusted_r2, smape, explains):
    model = Model(1.0, (Term(1.0, parse_growth("p")),))

    assert (fit(model, EXACTLY, adjusted_r2, smape) is None) is explains


def test_constant_explains_nothing_if_values_are_far_off_unlike_repetitions():
    noisy = np.random.default_rng(2).lognormal(0, 0.7, (len(P), 5))

    assert fit(Model(1.0), EXACTLY, smape=30.0) is not None
    assert fit(Model(1.0), EXACTLY, smape=10.0) is None
    assert fit(Model(1.0), noisy, smape=30.0) is None


def test_model_is_positive_where_all_values_are():
    falling = Model(-1.0, (Term(0.5, parse_growth("p")),))

    misfit = fit(falling, EXACTLY, 0.99)

    assert misfit is not None
    assert misfit.negative_at == "p = 2"
    assert fit(falling, EXACTLY - 1, 0.99) is None


@pytest.mark.parametrize("expected", ["1", "log p", "p^2", "1 / p"])
def test_series_that_no_growth_fits_has_neither_odds_nor_growth_nor_verdict(expected):
    values = VALLEY * EXACTLY

    (finding,) = find_models(P, values[np.newaxis], expectation=parse_growth(expected))

    assert finding.misfit is not None
    assert finding.model is not None
    assert finding.told_growth is None
    assert not finding.verdict_probability
    assert not finding.class_probability or not finding.misfit.is_sure
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.reason == str(finding.misfit)


def test_no_series_with_odds_has_a_model_that_explains_nothing():
    rng = np.random.default_rng(3)
    curves = rng.lognormal(0, 0.8, (200, len(P), 1))
    values = curves * rng.lognormal(0, 0.02, (200, len(P), 5))

    for finding in find_models(P, values, expectation=parse_growth("log p")):
        explains = finding.adjusted_r2 is None or finding.adjusted_r2 >= 0
        assert explains or finding.misfit
        assert finding.misfit is None or not finding.verdict_probability
        if finding.model is not None:
            assert finding.misfit or (finding.model({"p": P}) > 0).all()
