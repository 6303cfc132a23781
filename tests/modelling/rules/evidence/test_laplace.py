import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, parse_growth, pmnf
from scalewatch.modelling.growths.terms import term_table
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.laplace import (
    ALONE,
    LOWEST,
    GrowthFits,
    highest,
)
from scalewatch.modelling.rules.evidence.least_squares import ScaledCurves
from scalewatch.modelling.rules.evidence.posterior import Prior, posterior
from scalewatch.modelling.rules.evidence.weighing import Likelihood
from support.generated import P, curve, measured, random_curves
from support.weighing import weigh

SPACE = pmnf()
TAU = term_table(SPACE.growths, {"p": P}).tau
CURVES = ScaledCurves.rising(TAU, SPACE.constant)
PRIOR = Prior.of(SPACE, None, None)


def probabilities(values):
    """Return the posterior of all growths, shape (H, S)."""
    weighed = weigh(GrowthFits, CURVES, locate(values))
    return posterior(weighed.log_evidence, PRIOR)[0]


def integrated(values, nodes=4000):
    """Return the same posterior by quadrature in log c₁/c₀."""
    location = locate(values)
    phi = Likelihood.of(location, USUAL)
    centred = location.log - location.log.mean(axis=0)
    log_evidence = np.empty((len(SPACE), len(values)), dtype=np.float32)
    for growth, (tau, top) in enumerate(zip(TAU, highest(TAU)[:, 0], strict=True)):
        place = np.append(np.linspace(LOWEST, top, nodes), 60.0)
        weight = np.append(np.full(nodes, (top - LOWEST) / nodes), ALONE)
        logs = np.log1p(np.exp(place)[:, np.newaxis] * tau)
        if growth == SPACE.constant:
            logs[:] = 0
        logs -= logs.mean(axis=1, keepdims=True)
        misfit = ((centred[np.newaxis] - logs[..., np.newaxis]) ** 2).sum(axis=1)
        values_of_phi, _ = phi(misfit)
        largest = values_of_phi.max(axis=0)
        integral = weight @ np.exp(values_of_phi - largest).astype(np.float64)
        log_evidence[growth] = largest + np.log(integral / weight.sum())
    return posterior(log_evidence, PRIOR)[0]


@pytest.mark.parametrize(
    ("noise", "distance"), [(0.02, 0.01), (0.1, 0.02), (0.5, 0.06)]
)
def test_closed_forms_agree_with_quadrature(noise, distance):
    _, curves = random_curves(40, seed=11)
    values = measured(curves, noise, seed=12)

    difference = np.abs(probabilities(values) - integrated(values))

    assert difference.sum(axis=0).mean() / 2 < distance


def test_a_term_that_cannot_be_seen_is_less_likely_than_the_constant():
    values = measured([curve(CONSTANT, 0.0)] * 200, 0.1, seed=13)

    likeliest = probabilities(values).argmax(axis=0)

    assert np.mean(likeliest == SPACE.constant) > 0.95


def test_the_term_alone_is_found_without_any_constant():
    growth = parse_growth("p^2")
    values = np.repeat(growth(p=P)[np.newaxis, :, np.newaxis], 5, axis=2)

    found = probabilities(values)[:, 0]

    assert SPACE.growths[found.argmax()] == growth
    assert found.max() > 0.99


def test_scaling_a_series_changes_no_probability():
    _, curves = random_curves(30, seed=14)
    values = measured(curves, 0.1, seed=15)

    np.testing.assert_allclose(
        probabilities(values * 1e5), probabilities(values), atol=1e-5
    )


def test_a_series_is_weighed_alike_alone_and_among_others():
    _, curves = random_curves(30, seed=16)
    values = measured(curves, 0.3, seed=17)

    together = probabilities(values)

    for row in range(len(values)):
        alone = probabilities(values[row : row + 1])
        np.testing.assert_array_equal(alone[:, 0], together[:, row])
