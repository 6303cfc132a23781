"""Surfaces over several parameters, with noise, and what is found of them."""

import numpy as np

from scalewatch.modelling import Space, find_models, parse_growth

P, N, T = 2.0 ** np.arange(2, 7), 2.0 ** np.arange(4, 9), 2.0 ** np.arange(5)
GRID = np.array([(p, n) for p in P for n in N])
CROSS = np.array([(p, N[0]) for p in P] + [(P[0], n) for n in N[1:]])
CUBE = np.array([(p, n, t) for p in P for n in N for t in T])
FEW = Space.of("p", [0, "1/2", 1, 2], [0, 1]) | Space.of("n", [0, "1/2", 1, 2], [0, 1])


def measured(y, *, noise=0.02, seed=0, series=1):
    """Return five repetitions of y with uniform noise, shape (series, n, 5)."""
    draw = np.random.default_rng(seed)
    return y[:, np.newaxis] * draw.uniform(
        1 - noise / 2, 1 + noise / 2, (series, len(y), 5)
    )


def surface(y, *, x=GRID, parameter=("p", "n"), noise=0.02, seed=0, **options):
    """Model one series."""
    (finding,) = find_models(
        x, measured(y, noise=noise, seed=seed), parameter=parameter, **options
    )
    return finding


def terms(finding):
    """Return the growths that the model adds up."""
    return {str(term.growth) for term in finding.model.terms}


def values_on(x, growths):
    """Add up 1 and growths, each as large at the largest setting."""
    settings = dict(zip(("p", "n", "t"), x.T, strict=False))
    total = np.ones(len(x))
    for text in growths:
        value = parse_growth(text)(settings)
        total = total + 10 * value / value.max()
    return total
