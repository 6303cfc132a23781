import numpy as np
import pytest

from scalewatch.modelling import pmnf
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.laplace import DifferenceFits
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE, curves_of
from scalewatch.modelling.rules.evidence.weighing import Likelihood
from support.generated import P, measured
from support.weighing import weigh

FRAMES = Hypotheses.of(pmnf(), {"p": P}).differences
CURVES = curves_of(FRAMES)


def integrated(row: int, values: np.ndarray) -> float:
    """Return log Z by quadrature over κ, c at its best for each."""
    location = locate(values)
    share = np.linspace(0, LARGEST_SHARE * CURVES.tau[row].min(), 20_001)
    own = CURVES.tau[row][:, np.newaxis] - share
    own *= (CURVES.base[row] / np.exp(location.log[:, 0]))[:, np.newaxis]
    weight = location.weight
    once, twice = (weight * own).sum(axis=0), (weight * own**2).sum(axis=0)
    misfit = np.maximum(weight.sum() - once**2 / twice, 0)[:, np.newaxis]
    phi, _ = Likelihood.of(location, USUAL)(misfit)
    logarithm = phi[:, 0].astype(float)
    top = logarithm.max()
    return top + float(np.log(np.trapezoid(np.exp(logarithm - top), share) / share[-1]))


@pytest.mark.parametrize(
    ("curve", "noise"),
    [(P - 1, 0.1), (P**2 - P, 0.02), (P, 0.1), (P * np.log2(P) - P, 0.02)],
    ids=["p-1", "p^2-p", "p", "p log p-p"],
)
def test_the_closed_form_is_the_integral_of_likely_differences(curve, noise):
    values = measured([curve], noise, seed=3)
    weighed = weigh(DifferenceFits, CURVES, locate(values))
    evidence = weighed.log_evidence[:, 0]
    expected = np.array([integrated(row, values) for row in range(len(CURVES))])

    likely = expected > expected.max() - 5
    np.testing.assert_allclose(evidence[likely], expected[likely], atol=0.35)
    assert evidence[~likely].max() < expected.max() - 3


def test_what_is_taken_off_stays_within_its_bounds():
    values = measured([P - 1, P + 5, 1000 - P, 0 * P + 1], 0.1, seed=4)

    fit = weigh(DifferenceFits, CURVES, locate(values)).fit

    share = -fit.constant / fit.slope
    largest = LARGEST_SHARE * CURVES.tau.min(axis=1, keepdims=True)
    assert (fit.slope > 0).all()
    assert (share >= 0).all()
    assert (share <= largest * (1 + 1e-12)).all()
    np.testing.assert_array_equal(fit.is_pure, (share == 0) & fit.is_pure)
