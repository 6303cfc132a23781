"""Which growths of a parameter are worth trying together with those of the others.

Along a line on which one parameter varies and the others are held, every structure is
c + c'·f(p) with coefficients of that line. So the misfit of f, summed over the lines,
tells how well f can do in any structure, before the others are known.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.rules.several_parameters.elimination import Design, fit

SHORTEST_LINE: Final = 3
"""Settings on a line that can prefer one growth to another."""


def shortlist(
    settings: Mapping[str, Reals],
    parameter: str,
    tau: Reals,
    weight: Reals,
    omega: Reals,
) -> Indices:
    """Return the growths of one parameter, the fittest first, shape (G,).

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,).
    parameter
        The one that varies.
    tau
        Its growths, shape (G, n).
    weight, omega
        As in `elimination.fit`, shape (n,).
    """
    misfit = np.zeros(len(tau))
    for line in lines(settings, parameter):
        misfit += _misfit(tau[:, line], weight[line], omega[line])
    return misfit.argsort(kind="stable")


def lines(settings: Mapping[str, Reals], parameter: str) -> Iterator[Indices]:
    """Yield the points of each line; all points where there is no line."""
    held = [column for name, column in settings.items() if name != parameter]
    if not held:
        yield np.arange(len(settings[parameter]))
        return
    place = np.unique(np.stack(held, axis=1), axis=0, return_inverse=True)[1]
    lines = [
        np.flatnonzero(place.reshape(-1) == line) for line in range(place.max() + 1)
    ]
    long = [line for line in lines if len(line) >= SHORTEST_LINE]
    yield from long or [np.arange(len(settings[parameter]))]


def _misfit(tau: Reals, weight: Reals, omega: Reals) -> Reals:
    """Fit every growth on one line, shape (G,); at worst it is a constant."""
    each = np.arange(len(tau))[:, np.newaxis]
    constant, _ = fit(Design.of(tau, each[:1, :0]), weight, omega)
    with_term, _ = fit(Design.of(tau, each), weight, omega)
    return np.minimum(with_term, constant)
