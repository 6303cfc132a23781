import numpy as np
import pytest

from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import locate
from scalewatch.modelling.rules.evidence.weighing import Likelihood

SHARES = (0.6, 0.2, 0.15, 0.05)


def likelihood(series=50):
    values = np.exp(np.random.default_rng(3).normal(0, 0.05, (series, 6, 5)))
    return Likelihood.of(locate(values), Noise(shares=SHARES))


def evaluate(phi, misfit):
    return phi(misfit)


def test_it_is_the_mixture_of_its_formula():
    phi = likelihood()
    misfit = np.exp(np.random.default_rng(4).uniform(-12, 2, (7, 50)))

    found, _ = evaluate(phi, misfit)

    z, nu, nu0 = misfit / phi.unit, phi.freedom, phi.prior_freedom
    terms = [
        share * factor ** (nu0 / 2.0) * (factor + z) ** (-nu / 2.0)
        for factor, share in zip(EXCESSES, SHARES, strict=True)
    ]
    np.testing.assert_allclose(found, np.log(sum(terms)), rtol=1e-4, atol=1e-4)


def test_the_energy_is_that_of_the_variance_it_falls_like():
    phi = likelihood()
    misfit = np.exp(np.random.default_rng(5).uniform(-6, -2, (7, 50)))

    _, energy = evaluate(phi, misfit)

    step = 1e-2 * misfit
    slope = (evaluate(phi, misfit + step)[0] - evaluate(phi, misfit - step)[0]) / 2
    np.testing.assert_allclose(slope / step, -phi.freedom / 2 / energy, rtol=0.02)


@pytest.mark.parametrize(("misfit", "excess"), [(1e-6, 1.0), (1e3, 125.0)])
def test_the_misfit_tells_the_variance(misfit, excess):
    phi = likelihood()

    found = phi.variance(np.full(50, misfit))

    expected = (excess * phi.unit + misfit) / phi.freedom
    np.testing.assert_allclose(found, expected, rtol=0.05)
